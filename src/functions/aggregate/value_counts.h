#pragma once

// The multiset of values behind the quantile functions. Values stand in a list while they are
// few; then in a table of value -> count, which is exact and small for columns with few distinct
// values. When a sketch is asked for and the distinct values become too many, the table goes over
// to ranges of values: the value as a double, its code with order kept, shifted right until at
// most kMaxRanges distinct codes are left. Which ranges those are depends on the set of values
// alone, not on the order of rows or on how partial states were merged, and each is narrower than
// 1/4096 of its values, so that a rank is off by far less than 0.1 % for values that are spread
// over a few orders of magnitude. Values that come as codes of a dictionary are counted by code.

#include "columns/column.h"
#include "columns/value.h"
#include "functions/aggregate/flat_table.h"
#include "functions/aggregate/state_io.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace basalt
{

inline constexpr size_t kMaxListedValues = 65536;
inline constexpr size_t kMaxRanges = 131072;
// Codes are counted by an array once there are so many values that it is not a waste.
inline constexpr size_t kLeastCountedCodes = 4096;
inline constexpr size_t kMaxCountedCodes = 65536;

// Unsigned code of a double that orders like it.
inline uint64_t double_code(double value)
{
    value += 0.0; // -0 becomes 0
    const auto bits = load<uint64_t>(&value);
    constexpr uint64_t sign = uint64_t{1} << 63;
    return (bits & sign) ? ~bits : bits | sign;
}
inline double double_of_code(uint64_t code)
{
    constexpr uint64_t sign = uint64_t{1} << 63;
    const uint64_t bits = (code & sign) ? code ^ sign : ~code;
    return load<double>(&bits);
}

// The same for a value of any type of up to eight bytes; nothing is lost.
template <class T> inline uint64_t exact_code(T value)
{
    static_assert(sizeof(T) <= 8);
    if constexpr (std::is_floating_point_v<T>)
        return double_code(static_cast<double>(value));
    else if constexpr (std::is_signed_v<T>)
        return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ (uint64_t{1} << 63);
    else
        return static_cast<uint64_t>(value);
}
template <class T> inline T value_of_exact_code(uint64_t code)
{
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(double_of_code(code));
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(static_cast<int64_t>(code ^ (uint64_t{1} << 63)));
    else
        return static_cast<T>(code);
}

// Sorted values with the number of values up to and including each.
struct RankedValues
{
    struct Step
    {
        double low; // of a range; low == high for a single value
        double high;
        uint64_t end; // values up to here
    };
    std::vector<Step> steps;

    uint64_t count() const { return steps.empty() ? 0 : steps.back().end; }

    // The value of rank 0 … count() - 1.
    double at(uint64_t rank) const
    {
        const auto step = std::upper_bound(steps.begin(), steps.end(), rank,
                                           [](uint64_t r, const Step& s) { return r < s.end; });
        if (step->low == step->high)
            return step->low;
        const uint64_t begin = step == steps.begin() ? 0 : (step - 1)->end;
        const double place = (static_cast<double>(rank - begin) + 0.5) /
                             static_cast<double>(step->end - begin);
        return step->low + (step->high - step->low) * place;
    }
    // Between the two nearest ranks: position level * (count - 1), computed `base` higher, which
    // decides the last digit.
    double interpolated(double level, double base = 0) const
    {
        const double position = level * static_cast<double>(count() - 1) + base;
        const double part = position - std::floor(position);
        const auto below = static_cast<uint64_t>(std::floor(position) - base);
        const double low = at(below);
        if (part == 0 || below + 1 >= count())
            return low;
        return low + (at(below + 1) - low) * part;
    }
};

// kSketch: give up exactness past kMaxRanges distinct values; else keep every value.
template <class T, bool kSketch> class ValueCounts
{
public:
    // NaN is left out.
    void add(T value)
    {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value))
                return;
        if (!table_)
        {
            list_.push_back(value);
            if (list_.size() > kMaxListedValues && (kCountable || kSketch))
                to_table();
            return;
        }
        table_->add(code_of(value), 1, kSketch);
    }

    // Counters of the codes of `dictionary` up to `largest`, to be added to; null when the `rows`
    // values that come should rather be added one by one. dictionary: a VectorColumn<T>.
    uint64_t* counters_for(const ColumnPtr& dictionary, size_t rows, uint32_t largest)
    {
        if (!coded_)
        {
            if (list_.size() + rows < kLeastCountedCodes || largest >= kMaxCountedCodes ||
                !kCountable)
                return nullptr;
            coded_ = std::make_unique<Coded>(Coded{dictionary, {}});
        }
        if (coded_->dictionary != dictionary || largest >= kMaxCountedCodes)
            return nullptr;
        if (coded_->counts.size() <= largest)
            coded_->counts.resize_fill(size_t{largest} + 1, 0);
        return coded_->counts.data();
    }

    bool exact() const { return !table_ || table_->shift == 0; }

    void merge(const ValueCounts& other)
    {
        if (other.coded_)
            merge_coded(*other.coded_);
        for (const T value : other.list_)
            add(value);
        if (!other.table_)
            return;
        to_table();
        table_->shift_to(other.table_->shift);
        other.table_->counts.for_each(
            [&](uint64_t code, uint64_t count)
            {
                table_->add_code(table_->shift == other.table_->shift
                                     ? code
                                     : recode(code, other.table_->shift),
                                 count, kSketch);
            });
    }

    uint64_t count() const
    {
        uint64_t total = list_.size();
        if (coded_)
            for (const uint64_t count : coded_->counts)
                total += count;
        if (table_)
            table_->counts.for_each([&](uint64_t, uint64_t count) { total += count; });
        return total;
    }

    RankedValues ranked()
    {
        RankedValues ranked;
        if (coded_ && !table_ && list_.empty() && rank_codes(ranked))
            return ranked;
        forget_codes();
        if (!table_)
        {
            std::sort(list_.begin(), list_.end());
            uint64_t end = 0;
            for (const T value : list_)
            {
                const double number = static_cast<double>(value);
                ranked.steps.push_back({number, number, ++end});
            }
            return ranked;
        }
        uint64_t end = 0;
        for (const auto& item : sorted_table())
        {
            end += item.count;
            ranked.steps.push_back({table_->low_of(item.key), table_->high_of(item.key), end});
        }
        return ranked;
    }

    // Exact form only: the value of each of these ranks (ascending), in T.
    void values_at(const std::vector<uint64_t>& ranks, std::vector<T>& values)
    {
        values.clear();
        forget_codes();
        if (!table_)
        {
            // Few ranks of many values: no need to sort all of them.
            auto begin = list_.begin();
            for (const uint64_t rank : ranks)
            {
                auto at = list_.begin() + rank;
                if (at >= begin)
                    std::nth_element(begin, at, list_.end());
                begin = at + 1;
                values.push_back(*at);
            }
            return;
        }
        uint64_t end = 0;
        size_t next = 0;
        for (const auto& item : sorted_table())
        {
            end += item.count;
            for (; next < ranks.size() && ranks[next] < end; ++next)
                values.push_back(value_of(item.key));
        }
    }

    void write(std::string& out) const
    {
        if (coded_)
        {
            ValueCounts copy;
            copy.merge(*this);
            copy.forget_codes();
            copy.write(out);
            return;
        }
        out += table_ ? static_cast<char>(1 + table_->shift) : '\0';
        if (!table_)
        {
            put_count(out, list_.size());
            out.append(reinterpret_cast<const char*>(list_.data()), list_.size() * sizeof(T));
            return;
        }
        put_count(out, table_->counts.size());
        table_->counts.for_each(
            [&](uint64_t code, uint64_t count)
            {
                put_fixed(out, code);
                put_count(out, count);
            });
    }
    void read(StateReader& in)
    {
        list_ = PodVector<T>();
        table_ = nullptr;
        coded_ = nullptr;
        const auto form = in.fixed<uint8_t>();
        if (form == 0)
        {
            const size_t count = in.count_of(sizeof(T));
            const std::string_view bytes = in.bytes(count * sizeof(T));
            list_.resize(count);
            if (count)
                std::memcpy(static_cast<void*>(list_.data()), bytes.data(), bytes.size());
            return;
        }
        const int shift = form - 1;
        if (shift > kMaxShift || (shift > 0 && !kSketch) || (!kCountable && !kSketch))
            StateReader::corrupted();
        table_ = std::make_unique<Table>();
        table_->shift = std::max(shift, kFirstShift);
        const size_t items = in.count_of(sizeof(uint64_t) + 1);
        for (size_t i = 0; i < items; ++i)
        {
            const auto code = in.fixed<uint64_t>();
            const uint64_t count = in.count();
            if (count == 0)
                StateReader::corrupted();
            table_->add_code(code, count, kSketch);
        }
    }

private:
    // Values of up to eight bytes have codes of their own; wider ones go to doubles at once.
    static constexpr bool kCountable = sizeof(T) <= 8;
    static constexpr int kFirstShift = kCountable ? 0 : 1;
    static constexpr int kMaxShift = 53;

    // shift 0: codes of T. shift s > 0: codes of doubles without their last s - 1 bits.
    struct Table
    {
        FlatCounts<uint64_t> counts;
        int shift = kFirstShift;

        void add(uint64_t exact_code, uint64_t count, bool sketch)
        {
            add_code(shift == 0 ? exact_code : double_code(number_of(exact_code)) >> (shift - 1),
                     count, sketch);
        }
        void add_code(uint64_t code, uint64_t count, bool sketch)
        {
            counts.add(code, count);
            while (sketch && counts.size() > kMaxRanges && shift < kMaxShift)
                shift_to(shift + 1);
        }
        void shift_to(int wanted)
        {
            if (wanted <= shift)
                return;
            const int before = shift;
            shift = wanted;
            FlatCounts<uint64_t> old;
            std::swap(old, counts);
            old.for_each([&](uint64_t code, uint64_t count)
                         { counts.add(recode_from(code, before, wanted), count); });
        }
        double low_of(uint64_t code) const
        {
            return shift == 0 ? number_of(code) : double_of_code(code << (shift - 1));
        }
        double high_of(uint64_t code) const
        {
            if (shift <= 1)
                return low_of(code);
            return double_of_code((code << (shift - 1)) | ((uint64_t{1} << (shift - 1)) - 1));
        }
    };

    struct Coded
    {
        ColumnPtr dictionary;
        PodVector<uint64_t> counts;
    };

    static const PodVector<T>& values_of(const Coded& coded)
    {
        return column_as<VectorColumn<T>>(coded.dictionary).data();
    }
    void add_many(T value, uint64_t count)
    {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value))
                return;
        if (!table_ && list_.size() + count > kMaxListedValues)
            to_table();
        if (table_)
            table_->add(code_of(value), count, kSketch);
        else
            for (uint64_t i = 0; i < count; ++i)
                list_.push_back(value);
    }
    void merge_coded(const Coded& other)
    {
        if (!coded_)
            coded_ = std::make_unique<Coded>(Coded{other.dictionary, {}});
        if (coded_->dictionary == other.dictionary)
        {
            if (coded_->counts.size() < other.counts.size())
                coded_->counts.resize_fill(other.counts.size(), 0);
            for (size_t code = 0; code < other.counts.size(); ++code)
                coded_->counts[code] += other.counts[code];
            return;
        }
        add_values(other);
    }
    void add_values(const Coded& coded)
    {
        for (size_t code = 0; code < coded.counts.size(); ++code)
            if (coded.counts[code])
                add_many(values_of(coded)[code], coded.counts[code]);
    }
    // Counts by code become counts by value.
    void forget_codes()
    {
        if (const auto coded = std::move(coded_))
            add_values(*coded);
    }
    // From the counts by code alone; false when the dictionary is not in order.
    bool rank_codes(RankedValues& ranked) const
    {
        const PodVector<T>& values = values_of(*coded_);
        uint64_t end = 0;
        for (size_t code = 0; code < coded_->counts.size(); ++code)
        {
            const uint64_t count = coded_->counts[code];
            if (count == 0)
                continue;
            const double number = static_cast<double>(values[code]);
            if (std::isnan(number) ||
                (!ranked.steps.empty() && !(ranked.steps.back().low < number)))
            {
                ranked.steps.clear();
                return false;
            }
            end += count;
            ranked.steps.push_back({number, number, end});
        }
        return true;
    }

    static uint64_t recode_from(uint64_t code, int before, int wanted)
    {
        if (before == wanted)
            return code;
        if (before == 0)
            return double_code(number_of(code)) >> (wanted - 1);
        return code >> (wanted - before);
    }
    uint64_t recode(uint64_t code, int before) const
    {
        return recode_from(code, before, table_->shift);
    }

    static uint64_t code_of(T value)
    {
        if constexpr (kCountable)
            return exact_code(value);
        else
            return double_code(static_cast<double>(value));
    }
    static T value_of(uint64_t code)
    {
        if constexpr (kCountable)
            return value_of_exact_code<T>(code);
        else
            return static_cast<T>(double_of_code(code));
    }
    static double number_of(uint64_t code)
    {
        if constexpr (!kCountable)
            return double_of_code(code);
        else
            return static_cast<double>(value_of(code));
    }

    void to_table()
    {
        if (table_)
            return;
        table_ = std::make_unique<Table>();
        PodVector<T> values;
        values.swap(list_);
        for (const T value : values)
            table_->add(code_of(value), 1, kSketch);
    }

    std::vector<typename FlatCounts<uint64_t>::Item> sorted_table() const
    {
        std::vector<typename FlatCounts<uint64_t>::Item> items;
        items.reserve(table_->counts.size());
        table_->counts.for_each([&](uint64_t code, uint64_t count)
                                { items.push_back({code, count}); });
        std::sort(items.begin(), items.end(),
                  [](const auto& a, const auto& b) { return a.key < b.key; });
        return items;
    }

    PodVector<T> list_;
    std::unique_ptr<Table> table_;
    std::unique_ptr<Coded> coded_;
};

} // namespace basalt
