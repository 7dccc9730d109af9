// arraySort, arrayReverseSort, arrayPartialSort, arrayPartialReverseSort, arrayTopK, arrayBottomK.

#include "functions/scalar/higher_order.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace basalt
{
namespace
{

// How many items of each row need be in order: its own limit, or all.
class Limits
{
public:
    Limits(const HigherCall& call, bool partial)
    {
        if (partial)
            limits_.emplace(call.arguments[call.fixed_at]);
    }
    size_t of(size_t row, size_t length) const
    {
        if (!limits_ || (*limits_)[row] <= 0)
            return limits_ ? 0 : length;
        return std::min(length, static_cast<size_t>((*limits_)[row]));
    }

private:
    std::optional<IntegerRows> limits_;
};

// The least `limit` items to the front, in order; the rest in the order in which the selection of
// Floyd and Rivest (1975) leaves them, as in ClickHouse.
template <class Less> class PartialSort
{
public:
    PartialSort(uint32_t* items, Less& less) : items_(items), less_(less) {}

    void sort(size_t limit, size_t length)
    {
        if (limit == 0)
            return;
        select(0, static_cast<int64_t>(length) - 1, static_cast<int64_t>(limit) - 1);
        std::sort(items_, items_ + limit, less_);
    }

private:
    static constexpr int64_t kSampled = 600; // longer ranges are narrowed by a sample first

    void select(int64_t left, int64_t right, int64_t k)
    {
        while (right > left)
        {
            if (right - left > kSampled)
            {
                const auto n = static_cast<double>(right - left + 1);
                const auto i = static_cast<double>(k - left + 1);
                const double z = std::log(n);
                const double s = 0.5 * std::exp(2 * z / 3);
                double spread = 0.5 * std::sqrt(z * s * (n - s) / n);
                if (i - n / 2 < 0)
                    spread = -spread;
                const auto at = static_cast<double>(k);
                select(std::max(left, static_cast<int64_t>(at - i * s / n + spread)),
                       std::min(right, static_cast<int64_t>(at + (n - i) * s / n + spread)), k);
            }
            int64_t i = left;
            int64_t j = right;
            const uint32_t pivot = items_[k];
            std::swap(items_[left], items_[k]);
            const bool at_left = less_(pivot, items_[right]);
            if (at_left)
                std::swap(items_[right], items_[left]);
            while (i < j)
            {
                std::swap(items_[i++], items_[j--]);
                while (less_(items_[i], pivot))
                    ++i;
                while (less_(pivot, items_[j]))
                    --j;
            }
            if (at_left)
                std::swap(items_[left], items_[j]);
            else
                std::swap(items_[right], items_[++j]);
            if (j <= k)
                left = j + 1;
            if (k <= j)
                right = j - 1;
        }
    }

    uint32_t* items_;
    Less& less_;
};

// Orders the item numbers of each row by the mapped values. NULL and NaN go last in both
// directions. Equal items keep their order when all are ordered.
template <class Less>
void sort_rows_by(const HigherCall& call, const Limits& limits, RowIndexes& picked, Less less)
{
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto begin = picked.begin() + call.begin(i);
        const auto end = picked.begin() + call.end(i);
        const size_t length = call.end(i) - call.begin(i);
        const size_t limit = limits.of(i, length);
        if (limit == length)
            std::stable_sort(begin, end, less);
        else
            PartialSort<Less>(&*begin, less).sort(limit, length);
    }
}

template <bool kDescending> RowIndexes sorted_items(const HigherCall& call, bool partial)
{
    const Limits limits(call, partial);
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
                         sort_rows_by(
                             call, limits, picked,
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
        sort_rows_by(call, limits, picked,
                     [&](uint32_t a, uint32_t b)
                     { return kDescending ? texts[b] < texts[a] : texts[a] < texts[b]; });
        return picked;
    }
    sort_rows_by(call, limits, picked,
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

template <bool kDescending, bool kPartial> ColumnPtr run_sort(const HigherCall& call)
{
    return ArrayColumn::make(call.first->take(sorted_items<kDescending>(call, kPartial)),
                             call.offsets_column);
}

TypePtr top_type(const HigherTypes& types)
{
    return array_of(remove_nullable(types.first));
}

// The first items of an order, without NULL.
template <bool kDescending> ColumnPtr run_top(const HigherCall& call)
{
    const RowIndexes sorted = sorted_items<kDescending>(call, true);
    const Limits limits(call, true);
    const uint8_t* nulls = null_map_of(*call.mapped);
    const uint8_t* first_nulls = null_map_of(*call.first);
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const size_t begin = call.begin(i);
        const size_t limit = limits.of(i, call.end(i) - begin);
        for (size_t j = begin; j < begin + limit; ++j)
            if (!(nulls && nulls[sorted[j]]) && !(first_nulls && first_nulls[sorted[j]]))
                out.pick(sorted[j]);
        out.end_row();
    }
    return out.finish(first_nulls ? *column_as<NullableColumn>(call.first).nested() : *call.first);
}

constexpr HigherSpec kSort{"arraySort", sort_type, run_sort<false, false>};
constexpr HigherSpec kReverseSort{"arrayReverseSort", sort_type, run_sort<true, false>};
constexpr HigherSpec kPartial{"arrayPartialSort", sort_type, run_sort<false, true>, false, 1};
constexpr HigherSpec kTop{"arrayTopK", top_type, run_top<true>, false, 1};
constexpr HigherSpec kBottom{"arrayBottomK", top_type, run_top<false>, false, 1};
constexpr HigherSpec kPartialReverse{"arrayPartialReverseSort", sort_type, run_sort<true, true>,
                                     false, 1};

} // namespace

void register_array_sort(ScalarRegistry& registry)
{
    add_all_higher<kSort, kReverseSort, kPartial, kPartialReverse, kTop, kBottom>(registry);
}

} // namespace basalt
