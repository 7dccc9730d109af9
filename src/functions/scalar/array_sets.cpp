// arrayDistinct, arrayUniq, arrayEnumerate*, arrayCompact, arrayIntersect, arrayUnion,
// arrayExcept, arraySymmetricDifference, arrayJaccardIndex, arrayLevenshteinDistance.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

namespace basalt
{
namespace
{

// Ids of the items of each array argument, comparable between the arguments.
struct ArraySet
{
    std::vector<ArrayRows> arrays;
    std::vector<ColumnPtr> owners;
    std::vector<ColumnPtr> items; // of the common type, flat
    std::vector<PodVector<uint64_t>> ids;
    TypePtr common;

    explicit ArraySet(const Call& call) : ArraySet(call, nullptr) {}
    ArraySet(const Call& call, TypePtr type) : common(std::move(type))
    {
        if (!common)
        {
            Types types;
            for (const Argument& argument : call.arguments)
                types.push_back(remove_low_cardinality_deep(item_type(argument.type)));
            common = common_type(types);
        }
        EqualityIds numbers;
        for (const Argument& argument : call.arguments)
        {
            owners.push_back(argument.column);
            arrays.emplace_back(argument.column);
            const TypePtr from = remove_low_cardinality_deep(item_type(argument.type));
            items.push_back(to_flat(cast_to(arrays.back().items(), from, common, call.context)));
            ids.push_back(numbers.add(*items.back()));
        }
    }
};

// For functions of arrays of equal length, which look at the tuples of their items: one number per
// tuple.
PodVector<uint64_t> tuple_ids(const Call& call, std::vector<ArrayRows>& arrays, Columns& owners)
{
    for (const Argument& argument : call.arguments)
    {
        owners.push_back(to_flat(argument.column));
        arrays.emplace_back(owners.back());
    }
    check_equal_lengths(call.name, arrays, call.rows);
    if (arrays.size() == 1)
    {
        EqualityIds ids;
        return ids.add(*arrays[0].items());
    }
    Columns elements;
    for (const ArrayRows& array : arrays)
        elements.push_back(array.items());
    EqualityIds ids;
    return ids.add(*TupleColumn::make(elements, elements[0]->size()));
}

TypePtr distinct_type(const TypeCall& call)
{
    return array_of(remove_nullable(item_type(call.type(0))));
}

ColumnPtr run_distinct(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    EqualityIds numbers;
    const PodVector<uint64_t> ids = numbers.add(*arrays.items());
    const uint8_t* nulls = null_map_of(*arrays.items());
    std::unordered_set<uint64_t> seen;
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        seen.clear();
        for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
            if (!(nulls && nulls[j]) && seen.insert(ids[j]).second)
                out.pick(j);
        out.end_row();
    }
    return out.finish(nulls ? *column_as<NullableColumn>(arrays.items()).nested()
                            : *arrays.items());
}

ColumnPtr run_uniq(const Call& call)
{
    std::vector<ArrayRows> arrays;
    Columns owners;
    const PodVector<uint64_t> ids = tuple_ids(call, arrays, owners);
    std::unordered_set<uint64_t> seen;
    return map_rows<uint32_t>(call.rows,
                              [&](size_t i)
                              {
                                  seen.clear();
                                  for (size_t j = arrays[0].begin(i); j < arrays[0].end(i); ++j)
                                      seen.insert(ids[j]);
                                  return seen.size();
                              });
}

ColumnPtr run_enumerate(const Call& call)
{
    const ColumnPtr column = to_flat(call.column(0));
    const ArrayRows arrays(column);
    auto items = std::make_shared<VectorColumn<uint32_t>>(arrays.items()->size());
    for (size_t i = 0; i < call.rows; ++i)
        for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
            items->data()[j] = static_cast<uint32_t>(j - arrays.begin(i) + 1);
    return ArrayColumn::make(items, arrays.array().offsets_column());
}

// kDense: numbers of distinct values in order of appearance; else how often the value was seen.
template <bool kDense> ColumnPtr run_enumerate_values(const Call& call)
{
    std::vector<ArrayRows> arrays;
    Columns owners;
    const PodVector<uint64_t> ids = tuple_ids(call, arrays, owners);
    auto items = std::make_shared<VectorColumn<uint32_t>>(ids.size());
    std::unordered_map<uint64_t, uint32_t> seen;
    for (size_t i = 0; i < call.rows; ++i)
    {
        seen.clear();
        for (size_t j = arrays[0].begin(i); j < arrays[0].end(i); ++j)
        {
            if (kDense)
                items->data()[j] =
                    seen.try_emplace(ids[j], static_cast<uint32_t>(seen.size() + 1)).first->second;
            else
                items->data()[j] = ++seen[ids[j]];
        }
    }
    return ArrayColumn::make(items, arrays[0].array().offsets_column());
}

TypePtr set_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
        types.push_back(item_type(argument.type));
    return array_of(common_type(types));
}

// Of the numbers, the smallest type's: an item of all arrays fits the narrowest of them.
TypePtr intersect_type(const TypeCall& call)
{
    Types types;
    bool nullable = true;
    TypePtr narrowest;
    bool all_integers = true;
    for (const Argument& argument : call.arguments)
    {
        const TypePtr type = item_type(argument.type);
        if (type->is(TypeId::Nothing))
            return array_of(type);
        nullable = nullable && type->is_nullable();
        const TypePtr plain = remove_nullable(remove_low_cardinality(type));
        types.push_back(plain);
        all_integers = all_integers && plain->is_integer();
        if (all_integers && (!narrowest || plain->id() < narrowest->id()))
            narrowest = plain;
    }
    TypePtr result = all_integers ? narrowest : common_type(types);
    if (!all_integers)
        for (const TypePtr& type : types)
            if (!same_type(type, result) && type->is_number() && type->is_integer())
                result = type;
    return array_of(nullable ? make_nullable(result) : result);
}

ColumnPtr run_intersect(const Call& call)
{
    const TypePtr& result_item = item_type(call.result_type);
    if (result_item->is(TypeId::Nothing))
    {
        auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows, 0);
        return ArrayColumn::make(result_item->create_column(), offsets);
    }
    TypePtr common = remove_low_cardinality_deep(item_type(call.type(0)));
    for (size_t a = 1; a < call.size(); ++a)
        common = comparable_type(common, item_type(call.type(a)));
    const ArraySet set(call, common);
    ArrayPicker out(call.rows);
    std::unordered_map<uint64_t, size_t> counts;
    for (size_t i = 0; i < call.rows; ++i)
    {
        counts.clear();
        const auto& first = set.arrays[0];
        for (size_t j = first.begin(i); j < first.end(i); ++j)
            counts[set.ids[0][j]] = 1;
        for (size_t a = 1; a < set.arrays.size(); ++a)
            for (size_t j = set.arrays[a].begin(i); j < set.arrays[a].end(i); ++j)
                if (const auto found = counts.find(set.ids[a][j]);
                    found != counts.end() && found->second == a)
                    found->second = a + 1;
        for (size_t j = first.begin(i); j < first.end(i); ++j)
        {
            size_t& count = counts[set.ids[0][j]];
            if (count == set.arrays.size())
            {
                out.pick(j);
                count = 0;
            }
        }
        out.end_row();
    }
    const ColumnPtr picked = out.finish(*set.items[0]);
    return cast_to(picked, array_of(set.common), call.result_type, call.context);
}

// Items that are in any array, or in some but not in all of them.
template <bool kSymmetric> ColumnPtr run_union(const Call& call)
{
    const ArraySet set(call, remove_low_cardinality_deep(item_type(call.result_type)));
    ItemPool pool(set.common);
    std::vector<size_t> bases;
    for (const ColumnPtr& items : set.items)
        bases.push_back(pool.add(*items));
    ArrayPicker out(call.rows);
    std::unordered_map<uint64_t, size_t> counts; // in how many arrays
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i < call.rows; ++i)
    {
        counts.clear();
        order.clear();
        for (size_t a = 0; a < set.arrays.size(); ++a)
        {
            std::unordered_set<uint64_t> here;
            for (size_t j = set.arrays[a].begin(i); j < set.arrays[a].end(i); ++j)
            {
                const uint64_t id = set.ids[a][j];
                if (!here.insert(id).second)
                    continue;
                if (++counts[id] == 1)
                    order.emplace_back(id, bases[a] + j);
            }
        }
        for (const auto& [id, item] : order)
            if (!kSymmetric || counts[id] < set.arrays.size())
                out.pick(item);
        out.end_row();
    }
    return out.finish(pool);
}

ColumnPtr run_except(const Call& call)
{
    const TypePtr common = comparable_type(item_type(call.type(0)), item_type(call.type(1)));
    const ArraySet set(call, common);
    ArrayPicker out(call.rows);
    std::unordered_set<uint64_t> dropped;
    for (size_t i = 0; i < call.rows; ++i)
    {
        dropped.clear();
        for (size_t j = set.arrays[1].begin(i); j < set.arrays[1].end(i); ++j)
            dropped.insert(set.ids[1][j]);
        for (size_t j = set.arrays[0].begin(i); j < set.arrays[0].end(i); ++j)
            if (!dropped.count(set.ids[0][j]))
                out.pick(j);
        out.end_row();
    }
    return out.finish(*set.arrays[0].items());
}

ColumnPtr run_compact(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    EqualityIds numbers;
    const PodVector<uint64_t> ids = numbers.add(*arrays.items());
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
            if (j == arrays.begin(i) || ids[j] != ids[j - 1])
                out.pick(j);
        out.end_row();
    }
    return out.finish(*arrays.items());
}

ColumnPtr run_jaccard(const Call& call)
{
    const ArraySet set(call);
    return map_rows<double>(
        call.rows,
        [&](size_t i)
        {
            const auto row_set = [&](size_t a)
            {
                return std::unordered_set<uint64_t>(set.ids[a].data() + set.arrays[a].begin(i),
                                                    set.ids[a].data() + set.arrays[a].end(i));
            };
            const auto left = row_set(0);
            const auto right = row_set(1);
            size_t both = 0;
            for (const uint64_t id : left)
                both += right.count(id);
            return static_cast<double>(both) /
                   static_cast<double>(left.size() + right.size() - both);
        });
}

ColumnPtr run_levenshtein(const Call& call)
{
    const ArraySet set(call);
    std::vector<uint32_t> row;
    return map_rows<uint32_t>(
        call.rows,
        [&](size_t i)
        {
            const uint64_t* a = set.ids[0].data() + set.arrays[0].begin(i);
            const uint64_t* b = set.ids[1].data() + set.arrays[1].begin(i);
            const size_t m = set.arrays[0].length(i);
            const size_t n = set.arrays[1].length(i);
            row.resize(n + 1);
            for (size_t j = 0; j <= n; ++j)
                row[j] = static_cast<uint32_t>(j);
            for (size_t x = 1; x <= m; ++x)
            {
                uint32_t diagonal = row[0];
                row[0] = static_cast<uint32_t>(x);
                for (size_t j = 1; j <= n; ++j)
                {
                    const uint32_t above = row[j];
                    row[j] = std::min({above + 1, row[j - 1] + 1,
                                       diagonal + uint32_t{a[x - 1] != b[j - 1]}});
                    diagonal = above;
                }
            }
            return row[n];
        });
}

constexpr auto kNumbers = type_is_array_of<TypeId::UInt32>;
constexpr FunctionSpec kDistinct{"arrayDistinct", "a", distinct_type, run_distinct};
constexpr FunctionSpec kUniq{"arrayUniq", "a...", type_is<TypeId::UInt32>, run_uniq};
constexpr FunctionSpec kEnumerate{"arrayEnumerate", "a", kNumbers, run_enumerate};
constexpr FunctionSpec kEnumerateUniq{"arrayEnumerateUniq", "a...", kNumbers,
                                      run_enumerate_values<false>};
constexpr FunctionSpec kEnumerateDense{"arrayEnumerateDense", "a...", kNumbers,
                                       run_enumerate_values<true>};
constexpr FunctionSpec kIntersect{"arrayIntersect", "a...", intersect_type, run_intersect};
constexpr FunctionSpec kUnion{"arrayUnion", "a...", set_type, run_union<false>};
constexpr FunctionSpec kSymmetric{"arraySymmetricDifference", "a...", set_type, run_union<true>};
constexpr FunctionSpec kExcept{"arrayExcept", "a a", type_of_first, run_except};
constexpr FunctionSpec kCompact{"arrayCompact", "a", type_of_first, run_compact};
constexpr FunctionSpec kJaccard{"arrayJaccardIndex", "a a", type_is<TypeId::Float64>, run_jaccard};
constexpr FunctionSpec kLevenshtein{"arrayLevenshteinDistance", "a a", type_is<TypeId::UInt32>,
                                    run_levenshtein};

} // namespace

void register_array_sets(ScalarRegistry& registry)
{
    add_all<kDistinct, kUniq, kEnumerate, kEnumerateUniq, kEnumerateDense, kIntersect, kUnion,
            kSymmetric, kExcept, kCompact, kJaccard, kLevenshtein>(registry);
}

} // namespace basalt
