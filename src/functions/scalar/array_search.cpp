// arrayElement, arrayElementOrNull, has, indexOf, countEqual, hasAll, hasAny, hasSubstr.

#include "functions/scalar/array_items.h"

#include <algorithm>
#include <unordered_set>

namespace basalt
{
namespace
{

TypePtr value_type_of(const TypePtr& type)
{
    return type->is(TypeId::Map) ? type_as<MapType>(type).value() : item_type(type);
}

TypePtr element_type(const TypeCall& call)
{
    if (call.type(0)->is(TypeId::Array) && !strip_wrappers(call.type(1))->is_integer())
        throw_illegal_type(call.name, call.arguments, 1, "integer");
    return value_type_of(call.type(0));
}

TypePtr element_or_null_type(const TypeCall& call)
{
    const TypePtr type = element_type(call);
    return can_be_inside_nullable(remove_low_cardinality(type)) ? make_nullable(type) : type;
}

// For each row the number of the map entry with the row's key, or kNoItem.
RowIndexes find_keys(const ArrayRows& maps, const Call& call)
{
    const auto& entries = column_as<TupleColumn>(maps.items());
    const ColumnPtr& keys = entries.element(0);
    const TypePtr key_type = remove_low_cardinality_deep(type_as<MapType>(call.type(0)).key());
    RowIndexes picked(call.rows, kNoItem);
    const TypePtr wanted_type = remove_low_cardinality_deep(call.type(1));
    if (keys->form() == ColumnForm::String && wanted_type->is(TypeId::String))
    {
        const StringRows names(keys);
        const StringRows wanted(call.column(1));
        for (size_t i = 0; i < call.rows; ++i)
            for (size_t j = maps.begin(i); j < maps.end(i); ++j)
                if (names[j] == wanted[i])
                {
                    picked[i] = static_cast<uint32_t>(j);
                    break;
                }
        return picked;
    }
    const TypePtr common = comparable_type(key_type, wanted_type);
    EqualityIds ids;
    const auto names = ids.add(*to_flat(cast_to(keys, key_type, common, call.context)));
    const auto wanted = ids.add(*flat_as({call.column(1), wanted_type}, common, call.context));
    for (size_t i = 0; i < call.rows; ++i)
        for (size_t j = maps.begin(i); j < maps.end(i); ++j)
            if (names[j] == wanted[i])
            {
                picked[i] = static_cast<uint32_t>(j);
                break;
            }
    return picked;
}

// Texts of one array picked again and again are better named by number. Null when they are not.
ColumnPtr as_dictionary(const ColumnPtr& items, RowIndexes& picked)
{
    if (items->form() != ColumnForm::String || items->size() > picked.size() / 4)
        return nullptr;
    const auto count = static_cast<uint32_t>(items->size());
    bool misses = false;
    for (const uint32_t item : picked)
        misses |= item == kNoItem;
    if (!misses)
        return std::make_shared<DictionaryColumn>(items, std::move(picked));
    MutableColumnPtr with_default = items->clone_empty();
    with_default->append_range(*items, 0, count);
    with_default->append_default();
    for (uint32_t& item : picked)
        item = item == kNoItem ? count : item;
    return std::make_shared<DictionaryColumn>(std::move(with_default), std::move(picked));
}

template <bool kOrNull> ColumnPtr run_element(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    RowIndexes picked;
    ColumnPtr items;
    if (call.type(0)->is(TypeId::Map))
    {
        picked = find_keys(arrays, call);
        items = column_as<TupleColumn>(arrays.items()).element(1);
    }
    else
    {
        items = arrays.items();
        const IntegerRows indexes(call[1]);
        picked.resize(call.rows);
        for (size_t i = 0; i < call.rows; ++i)
        {
            const int64_t index = indexes[i];
            const size_t length = arrays.length(i);
            size_t at = length;
            if (index > 0)
                at = static_cast<size_t>(index) - 1;
            else if (index < 0 && static_cast<uint64_t>(-index) <= length)
                at = length - static_cast<size_t>(-index);
            picked[i] = at < length ? static_cast<uint32_t>(arrays.begin(i) + at) : kNoItem;
        }
    }
    const TypePtr type = value_type_of(call.type(0));
    if (kOrNull && !same_type(type, call.result_type))
        items = to_flat(cast_to(items, type, call.result_type, call.context));
    if (arrays.constant() && call.result_type->physical() == PhysicalType::String)
        if (ColumnPtr result = as_dictionary(items, picked))
            return result;
    return take_or_default(items, call.result_type, std::move(picked));
}

// Numbers of the items of the array and of the value looked for, comparable with each other.
struct Compared
{
    PodVector<uint64_t> items;
    PodVector<uint64_t> wanted; // one, when the value is constant
    size_t stride;
};

Compared compare_values(const Call& call, const ColumnPtr& items, const TypePtr& type)
{
    const TypePtr wanted_type = remove_low_cardinality_deep(call.type(1));
    Compared result;
    EqualityIds ids;
    const bool constant = is_constant_argument(call[1]);
    const ColumnPtr wanted = constant ? call.column(1)->slice(0, 1) : call.column(1);
    // An array of nothing holds only NULLs; a wanted NULL needs a Nullable side.
    const TypePtr common = comparable_type(type, wanted_type);
    const TypePtr physical = common->is(TypeId::Nothing) ? simple_type(TypeId::UInt8) : common;
    if (type->is(TypeId::Nothing))
        result.items.resize(0);
    else
        result.items = ids.add(*to_flat(cast_to(items, type, physical, call.context)));
    result.wanted = ids.add(*to_flat(cast_to(wanted, wanted_type, physical, call.context)));
    result.stride = constant ? 0 : 1;
    return result;
}

template <class T, class F> ColumnPtr search_rows(const Call& call, F&& f)
{
    const ArrayRows arrays(call.column(0));
    ColumnPtr items = arrays.items();
    TypePtr type;
    if (call.type(0)->is(TypeId::Map))
    {
        items = column_as<TupleColumn>(items).element(0);
        type = type_as<MapType>(call.type(0)).key();
    }
    else
        type = item_type(call.type(0));
    if (call.rows == 0)
        return std::make_shared<VectorColumn<T>>();
    const Compared compared = compare_values(call, items, remove_low_cardinality_deep(type));
    return map_rows<T>(call.rows,
                       [&](size_t i)
                       {
                           const uint64_t* data = compared.items.data();
                           return f(data + arrays.begin(i), data + arrays.end(i),
                                    compared.wanted[i * compared.stride]);
                       });
}

ColumnPtr run_has(const Call& call)
{
    return search_rows<uint8_t>(call, [](const uint64_t* begin, const uint64_t* end,
                                         uint64_t wanted)
                                { return std::find(begin, end, wanted) != end; });
}
ColumnPtr run_index_of(const Call& call)
{
    return search_rows<uint64_t>(call,
                                 [](const uint64_t* begin, const uint64_t* end, uint64_t wanted)
                                     -> uint64_t
                                 {
                                     const uint64_t* hit = std::find(begin, end, wanted);
                                     return hit == end ? 0 : static_cast<uint64_t>(hit - begin) + 1;
                                 });
}
ColumnPtr run_count_equal(const Call& call)
{
    return search_rows<uint64_t>(call, [](const uint64_t* begin, const uint64_t* end,
                                          uint64_t wanted)
                                 { return std::count(begin, end, wanted); });
}

template <TypeId kId> TypePtr search_type(const TypeCall& call)
{
    const TypePtr type = call.type(0)->is(TypeId::Map) ? type_as<MapType>(call.type(0)).key()
                                                       : item_type(call.type(0));
    comparable_type(type, call.type(1));
    return simple_type(kId);
}

enum class SetTest
{
    All,
    Any,
    Substr,
};

template <SetTest kTest> ColumnPtr run_set_test(const Call& call)
{
    const ArrayRows wholes(call.column(0));
    const ArrayRows parts(call.column(1));
    const TypePtr whole_type = remove_low_cardinality_deep(item_type(call.type(0)));
    const TypePtr part_type = remove_low_cardinality_deep(item_type(call.type(1)));
    TypePtr common = comparable_type(whole_type, part_type);
    if (common->is(TypeId::Nothing))
        common = simple_type(TypeId::UInt8);
    EqualityIds ids;
    const auto ids_of = [&](const ArrayRows& arrays, const TypePtr& type)
    {
        return type->is(TypeId::Nothing)
                   ? PodVector<uint64_t>()
                   : ids.add(*to_flat(cast_to(arrays.items(), type, common, call.context)));
    };
    const PodVector<uint64_t> whole = ids_of(wholes, whole_type);
    const PodVector<uint64_t> part = ids_of(parts, part_type);
    std::unordered_set<uint64_t> known;
    return map_rows<uint8_t>(
        call.rows,
        [&](size_t i)
        {
            const uint64_t* a = whole.data() + wholes.begin(i);
            const uint64_t* a_end = whole.data() + wholes.end(i);
            const uint64_t* b = part.data() + parts.begin(i);
            const uint64_t* b_end = part.data() + parts.end(i);
            if (kTest == SetTest::Substr)
                return std::search(a, a_end, b, b_end) != a_end || b == b_end;
            const bool small = (a_end - a) * (b_end - b) < 256;
            if (!small)
                known = {a, a_end};
            for (; b != b_end; ++b)
            {
                const bool found = small ? std::find(a, a_end, *b) != a_end : known.count(*b) != 0;
                if (found != (kTest == SetTest::All))
                    return kTest == SetTest::Any;
            }
            return kTest == SetTest::All;
        });
}

TypePtr set_test_type(const TypeCall& call)
{
    comparable_type(item_type(call.type(0)), item_type(call.type(1)));
    return simple_type(TypeId::UInt8);
}

constexpr auto kNumber = search_type<TypeId::UInt64>;
constexpr FunctionSpec kElement{"arrayElement", "am *", element_type, run_element<false>};
constexpr FunctionSpec kElementOrNull{"arrayElementOrNull", "am *", element_or_null_type,
                                      run_element<true>};
constexpr FunctionSpec kHas{"has", "am *", search_type<TypeId::UInt8>, run_has, kKeepNulls};
constexpr FunctionSpec kIndexOf{"indexOf", "a *", kNumber, run_index_of, kKeepNulls};
constexpr FunctionSpec kIndexOfSorted{"indexOfAssumeSorted", "a *", kNumber, run_index_of,
                                      kKeepNulls};
constexpr FunctionSpec kCountEqual{"countEqual", "a *", kNumber, run_count_equal, kKeepNulls};
constexpr FunctionSpec kHasAll{"hasAll", "a a", set_test_type, run_set_test<SetTest::All>};
constexpr FunctionSpec kHasAny{"hasAny", "a a", set_test_type, run_set_test<SetTest::Any>};
constexpr FunctionSpec kHasSubstr{"hasSubstr", "a a", set_test_type,
                                  run_set_test<SetTest::Substr>};

} // namespace

void register_array_search(ScalarRegistry& registry)
{
    add_all<kElement, kElementOrNull, kHas, kIndexOf, kIndexOfSorted, kCountEqual, kHasAll,
            kHasAny, kHasSubstr>(registry);
}

} // namespace basalt
