// Sorting row numbers. One key after another: the rows are sorted by the first key, then each
// range of rows that are equal so far by the next. For a key, each row gets a code of 64 bits that
// orders like the value (exactly, or like its first bytes), and pairs (code, row) are sorted: by a
// radix sort of the bytes that differ when there are many. Equal rows are in ascending order in
// every range, so (code, row) order is the stable one.

#include "columns/sort.h"

#include "columns/sort_code.h"

#include <algorithm>
#include <bit>

namespace basalt
{

namespace
{

struct CodedRow
{
    uint64_t code;
    uint32_t row;
};

bool operator<(const CodedRow& a, const CodedRow& b)
{
    return a.code != b.code ? a.code < b.code : a.row < b.row;
}

constexpr size_t kRadixSortRows = 512;
// Ranges this short are sorted by comparing rows by all the keys that are left.
constexpr size_t kInsertionSortRows = 12;

// Least significant byte first, stable; bytes in which no two codes differ are skipped.
void radix_sort(PodVector<CodedRow>& rows, PodVector<CodedRow>& scratch)
{
    uint64_t any = 0;
    uint64_t all = ~uint64_t{0};
    for (const CodedRow& row : rows)
    {
        any |= row.code;
        all &= row.code;
    }
    const uint64_t differing = any ^ all;
    scratch.resize(rows.size());
    for (int shift = 0; shift < 64; shift += 8)
    {
        if (((differing >> shift) & 0xFF) == 0)
            continue;
        uint32_t starts[256] = {};
        for (const CodedRow& row : rows)
            ++starts[(row.code >> shift) & 0xFF];
        uint32_t sum = 0;
        for (uint32_t& start : starts)
        {
            const uint32_t count = start;
            start = sum;
            sum += count;
        }
        for (const CodedRow& row : rows)
            scratch[starts[(row.code >> shift) & 0xFF]++] = row;
        rows.swap(scratch);
    }
}

// One sort key: flat column and direction.
class KeyOrder
{
public:
    KeyOrder(const ColumnPtr& column, const SortKey& key)
        : flat_(basalt::to_flat(column)), nulls_direction_(basalt::nulls_direction(key)),
          descending_(key.descending), nulls_first_(key.nulls_first)
    {
        values_ = flat_.get();
        if (values_->form() == ColumnForm::Nullable)
        {
            nulls_ = &static_cast<const NullableColumn&>(*values_).null_map();
            values_ = static_cast<const NullableColumn&>(*values_).nested().get();
        }
        exact_ = false;
        with_vector_type(*values_, [&](const auto& vector)
                         { exact_ = sizeof(vector.data()[0]) <= sizeof(uint64_t); });
        has_codes_ = values_->form() == ColumnForm::Vector ||
                     values_->form() == ColumnForm::String ||
                     values_->form() == ColumnForm::FixedString;
    }

    bool exact() const { return exact_; }
    bool has_codes() const { return has_codes_; }
    bool nulls_first() const { return nulls_first_; }

    int compare(uint32_t a, uint32_t b) const
    {
        const int order = flat_->compare_at(a, *flat_, b, nulls_direction_);
        return descending_ ? -order : order;
    }

    // Codes of rows[0, n); NULL and NaN rows go to `nulls` instead.
    void encode(const uint32_t* rows, size_t n, PodVector<CodedRow>& coded,
                PodVector<uint32_t>& nulls) const
    {
        coded.clear();
        coded.reserve(n);
        nulls.clear();
        const uint64_t flip = descending_ ? ~uint64_t{0} : 0;
        const auto put = [&](uint32_t row, uint64_t code) { coded.push_back({code ^ flip, row}); };
        if (values_->form() == ColumnForm::String || values_->form() == ColumnForm::FixedString)
        {
            for (size_t i = 0; i < n; ++i)
                if (is_null(rows[i]))
                    nulls.push_back(rows[i]);
                else
                    put(rows[i], text_code(text_at(rows[i])));
            return;
        }
        with_vector_type(
            *values_,
            [&](const auto& vector)
            {
                const auto* values = vector.data().data();
                for (size_t i = 0; i < n; ++i)
                {
                    const uint32_t row = rows[i];
                    const auto value = values[row];
                    using T = std::decay_t<decltype(value)>;
                    bool null = is_null(row);
                    if constexpr (std::is_floating_point_v<T>)
                        null = null || std::isnan(value);
                    if (null)
                        nulls.push_back(row);
                    else if constexpr (sizeof(T) == 32)
                        put(row, order_code(static_cast<UInt128>(0)) ^ high_code(value));
                    else if constexpr (sizeof(T) == 16)
                        put(row, static_cast<uint64_t>(order_code(value) >> 64));
                    else
                        put(row, order_code(value));
                }
            });
    }

private:
    template <bool S> static uint64_t high_code(const WideInt<S>& value)
    {
        return value.limbs[3] ^ (S ? uint64_t{1} << 63 : 0);
    }
    bool is_null(uint32_t row) const { return nulls_ && (*nulls_)[row]; }
    std::string_view text_at(uint32_t row) const
    {
        return values_->form() == ColumnForm::String
                   ? static_cast<const StringColumn&>(*values_).at(row)
                   : static_cast<const FixedStringColumn&>(*values_).at(row);
    }

    ColumnPtr flat_;
    const Column* values_;
    const PodVector<uint8_t>* nulls_ = nullptr;
    int nulls_direction_;
    bool descending_;
    bool nulls_first_;
    bool exact_;
    bool has_codes_;
};

class Sorter
{
public:
    Sorter(const Block& block, const SortKeys& keys)
    {
        for (const SortKey& key : keys)
            if (block[key.column].column->form() != ColumnForm::Constant)
                orders_.emplace_back(ranked(block[key.column].column, key), key);
        scratch_.resize(orders_.size());
    }

    // Sorts rows[0, n), of which only the first `limit` are needed in order.
    void sort(uint32_t* rows, size_t n, size_t limit, size_t level = 0)
    {
        if (n < 2 || level == orders_.size())
            return;
        if (n <= kInsertionSortRows || !orders_[level].has_codes())
            sort_by_comparing(rows, n, limit, level);
        else
            sort_by_codes(rows, n, limit, level);
    }

private:
    // A dictionary sorts by the ranks of its entries when they are fewer than the rows.
    static ColumnPtr ranked(const ColumnPtr& column, const SortKey& key)
    {
        if (column->form() != ColumnForm::Dictionary)
            return column;
        const auto& dictionary = static_cast<const DictionaryColumn&>(*column);
        const size_t entries = dictionary.dictionary()->size();
        if (entries > column->size() / 2)
            return column;
        Block block;
        block.add({dictionary.dictionary(), nullptr, ""});
        // Ranks follow the key's own order of nulls; direction is applied to them afterwards.
        const SortKeys by_entry = {{0, false, key.nulls_first != key.descending}};
        const RowIndexes sorted = sort_rows(block, by_entry);
        auto ranks_of_entries = PodVector<uint32_t>(entries);
        uint32_t rank = 0;
        const Column& values = *dictionary.dictionary();
        for (size_t i = 0; i < entries; ++i)
        {
            if (i && values.compare_at(sorted[i - 1], values, sorted[i], 1) != 0)
                ++rank;
            ranks_of_entries[sorted[i]] = rank;
        }
        auto ranks = std::make_shared<VectorColumn<uint32_t>>(column->size());
        for (size_t i = 0; i < column->size(); ++i)
            ranks->data()[i] = ranks_of_entries[dictionary.codes()[i]];
        return ranks;
    }

    int compare(uint32_t a, uint32_t b, size_t level) const
    {
        for (size_t i = level; i < orders_.size(); ++i)
            if (const int order = orders_[i].compare(a, b))
                return order;
        return 0;
    }

    void sort_by_comparing(uint32_t* rows, size_t n, size_t limit, size_t level)
    {
        if (n <= kInsertionSortRows)
        {
            for (size_t i = 1; i < n; ++i)
            {
                const uint32_t row = rows[i];
                size_t at = i;
                for (; at > 0 && compare(rows[at - 1], row, level) > 0; --at)
                    rows[at] = rows[at - 1];
                rows[at] = row;
            }
            return;
        }
        const auto less = [&](uint32_t a, uint32_t b)
        {
            const int order = compare(a, b, level);
            return order ? order < 0 : a < b;
        };
        if (limit < n)
            std::partial_sort(rows, rows + limit, rows + n, less);
        else
            std::sort(rows, rows + n, less);
    }

    void sort_by_codes(uint32_t* rows, size_t n, size_t limit, size_t level)
    {
        const KeyOrder& order = orders_[level];
        auto& [coded, spare, nulls] = scratch_[level];
        order.encode(rows, n, coded, nulls);
        const bool nulls_first = order.nulls_first();
        const size_t null_count = nulls.size();
        const size_t values_begin = nulls_first ? null_count : 0;
        const size_t nulls_begin = nulls_first ? 0 : coded.size();
        std::copy(nulls.begin(), nulls.end(), rows + nulls_begin);

        size_t kept = coded.size();
        if (values_begin < limit)
        {
            order_codes(coded, spare, limit - values_begin);
            kept = coded.size();
            for (size_t i = 0; i < kept; ++i)
                rows[values_begin + i] = coded[i].row;
            // Of rows past the limit nothing is known and nothing is asked.
            sort_equal_ranges(rows + values_begin, kept, limit - values_begin, level);
        }
        if (nulls_begin < limit)
            sort(rows + nulls_begin, null_count, limit - nulls_begin, level + 1);
    }

    // Sorts the coded rows; with a limit drops those that cannot be among the first `limit`.
    static void order_codes(PodVector<CodedRow>& coded, PodVector<CodedRow>& spare, size_t limit)
    {
        if (limit < coded.size() / 2)
        {
            std::nth_element(coded.begin(), coded.begin() + (limit - 1), coded.end());
            const uint64_t last_code = coded[limit - 1].code;
            size_t kept = 0;
            for (size_t i = 0; i < coded.size(); ++i)
                if (coded[i].code <= last_code)
                    coded[kept++] = coded[i];
            coded.resize(kept);
            std::sort(coded.begin(), coded.end());
            return;
        }
        if (std::is_sorted(coded.begin(), coded.end()))
            return;
        if (coded.size() >= kRadixSortRows)
            radix_sort(coded, spare);
        else
            std::sort(coded.begin(), coded.end());
    }

    void sort_equal_ranges(uint32_t* rows, size_t n, size_t limit, size_t level)
    {
        const bool exact = orders_[level].exact();
        if (exact && level + 1 == orders_.size())
            return;
        // The codes of deeper levels go to their own scratch, so these stay.
        const PodVector<CodedRow>& coded = std::get<0>(scratch_[level]);
        size_t begin = 0;
        while (begin < n && begin < limit)
        {
            size_t end = begin + 1;
            while (end < n && coded[end].code == coded[begin].code)
                ++end;
            if (end - begin > 1)
            {
                if (exact)
                    sort(rows + begin, end - begin, limit - begin, level + 1);
                else
                    sort_same_code(rows + begin, end - begin, limit - begin, level);
            }
            begin = end;
        }
    }

    // Rows whose values begin alike: by the whole value, then ranges of equals by the next keys.
    void sort_same_code(uint32_t* rows, size_t n, size_t limit, size_t level)
    {
        const KeyOrder& order = orders_[level];
        bool all_equal = true;
        for (size_t i = 1; i < n && all_equal; ++i)
            all_equal = order.compare(rows[i - 1], rows[i]) == 0;
        if (all_equal)
        {
            sort(rows, n, limit, level + 1);
            return;
        }
        std::sort(rows, rows + n,
                  [&](uint32_t a, uint32_t b)
                  {
                      const int compared = order.compare(a, b);
                      return compared ? compared < 0 : a < b;
                  });
        if (level + 1 == orders_.size())
            return;
        for (size_t begin = 0; begin < n && begin < limit;)
        {
            size_t end = begin + 1;
            while (end < n && order.compare(rows[begin], rows[end]) == 0)
                ++end;
            sort(rows + begin, end - begin, limit - begin, level + 1);
            begin = end;
        }
    }

    std::vector<KeyOrder> orders_;
    std::vector<std::tuple<PodVector<CodedRow>, PodVector<CodedRow>, PodVector<uint32_t>>> scratch_;
};

} // namespace

RowIndexes sort_rows(const Block& block, const SortKeys& keys, size_t limit)
{
    BASALT_ASSERT(block.rows() <= UINT32_MAX);
    RowIndexes rows(block.rows());
    for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<uint32_t>(i);
    const size_t needed = limit == 0 ? rows.size() : std::min(limit, rows.size());
    if (needed)
        Sorter(block, keys).sort(rows.data(), rows.size(), needed);
    rows.resize(needed);
    return rows;
}

bool is_sorted(const Block& block, const SortKeys& keys)
{
    for (size_t i = 1; i < block.rows(); ++i)
        if (compare_rows(block, i - 1, block, i, keys) > 0)
            return false;
    return true;
}

int compare_rows(const Block& x, size_t a, const Block& y, size_t b, const SortKeys& keys)
{
    for (const SortKey& key : keys)
    {
        const Column& left = *x[key.column].column;
        const Column* right = y[key.column].column.get();
        size_t right_row = b;
        if (right->form() == ColumnForm::Constant)
        {
            right = static_cast<const ConstantColumn*>(right)->nested().get();
            right_row = 0;
        }
        else if (right->form() == ColumnForm::Dictionary)
        {
            const auto* dictionary = static_cast<const DictionaryColumn*>(right);
            right_row = dictionary->codes()[b];
            right = dictionary->dictionary().get();
        }
        const int order = left.compare_at(a, *right, right_row, nulls_direction(key));
        if (order)
            return key.descending ? -order : order;
    }
    return 0;
}

} // namespace basalt
