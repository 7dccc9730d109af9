// mapAdd, mapSubtract, mapPopulateSeries: maps of numbers, also as a tuple of two arrays.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{
namespace
{

// Key and value types of Map(K, V) or Tuple(Array(K), Array(V)).
struct PairTypes
{
    TypePtr key;
    TypePtr value;
    bool is_map;
};

std::optional<PairTypes> pair_types(const TypePtr& type)
{
    if (type->is(TypeId::Map))
        return PairTypes{type_as<MapType>(type).key(), type_as<MapType>(type).value(), true};
    if (!type->is(TypeId::Tuple))
        return std::nullopt;
    const Types& parts = type_as<TupleType>(type).elements();
    if (parts.size() != 2 || !parts[0]->is(TypeId::Array) || !parts[1]->is(TypeId::Array))
        return std::nullopt;
    return PairTypes{item_type(parts[0]), item_type(parts[1]), false};
}

TypePtr type_of_pairs(const PairTypes& types)
{
    if (types.is_map)
        return std::make_shared<MapType>(types.key, types.value);
    return std::make_shared<TupleType>(Types{array_of(types.key), array_of(types.value)});
}

// The keys, values and offsets of a flat column of such a type.
struct PairColumns
{
    ColumnPtr keys;
    ColumnPtr values;
    ColumnPtr offsets;
    ColumnPtr owner;
};

PairColumns pair_columns(std::string_view name, const Argument& argument, size_t rows)
{
    const ColumnPtr flat = to_flat(argument.column);
    if (argument.type->is(TypeId::Map))
    {
        const auto& map = column_as<ArrayColumn>(flat);
        const auto& entries = column_as<TupleColumn>(map.items());
        return {entries.element(0), entries.element(1), map.offsets_column(), flat};
    }
    const auto& tuple = column_as<TupleColumn>(flat);
    const ArrayRows keys(tuple.element(0));
    const ArrayRows values(tuple.element(1));
    check_equal_lengths(name, {keys, values}, rows);
    return {keys.items(), values.items(), keys.array().offsets_column(), flat};
}

ColumnPtr assemble(const PairTypes& types, ColumnPtr keys, ColumnPtr values,
                   PodVector<uint64_t> offsets)
{
    const size_t size = keys->size();
    if (types.is_map)
        return make_array(TupleColumn::make({std::move(keys), std::move(values)}, size),
                          std::move(offsets));
    PodVector<uint64_t> again = offsets;
    const size_t rows = offsets.size();
    return TupleColumn::make({make_array(std::move(keys), std::move(offsets)),
                              make_array(std::move(values), std::move(again))},
                             rows);
}

// The 64-bit type that sums are made in.
TypePtr promoted(const TypePtr& type)
{
    if (type->is_float())
        return simple_type(TypeId::Float64);
    if (type->is_decimal())
        return std::make_shared<DecimalType>(38, type_as<DecimalType>(type).scale());
    if (type->is_integer())
        return simple_type(type->is_unsigned() ? TypeId::UInt64 : TypeId::Int64);
    return nullptr;
}

TypePtr add_type(const TypeCall& call)
{
    std::optional<PairTypes> result;
    Types keys;
    for (size_t i = 0; i < call.size(); ++i)
    {
        const auto types = pair_types(call.type(i));
        if (!types || (result && result->is_map != types->is_map))
            throw_illegal_type(call.name, call.arguments, i, "Map or Tuple of two Arrays");
        const TypePtr value = promoted(types->value);
        if (!value || (result && !same_type(value, result->value)))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("The values of {} must be numbers that promote to one type, "
                                    "got {}",
                                    call.name, types->value->name()));
        keys.push_back(types->key);
        result = PairTypes{types->key, value, types->is_map};
    }
    result->key = common_type(keys);
    return type_of_pairs(*result);
}

template <bool kSubtract> ColumnPtr run_add(const Call& call)
{
    const PairTypes types = *pair_types(call.result_type);
    ItemPool key_pool(types.key);
    const MutableColumnPtr values = types.value->create_column();
    std::vector<PairColumns> sources;
    std::vector<size_t> bases;
    for (const Argument& argument : call.arguments)
    {
        sources.push_back(pair_columns(call.name, argument, call.rows));
        const PairTypes own = *pair_types(argument.type);
        bases.push_back(key_pool.add(
            *to_flat(cast_to(sources.back().keys, own.key, types.key, call.context))));
        const ColumnPtr cast =
            to_flat(cast_to(sources.back().values, own.value, types.value, call.context));
        values->append_range(*cast, 0, cast->size());
    }
    RowIndexes all(values->size());
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<uint32_t>(i);
    const ColumnPtr keys = key_pool.take(all);
    ColumnPtr result;
    visit_vector(
        types.value->physical(),
        [&](auto tag)
        {
            using T = decltype(tag);
            const auto& data = column_as<VectorColumn<T>>(*values).data();
            auto sums = std::make_shared<VectorColumn<T>>();
            RowIndexes picked;
            PodVector<uint64_t> offsets(call.rows);
            std::vector<std::pair<uint32_t, bool>> entries; // (item, is of the first argument)
            for (size_t i = 0; i < call.rows; ++i)
            {
                entries.clear();
                for (size_t a = 0; a < sources.size(); ++a)
                {
                    const auto& ends =
                        column_as<VectorColumn<uint64_t>>(sources[a].offsets).data();
                    for (size_t j = i ? ends[i - 1] : 0; j < ends[i]; ++j)
                        entries.emplace_back(static_cast<uint32_t>(bases[a] + j), a == 0);
                }
                std::stable_sort(entries.begin(), entries.end(), [&](const auto& x, const auto& y)
                                 { return keys->compare_at(x.first, *keys, y.first, 1) < 0; });
                for (size_t e = 0; e < entries.size(); ++e)
                {
                    const T value = data[entries[e].first];
                    const bool again =
                        e > 0 &&
                        keys->compare_at(entries[e].first, *keys, entries[e - 1].first, 1) == 0;
                    if (!again)
                    {
                        picked.push_back(entries[e].first);
                        sums->data().push_back(T(0));
                    }
                    T& sum = sums->data().back();
                    if (kSubtract && !entries[e].second)
                        sum = static_cast<T>(sum - value);
                    else
                        sum = static_cast<T>(sum + value);
                }
                offsets[i] = picked.size();
            }
            result = assemble(types, keys->take(picked), sums, std::move(offsets));
        });
    return result;
}

// mapPopulateSeries(map [, max]) and mapPopulateSeries(keys, values [, max]).
std::optional<PairTypes> series_types(const TypeCall& call)
{
    if (call.type(0)->is(TypeId::Map))
        return pair_types(call.type(0));
    if (call.size() < 2 || !call.type(1)->is(TypeId::Array))
        return std::nullopt;
    return PairTypes{item_type(call.type(0)), item_type(call.type(1)), false};
}

TypePtr series_type(const TypeCall& call)
{
    const auto types = series_types(call);
    if (!types)
        throw_illegal_type(call.name, call.arguments, call.size() - 1, "Map or Array");
    if (!types->key->is_integer())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("The keys of {} must be integers, got {}", call.name,
                                types->key->name()));
    const size_t most = types->is_map ? 2 : 3;
    if (call.size() > most)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function {} takes at most {} arguments here", call.name, most));
    return type_of_pairs(*types);
}

ColumnPtr run_series(const Call& call)
{
    const PairTypes types = *series_types({call.name, call.arguments, call.context});
    PairColumns source;
    if (types.is_map)
        source = pair_columns(call.name, call[0], call.rows);
    else
    {
        const ColumnPtr tuple = TupleColumn::make(
            {to_flat(call.column(0)), to_flat(call.column(1))}, call.rows);
        source = pair_columns(
            call.name, {tuple, std::make_shared<TupleType>(Types{call.type(0), call.type(1)})},
            call.rows);
    }
    const size_t max_at = types.is_map ? 1 : 2;
    std::optional<IntegerRows> limits;
    if (call.size() > max_at)
        limits.emplace(call[max_at]);
    const IntegerRows keys({source.keys, types.key});
    const auto& ends = column_as<VectorColumn<uint64_t>>(source.offsets).data();
    ItemPool pool(types.value);
    pool.add(*source.values);
    const size_t none = pool.add_default();
    PodVector<int64_t> numbers;
    ArrayPicker picker(call.rows);
    std::unordered_map<int64_t, size_t> known;
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t begin = i ? ends[i - 1] : 0;
        if (begin < ends[i])
        {
            known.clear();
            int64_t low = keys[begin];
            int64_t high = low;
            for (size_t j = begin; j < ends[i]; ++j)
            {
                known.try_emplace(keys[j], j);
                low = std::min(low, keys[j]);
                high = std::max(high, keys[j]);
            }
            if (limits)
                high = (*limits)[i];
            if (high >= low)
                picker.check(static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1);
            for (int64_t key = low; key <= high; ++key)
            {
                const auto found = known.find(key);
                numbers.push_back(key);
                picker.pick(found == known.end() ? none : found->second);
                if (key == INT64_MAX)
                    break;
            }
        }
        picker.end_row();
    }
    const ColumnPtr values = picker.finish(pool);
    const auto& array = column_as<ArrayColumn>(values);
    ColumnPtr key_column;
    visit_vector(types.key->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     key_column = map_rows<T>(numbers.size(), [&](size_t i) { return numbers[i]; });
                 });
    return assemble(types, key_column, array.items(), array.offsets());
}

constexpr FunctionSpec kAdd{"mapAdd", "mt mt...", add_type, run_add<false>};
constexpr FunctionSpec kSubtract{"mapSubtract", "mt mt...", add_type, run_add<true>};
constexpr FunctionSpec kSeries{"mapPopulateSeries", "ma [ ai i", series_type, run_series};

} // namespace

void register_map_numbers(ScalarRegistry& registry)
{
    add_all<kAdd, kSubtract, kSeries>(registry);
}

} // namespace basalt
