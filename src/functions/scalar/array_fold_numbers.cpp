// arraySum, arrayAvg, arrayMin, arrayMax, arrayProduct, arrayCumSum*, arrayDifference,
// arrayDotProduct.

#include "functions/scalar/higher_order.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

[[noreturn]] void wrong_type(const HigherTypes& types)
{
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Function {} cannot work on items of type {}", types.name,
                            types.mapped->name()));
}

TypePtr sum_type(const HigherTypes& types)
{
    const TypePtr& type = types.mapped;
    switch (type->id())
    {
        case TypeId::UInt128:
        case TypeId::Int128:
        case TypeId::UInt256:
        case TypeId::Int256: return type;
        default: break;
    }
    if (type->is_decimal())
    {
        const auto& decimal = type_as<DecimalType>(type);
        return std::make_shared<DecimalType>(type->is(TypeId::Decimal256) ? 76 : 38,
                                             decimal.scale());
    }
    if (type->is_float())
        return simple_type(TypeId::Float64);
    if (type->is_integer())
        return simple_type(type->is_unsigned() ? TypeId::UInt64 : TypeId::Int64);
    wrong_type(types);
}

TypePtr float_type(const HigherTypes& types)
{
    if (!types.mapped->is_number())
        wrong_type(types);
    if (types.mapped->is_decimal() && types.name == "arrayAvg")
        return simple_type(TypeId::Float64);
    return simple_type(TypeId::Float64);
}

TypePtr cum_sum_type(const HigherTypes& types)
{
    return array_of(sum_type(types));
}

// Calls f(source data, result tag) with the C++ types of items and sums.
template <class F> void visit_sum(const HigherCall& call, const TypePtr& to, F&& f)
{
    visit_vector(call.mapped_type->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     const T* data = column_as<VectorColumn<T>>(call.mapped).data().data();
                     visit_vector(to->physical(),
                                  [&](auto to_tag)
                                  {
                                      using S = decltype(to_tag);
                                      if constexpr (sizeof(S) >= 8 && sizeof(S) >= sizeof(T))
                                          f(data, to_tag);
                                      else
                                          BASALT_ASSERT(false && "sums are not narrower");
                                  });
                 });
}

ColumnPtr run_sum(const HigherCall& call)
{
    ColumnPtr result;
    visit_sum(call, call.result_type,
              [&](auto* data, auto tag)
              {
                  using S = decltype(tag);
                  result = map_rows<S>(call.rows,
                                       [&](size_t i)
                                       {
                                           S sum(0);
                                           for (size_t j = call.begin(i); j < call.end(i); ++j)
                                               sum += static_cast<S>(data[j]);
                                           return sum;
                                       });
              });
    return result;
}

template <bool kProduct> ColumnPtr run_float(const HigherCall& call)
{
    const DoubleRows values(call.mapped, call.mapped_type);
    return map_rows<double>(call.rows,
                            [&](size_t i)
                            {
                                const size_t n = call.end(i) - call.begin(i);
                                double total = kProduct ? 1 : 0;
                                for (size_t j = call.begin(i); j < call.end(i); ++j)
                                    total = kProduct ? total * values[j] : total + values[j];
                                if (kProduct)
                                    return total;
                                return n == 0 ? 0.0 : total / static_cast<double>(n);
                            });
}

TypePtr extreme_type(const HigherTypes& types)
{
    return types.mapped;
}

template <bool kMax> ColumnPtr run_extreme(const HigherCall& call)
{
    RowIndexes picked(call.rows, kNoItem);
    const Column& values = *call.mapped;
    const uint8_t* nulls = null_map_of(values);
    const auto scan = [&](auto less)
    {
        for (size_t i = 0; i < call.rows; ++i)
            for (size_t j = call.begin(i); j < call.end(i); ++j)
                if (!(nulls && nulls[j]) &&
                    (picked[i] == kNoItem || (kMax ? less(picked[i], j) : less(j, picked[i]))))
                    picked[i] = static_cast<uint32_t>(j);
    };
    const bool typed =
        !nulls && visit_vector(call.mapped_type->physical(),
                               [&](auto tag)
                               {
                                   using T = decltype(tag);
                                   const T* data =
                                       column_as<VectorColumn<T>>(values).data().data();
                                   scan([&](size_t a, size_t b) { return data[a] < data[b]; });
                               });
    if (!typed)
        scan([&](size_t a, size_t b) { return values.compare_at(a, values, b, 1) < 0; });
    return take_or_default(call.mapped, call.result_type, std::move(picked));
}

template <bool kNonNegative> ColumnPtr run_cum_sum(const HigherCall& call)
{
    ColumnPtr items;
    visit_sum(call, item_type(call.result_type),
              [&](auto* data, auto tag)
              {
                  using S = decltype(tag);
                  auto sums = std::make_shared<VectorColumn<S>>(call.mapped->size());
                  for (size_t i = 0; i < call.rows; ++i)
                  {
                      S sum(0);
                      for (size_t j = call.begin(i); j < call.end(i); ++j)
                      {
                          sum += static_cast<S>(data[j]);
                          if (kNonNegative && sum < S(0))
                              sum = S(0);
                          sums->data()[j] = sum;
                      }
                  }
                  items = sums;
              });
    return ArrayColumn::make(items, call.offsets_column);
}

TypePtr difference_type(const HigherTypes& types)
{
    switch (types.mapped->id())
    {
        case TypeId::Bool:
        case TypeId::UInt8:
        case TypeId::Int8: return array_of(simple_type(TypeId::Int16));
        case TypeId::UInt16:
        case TypeId::Int16: return array_of(simple_type(TypeId::Int32));
        case TypeId::UInt32:
        case TypeId::Int32:
        case TypeId::UInt64:
        case TypeId::Int64: return array_of(simple_type(TypeId::Int64));
        case TypeId::UInt128:
        case TypeId::Int128: return array_of(simple_type(TypeId::Int128));
        case TypeId::UInt256:
        case TypeId::Int256: return array_of(simple_type(TypeId::Int256));
        case TypeId::Float32:
        case TypeId::Float64: return array_of(simple_type(TypeId::Float64));
        case TypeId::Date: return array_of(simple_type(TypeId::Int32));
        case TypeId::DateTime: return array_of(simple_type(TypeId::Int64));
        default:
            if (types.mapped->is_decimal())
                return array_of(types.mapped);
            wrong_type(types);
    }
}

ColumnPtr run_difference(const HigherCall& call)
{
    ColumnPtr items;
    visit_vector(
        call.mapped_type->physical(),
        [&](auto tag)
        {
            using T = decltype(tag);
            const T* data = column_as<VectorColumn<T>>(call.mapped).data().data();
            visit_vector(item_type(call.result_type)->physical(),
                         [&](auto to_tag)
                         {
                             using S = decltype(to_tag);
                             if constexpr (sizeof(S) >= sizeof(T))
                             {
                                 auto result =
                                     std::make_shared<VectorColumn<S>>(call.mapped->size());
                                 for (size_t i = 0; i < call.rows; ++i)
                                     for (size_t j = call.begin(i); j < call.end(i); ++j)
                                         result->data()[j] =
                                             j == call.begin(i)
                                                 ? S(0)
                                                 : static_cast<S>(static_cast<S>(data[j]) -
                                                                  static_cast<S>(data[j - 1]));
                                 items = result;
                             }
                         });
        });
    return ArrayColumn::make(items, call.offsets_column);
}

constexpr HigherSpec kSum{"arraySum", sum_type, run_sum};
constexpr HigherSpec kAvg{"arrayAvg", float_type, run_float<false>};
constexpr HigherSpec kProduct{"arrayProduct", float_type, run_float<true>};
constexpr HigherSpec kMin{"arrayMin", extreme_type, run_extreme<false>};
constexpr HigherSpec kMax{"arrayMax", extreme_type, run_extreme<true>};
constexpr HigherSpec kCumSum{"arrayCumSum", cum_sum_type, run_cum_sum<false>};
constexpr HigherSpec kCumSumNonNegative{"arrayCumSumNonNegative", cum_sum_type,
                                        run_cum_sum<true>};
constexpr HigherSpec kDifference{"arrayDifference", difference_type, run_difference};

} // namespace

void register_array_fold_numbers(ScalarRegistry& registry)
{
    add_all_higher<kSum, kAvg, kProduct, kMin, kMax, kCumSum, kCumSumNonNegative, kDifference>(
        registry);
}

} // namespace basalt
