// arrayMap, arrayFilter, arrayExists, arrayAll, arrayCount, arrayFirst…, arrayFill, arraySplit,
// arrayFold.

#include "functions/scalar/higher_order.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

Mask mask_of(const HigherCall& call)
{
    const TypePtr plain = strip_wrappers(call.mapped_type);
    if (plain->is(TypeId::Nothing))
        return Mask(call.mapped->size(), 0);
    return condition_mask(call.mapped, call.mapped_type);
}

TypePtr map_type(const HigherTypes& types)
{
    return array_of(types.mapped);
}
ColumnPtr run_map(const HigherCall& call)
{
    return ArrayColumn::make(call.mapped, call.offsets_column);
}

TypePtr same_array(const HigherTypes& types)
{
    return array_of(types.first);
}

ColumnPtr run_filter(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    PodVector<uint64_t> offsets(call.rows);
    uint64_t kept = 0;
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = call.begin(i); j < call.end(i); ++j)
            kept += mask[j] != 0;
        offsets[i] = kept;
    }
    return make_array(call.first->filter(mask, kept), std::move(offsets));
}

template <TypeId kId> TypePtr higher_type(const HigherTypes&)
{
    return simple_type(kId);
}

ColumnPtr run_count(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    return map_rows<uint32_t>(call.rows,
                              [&](size_t i)
                              {
                                  uint32_t count = 0;
                                  for (size_t j = call.begin(i); j < call.end(i); ++j)
                                      count += mask[j] != 0;
                                  return count;
                              });
}

// The number of the first (last) item that meets the condition; the row's end when none does.
template <bool kFirst> size_t find_item(const HigherCall& call, const Mask& mask, size_t row)
{
    if (kFirst)
    {
        size_t j = call.begin(row);
        while (j < call.end(row) && !mask[j])
            ++j;
        return j;
    }
    for (size_t j = call.end(row); j > call.begin(row); --j)
        if (mask[j - 1])
            return j - 1;
    return call.end(row);
}

ColumnPtr run_exists(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    return map_rows<uint8_t>(call.rows, [&](size_t i)
                             { return find_item<true>(call, mask, i) != call.end(i); });
}

ColumnPtr run_all(const HigherCall& call)
{
    Mask mask = mask_of(call);
    for (uint8_t& value : mask)
        value = !value;
    return map_rows<uint8_t>(call.rows, [&](size_t i)
                             { return find_item<true>(call, mask, i) == call.end(i); });
}

template <bool kFirst> ColumnPtr run_index(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    return map_rows<uint32_t>(call.rows,
                              [&](size_t i)
                              {
                                  const size_t j = find_item<kFirst>(call, mask, i);
                                  return j == call.end(i) ? 0 : j - call.begin(i) + 1;
                              });
}

TypePtr first_type(const HigherTypes& types)
{
    return types.first;
}
TypePtr first_or_null_type(const HigherTypes& types)
{
    if (!can_be_inside_nullable(remove_low_cardinality(remove_nullable(types.first))))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Function {} cannot give NULL of type {}", types.name,
                                types.first->name()));
    return make_nullable(types.first);
}

template <bool kFirst> ColumnPtr run_first(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    RowIndexes picked(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t j = find_item<kFirst>(call, mask, i);
        picked[i] = j == call.end(i) ? kNoItem : static_cast<uint32_t>(j);
    }
    const ColumnPtr items =
        to_flat(cast_to(call.first, call.first_type, call.result_type, call.context));
    return take_or_default(items, call.result_type, std::move(picked));
}

template <bool kReverse> ColumnPtr run_fill(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    RowIndexes picked(call.first->size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t begin = call.begin(i);
        const size_t end = call.end(i);
        for (size_t n = 0; n < end - begin; ++n)
        {
            const size_t j = kReverse ? end - 1 - n : begin + n;
            picked[j] = mask[j] || n == 0 ? static_cast<uint32_t>(j)
                                          : picked[kReverse ? j + 1 : j - 1];
        }
    }
    return ArrayColumn::make(call.first->take(picked), call.offsets_column);
}

TypePtr split_type(const HigherTypes& types)
{
    return array_of(array_of(types.first));
}

template <bool kReverse> ColumnPtr run_split(const HigherCall& call)
{
    const Mask mask = mask_of(call);
    PodVector<uint64_t> inner;
    PodVector<uint64_t> outer(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t begin = call.begin(i);
        const size_t end = call.end(i);
        for (size_t j = begin; j < end; ++j)
        {
            const bool cut_after = j + 1 == end || (kReverse ? mask[j] != 0 : mask[j + 1] != 0);
            if (cut_after)
                inner.push_back(j + 1);
        }
        outer[i] = inner.size();
    }
    return make_array(make_array(call.first, std::move(inner)), std::move(outer));
}

// arrayFold(acc, x… -> …, array…, initial): one step of all rows at a time, over the rows whose
// arrays are long enough.
class FoldFunction final : public ScalarFunction
{
public:
    const std::string& name() const override
    {
        static const std::string kName = "arrayFold";
        return kName;
    }
    bool takes_lambda() const override { return true; }
    std::vector<Types> lambda_argument_types(const Arguments& arguments) const override
    {
        check_count(arguments);
        Types types{arguments.back().type};
        for (size_t i = 1; i + 1 < arguments.size(); ++i)
        {
            if (!arguments[i].type->is(TypeId::Array))
                throw_illegal_type(name(), arguments, i, "Array");
            types.push_back(item_type(arguments[i].type));
        }
        return {types};
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_count(arguments);
        if (!arguments[0].type->is(TypeId::Function))
            throw_illegal_type(name(), arguments, 0, "a lambda");
        const TypePtr& result = type_as<FunctionType>(arguments[0].type).result();
        if (!same_type(result, arguments.back().type))
            throw Error(error_codes::TYPE_MISMATCH,
                        fmt::format("The lambda of arrayFold gives {}, but the accumulator is {}",
                                    result->name(), arguments.back().type->name()));
        return result;
    }
    bool default_nulls() const override { return false; }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext&) const override
    {
        const auto& lambda = column_as<LambdaColumn>(arguments[0].column);
        std::vector<ArrayRows> arrays;
        for (size_t i = 1; i + 1 < arguments.size(); ++i)
            arrays.emplace_back(arguments[i].column);
        check_equal_lengths(name(), arrays, rows);
        ColumnPtr state = to_flat(arguments.back().column);
        for (size_t step = 0;; ++step)
        {
            // Row i takes part once when its array has an item number `step`.
            PodVector<uint64_t> offsets(rows);
            std::vector<RowIndexes> picked(arrays.size());
            RowIndexes active;
            for (size_t i = 0; i < rows; ++i)
            {
                if (arrays[0].length(i) > step)
                {
                    active.push_back(static_cast<uint32_t>(i));
                    for (size_t a = 0; a < arrays.size(); ++a)
                        picked[a].push_back(static_cast<uint32_t>(arrays[a].begin(i) + step));
                }
                offsets[i] = active.size();
            }
            if (active.empty())
                return state;
            Columns parameters{state->take(active)};
            for (size_t a = 0; a < arrays.size(); ++a)
                parameters.push_back(arrays[a].items()->take(picked[a]));
            const ColumnPtr next = to_flat(lambda.apply(parameters, offsets));
            if (active.size() == rows)
            {
                state = next;
                continue;
            }
            ItemPool pool(result_type);
            pool.add(*state);
            const size_t first = pool.add(*next);
            RowIndexes merged(rows);
            for (size_t i = 0; i < rows; ++i)
                merged[i] = static_cast<uint32_t>(i);
            for (size_t n = 0; n < active.size(); ++n)
                merged[active[n]] = static_cast<uint32_t>(first + n);
            state = pool.take(merged);
        }
    }

private:
    void check_count(const Arguments& arguments) const
    {
        if (arguments.size() < 3)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Function arrayFold needs a lambda, at least one array and an accumulator");
    }
};

constexpr HigherSpec kMap{"arrayMap", map_type, run_map, true};
constexpr HigherSpec kFilter{"arrayFilter", same_array, run_filter, true, 0, true};
constexpr auto kFlag = higher_type<TypeId::UInt8>;
constexpr auto kNumber = higher_type<TypeId::UInt32>;
constexpr HigherSpec kCount{"arrayCount", kNumber, run_count, false, 0, true};
constexpr HigherSpec kExists{"arrayExists", kFlag, run_exists, false, 0, true};
constexpr HigherSpec kAll{"arrayAll", kFlag, run_all, false, 0, true};
constexpr HigherSpec kFirstIndex{"arrayFirstIndex", kNumber, run_index<true>, true, 0, true};
constexpr HigherSpec kLastIndex{"arrayLastIndex", kNumber, run_index<false>, true, 0, true};
constexpr HigherSpec kFirst{"arrayFirst", first_type, run_first<true>, true, 0, true};
constexpr HigherSpec kLast{"arrayLast", first_type, run_first<false>, true, 0, true};
constexpr HigherSpec kFirstOrNull{"arrayFirstOrNull", first_or_null_type, run_first<true>, true,
                                  0, true};
constexpr HigherSpec kLastOrNull{"arrayLastOrNull", first_or_null_type, run_first<false>, true, 0,
                                 true};
constexpr HigherSpec kFill{"arrayFill", same_array, run_fill<false>, true, 0, true};
constexpr HigherSpec kReverseFill{"arrayReverseFill", same_array, run_fill<true>, true, 0, true};
constexpr HigherSpec kSplit{"arraySplit", split_type, run_split<false>, true, 0, true};
constexpr HigherSpec kReverseSplit{"arrayReverseSplit", split_type, run_split<true>, true, 0,
                                   true};

} // namespace

void register_array_lambda(ScalarRegistry& registry)
{
    add_all_higher<kMap, kFilter, kCount, kExists, kAll, kFirstIndex, kLastIndex, kFirst, kLast,
                   kFirstOrNull, kLastOrNull, kFill, kReverseFill, kSplit, kReverseSplit>(
        registry);
    registry.add("arrayFold", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<FoldFunction>(); });
}

} // namespace basalt
