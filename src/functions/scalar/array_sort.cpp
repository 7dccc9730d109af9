// arraySort, arrayReverseSort, arrayPartialSort, arrayPartialReverseSort.

#include "functions/scalar/higher_order.h"

#include <algorithm>
#include <cmath>

namespace basalt
{
namespace
{

// Orders the item numbers of each row by the mapped values. NULL and NaN go last in both
// directions. Equal items keep their order.
template <bool kDescending, class Less>
void sort_rows_by(const HigherCall& call, RowIndexes& picked, Less less)
{
    for (size_t i = 0; i < call.rows; ++i)
        std::stable_sort(picked.begin() + call.begin(i), picked.begin() + call.end(i), less);
}

template <bool kDescending> RowIndexes sorted_items(const HigherCall& call)
{
    const Column& values = *call.mapped;
    RowIndexes picked(call.first->size());
    for (size_t j = 0; j < picked.size(); ++j)
        picked[j] = static_cast<uint32_t>(j);
    const bool typed =
        values.form() == ColumnForm::Vector &&
        visit_vector(call.mapped_type->physical(),
                     [&](auto tag)
                     {
                         using T = decltype(tag);
                         const T* data = column_as<VectorColumn<T>>(values).data().data();
                         sort_rows_by<kDescending>(
                             call, picked,
                             [data](uint32_t a, uint32_t b)
                             {
                                 if constexpr (std::is_floating_point_v<T>)
                                     if (std::isnan(data[a]) || std::isnan(data[b]))
                                         return !std::isnan(data[a]) && std::isnan(data[b]);
                                 return kDescending ? data[b] < data[a] : data[a] < data[b];
                             });
                     });
    if (typed)
        return picked;
    if (values.form() == ColumnForm::String)
    {
        const StringRows texts(values);
        sort_rows_by<kDescending>(call, picked,
                                  [&](uint32_t a, uint32_t b)
                                  { return kDescending ? texts[b] < texts[a] : texts[a] < texts[b]; });
        return picked;
    }
    sort_rows_by<kDescending>(call, picked,
                              [&](uint32_t a, uint32_t b)
                              {
                                  if (kDescending)
                                      return values.compare_at(b, values, a, -1) < 0;
                                  return values.compare_at(a, values, b, 1) < 0;
                              });
    return picked;
}

TypePtr sort_type(const HigherTypes& types)
{
    return array_of(types.first);
}

template <bool kDescending> ColumnPtr run_sort(const HigherCall& call)
{
    return ArrayColumn::make(call.first->take(sorted_items<kDescending>(call)),
                             call.offsets_column);
}

constexpr HigherSpec kSort{"arraySort", sort_type, run_sort<false>};
constexpr HigherSpec kReverseSort{"arrayReverseSort", sort_type, run_sort<true>};
// Only the first items need be in order; all are.
constexpr HigherSpec kPartial{"arrayPartialSort", sort_type, run_sort<false>, false, 1};
constexpr HigherSpec kPartialReverse{"arrayPartialReverseSort", sort_type, run_sort<true>, false,
                                     1};

} // namespace

void register_array_sort(ScalarRegistry& registry)
{
    add_all_higher<kSort, kReverseSort, kPartial, kPartialReverse>(registry);
}

} // namespace basalt
