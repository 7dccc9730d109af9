// map, mapFromArrays, mapKeys, mapValues, mapContains*, mapExtract*Like, mapUpdate, mapConcat.

#include "base/like_pattern.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <unordered_set>

namespace basalt
{
namespace
{

const MapType& map_of(const TypePtr& type)
{
    return static_cast<const MapType&>(*type);
}

TypePtr map_type(const TypeCall& call)
{
    if (call.size() % 2 != 0)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function map requires even number of arguments, but {} given",
                                call.size()));
    Types keys, values;
    for (size_t i = 0; i < call.size(); i += 2)
    {
        keys.push_back(call.type(i));
        values.push_back(call.type(i + 1));
    }
    const auto common = [](const Types& types)
    { return types.empty() ? simple_type(TypeId::Nothing) : common_type(types); };
    return std::make_shared<MapType>(common(keys), common(values));
}

ColumnPtr run_map(const Call& call)
{
    const MapType& type = map_of(call.result_type);
    const size_t width = call.size() / 2;
    ItemPool keys(type.key());
    ItemPool values(type.value());
    for (size_t i = 0; i < call.size(); i += 2)
    {
        keys.add(*flat_as(call[i], type.key(), call.context));
        values.add(*flat_as(call[i + 1], type.value(), call.context));
    }
    RowIndexes picked(call.rows * width);
    PodVector<uint64_t> offsets(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = 0; j < width; ++j)
            picked[i * width + j] = static_cast<uint32_t>(j * call.rows + i);
        offsets[i] = (i + 1) * width;
    }
    return make_array(TupleColumn::make({keys.take(picked), values.take(picked)}, picked.size()),
                      std::move(offsets));
}

TypePtr items_type(const TypePtr& type)
{
    if (!type->is(TypeId::Map))
        return item_type(type);
    return std::make_shared<TupleType>(Types{map_of(type).key(), map_of(type).value()});
}

TypePtr from_arrays_type(const TypeCall& call)
{
    const TypePtr key = items_type(call.type(0));
    if (key->is_nullable())
        throw Error(error_codes::BAD_ARGUMENTS, "A map's key cannot be Nullable");
    return std::make_shared<MapType>(key, items_type(call.type(1)));
}

ColumnPtr run_from_arrays(const Call& call)
{
    const ColumnPtr keys = to_flat(call.column(0));
    const ColumnPtr values = to_flat(call.column(1));
    const ArrayRows key_rows(keys);
    const ArrayRows value_rows(values);
    check_equal_lengths(call.name, {key_rows, value_rows}, call.rows);
    return ArrayColumn::make(
        TupleColumn::make({key_rows.items(), value_rows.items()}, key_rows.items()->size()),
        key_rows.array().offsets_column());
}

template <size_t kPart> TypePtr part_type(const TypeCall& call)
{
    const MapType& type = map_of(call.type(0));
    return array_of(kPart == 0 ? type.key() : type.value());
}

ColumnPtr part_of(const ColumnPtr& column, size_t part)
{
    if (column->form() == ColumnForm::Constant)
        return std::make_shared<ConstantColumn>(
            part_of(column_as<ConstantColumn>(column).nested(), part), column->size());
    const auto& array = column_as<ArrayColumn>(column);
    return ArrayColumn::make(column_as<TupleColumn>(array.items()).element(part),
                             array.offsets_column());
}

template <size_t kPart> ColumnPtr run_part(const Call& call)
{
    return part_of(call.column(0), kPart);
}

// mapContainsKey and mapContainsValue: has() on one side.
template <size_t kPart> Arguments has_arguments(const Arguments& arguments)
{
    const MapType& type = map_of(arguments[0].type);
    Arguments result = arguments;
    result[0].type = array_of(kPart == 0 ? type.key() : type.value());
    if (result[0].column)
        result[0].column = part_of(result[0].column, kPart);
    return result;
}

template <size_t kPart> TypePtr contains_type(const TypeCall& call)
{
    return scalar_functions().get("has", call.context)->return_type(
        has_arguments<kPart>(call.arguments));
}

template <size_t kPart> ColumnPtr run_contains(const Call& call)
{
    return scalar_functions().get("has", call.context)->execute(
        has_arguments<kPart>(call.arguments), call.result_type, call.rows, call.context);
}

// 1 for entries whose key (value) matches the row's pattern.
template <size_t kPart> Mask like_mask(const Call& call, const ArrayRows& maps)
{
    const ColumnPtr& texts = column_as<TupleColumn>(maps.items()).element(kPart);
    const StringRows rows(texts);
    const StringRows patterns(call.column(1));
    Mask mask(texts->size(), 0);
    std::optional<LikePattern> pattern;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (!pattern || !patterns.constant())
            pattern.emplace(patterns[i]);
        for (size_t j = maps.begin(i); j < maps.end(i); ++j)
            mask[j] = pattern->matches(rows[j]);
        if (maps.constant() && patterns.constant())
            break;
    }
    return mask;
}

template <size_t kPart> TypePtr like_type(const TypeCall& call)
{
    const MapType& type = map_of(call.type(0));
    const TypePtr part = kPart == 0 ? type.key() : type.value();
    if (!remove_low_cardinality(part)->is_string())
        throw_illegal_type(call.name, call.arguments, 0, "Map of String");
    return call.name.find("Extract") == std::string_view::npos ? simple_type(TypeId::UInt8)
                                                               : call.type(0);
}

template <size_t kPart> ColumnPtr run_contains_like(const Call& call)
{
    const ColumnPtr flat = to_flat(call.column(0));
    const ArrayRows maps(flat);
    const Mask mask = like_mask<kPart>(call, maps);
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i)
                             {
                                 for (size_t j = maps.begin(i); j < maps.end(i); ++j)
                                     if (mask[j])
                                         return 1;
                                 return 0;
                             });
}

template <size_t kPart> ColumnPtr run_extract_like(const Call& call)
{
    const ColumnPtr flat = to_flat(call.column(0));
    const ArrayRows maps(flat);
    const Mask mask = like_mask<kPart>(call, maps);
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = maps.begin(i); j < maps.end(i); ++j)
            if (mask[j])
                out.pick(j);
        out.end_row();
    }
    return out.finish(*maps.items());
}

TypePtr concat_type(const TypeCall& call)
{
    Types keys, values;
    for (const Argument& argument : call.arguments)
    {
        keys.push_back(map_of(argument.type).key());
        values.push_back(map_of(argument.type).value());
    }
    return std::make_shared<MapType>(common_type(keys), common_type(values));
}

TypePtr update_type(const TypeCall& call)
{
    if (!same_type(call.type(0), call.type(1)))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "The key and value types of both maps of mapUpdate must be the same");
    return call.type(0);
}

// kReplace: what stays of the first of two maps, then the second.
template <bool kReplace> ColumnPtr run_concat(const Call& call)
{
    const MapType& type = map_of(call.result_type);
    ItemPool pool(item_type(type.entries()));
    EqualityIds numbers;
    Columns owners;
    std::vector<ArrayRows> maps;
    std::vector<size_t> bases;
    std::vector<PodVector<uint64_t>> ids;
    for (const Argument& argument : call.arguments)
    {
        owners.push_back(flat_as(argument, call.result_type, call.context));
        maps.emplace_back(owners.back());
        bases.push_back(pool.add(*maps.back().items()));
        ids.push_back(kReplace
                          ? numbers.add(*column_as<TupleColumn>(maps.back().items()).element(0))
                          : PodVector<uint64_t>());
    }
    ArrayPicker out(call.rows);
    std::unordered_set<uint64_t> replacing;
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (!kReplace)
        {
            for (size_t a = 0; a < maps.size(); ++a)
                out.pick_range(bases[a] + maps[a].begin(i), bases[a] + maps[a].end(i));
            out.end_row();
            continue;
        }
        replacing.clear();
        replacing.insert(ids[1].data() + maps[1].begin(i), ids[1].data() + maps[1].end(i));
        for (size_t j = maps[0].begin(i); j < maps[0].end(i); ++j)
            if (!replacing.count(ids[0][j]))
                out.pick(bases[0] + j);
        out.pick_range(bases[1] + maps[1].begin(i), bases[1] + maps[1].end(i));
        out.end_row();
    }
    return out.finish(pool);
}

constexpr FunctionSpec kMap{"map", "[ *...", map_type, run_map, kKeepNulls};
constexpr FunctionSpec kFromArrays{"mapFromArrays", "am am", from_arrays_type, run_from_arrays, 0,
                                   "MAP_FROM_ARRAYS"};
constexpr FunctionSpec kKeys{"mapKeys", "m", part_type<0>, run_part<0>, kCheap};
constexpr FunctionSpec kValues{"mapValues", "m", part_type<1>, run_part<1>, kCheap};
constexpr FunctionSpec kContainsKey{"mapContainsKey", "m *", contains_type<0>, run_contains<0>,
                                    kKeepNulls, "mapContains"};
constexpr FunctionSpec kContainsValue{"mapContainsValue", "m *", contains_type<1>,
                                      run_contains<1>, kKeepNulls};
constexpr FunctionSpec kKeyLike{"mapContainsKeyLike", "m s", like_type<0>, run_contains_like<0>};
constexpr FunctionSpec kValueLike{"mapContainsValueLike", "m s", like_type<1>,
                                  run_contains_like<1>};
constexpr FunctionSpec kExtractKey{"mapExtractKeyLike", "m s", like_type<0>, run_extract_like<0>};
constexpr FunctionSpec kExtractValue{"mapExtractValueLike", "m s", like_type<1>,
                                     run_extract_like<1>};
constexpr FunctionSpec kConcat{"mapConcat", "m...", concat_type, run_concat<false>};
constexpr FunctionSpec kUpdate{"mapUpdate", "m m", update_type, run_concat<true>};

} // namespace

void register_map(ScalarRegistry& registry)
{
    add_all<kMap, kFromArrays, kKeys, kValues, kContainsKey, kContainsValue, kKeyLike, kValueLike,
            kExtractKey, kExtractValue, kConcat, kUpdate>(registry);
}

} // namespace basalt
