// K-way merge of sorted blocks. Key by key: the inputs stand in a heap by their heads' first key;
// those that are equal in it are merged by the next keys among themselves up to where the value
// changes, found by galloping. When the keys that are left fit 128 bits they become one code per
// row, and the heap compares codes. What is merged is a list of runs (input, begin, count), from
// which the columns are then made one by one.

#include "columns/merge_runs.h"
#include "columns/sort.h"
#include "columns/sort_code.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kCodeBits = 128;
// A run of this part of a block goes out as a slice of its own, without copying.
constexpr size_t kSliceFraction = 4;

struct Cursor
{
    std::unique_ptr<SortedInput> input;
    Block block;
    uint32_t held = 0; // where Impl::held has the block
    Columns keys; // flat
    PodVector<UInt128> codes;
    size_t at = 0;
    bool ended = false;

    bool block_is_over() const { return at == block.rows(); }
};

// A block that runs may still be taken from.
struct HeldBlock
{
    Block block;
    uint32_t input;
};

struct Range
{
    uint32_t input;
    uint32_t end; // begins where the cursor stands
};

size_t code_bits(const Column& column)
{
    size_t bits = kCodeBits + 1;
    with_vector_type(column, [&](const auto& vector)
                     { bits = std::min(bits, sizeof(vector.data()[0]) * 8); });
    return bits;
}

void add_codes(const Column& column, const SortKey& key, PodVector<UInt128>& codes)
{
    const size_t bits = code_bits(column);
    with_vector_type(
        column,
        [&](const auto& vector)
        {
            using T = typename std::decay_t<decltype(vector)>::value_type;
            if constexpr (sizeof(T) <= 16)
            {
                const auto* values = vector.data().data();
                using Code = decltype(order_code(T()));
                const Code flip = key.descending ? static_cast<Code>(~Code(0)) : Code(0);
                for (size_t i = 0; i < codes.size(); ++i)
                {
                    Code code = static_cast<Code>(order_code(values[i]) ^ flip);
                    if constexpr (std::is_floating_point_v<T>)
                        if (std::isnan(values[i]))
                            code = key.nulls_first ? Code(0) : static_cast<Code>(~Code(0));
                    codes[i] = bits == kCodeBits ? UInt128(code) : codes[i] << bits | code;
                }
            }
        });
}

} // namespace

struct SortedMerge::Impl
{
    std::vector<Cursor> cursors;
    SortKeys keys;
    size_t block_rows;
    bool whole_blocks = false;
    size_t code_level = SIZE_MAX; // keys from here on are in the codes

    std::vector<HeldBlock> held;
    std::vector<MergeRun> pending; // runs not given out yet; their sources are indexes in held
    size_t pending_rows = 0;

    std::vector<MergeRun> last;
    std::vector<uint32_t> last_inputs; // of the runs in last
    PodVector<uint32_t> sources;
    bool sources_ready = true;

    void load(Cursor& cursor)
    {
        while (!cursor.ended && cursor.block_is_over())
        {
            cursor.block = cursor.input->next();
            cursor.at = 0;
            if (cursor.block.rows() == 0)
            {
                cursor.ended = true;
                return;
            }
            cursor.held = static_cast<uint32_t>(held.size());
            held.push_back({cursor.block, static_cast<uint32_t>(&cursor - cursors.data())});
            cursor.keys.clear();
            for (const SortKey& key : keys)
                cursor.keys.push_back(to_flat(cursor.block[key.column].column));
            if (code_level == SIZE_MAX)
                choose_code_level(cursor.keys);
            cursor.codes.assign(code_level < keys.size() ? cursor.block.rows() : 0, 0);
            for (size_t i = code_level; i < keys.size(); ++i)
                add_codes(*cursor.keys[i], keys[i], cursor.codes);
        }
    }

    void choose_code_level(const Columns& key_columns)
    {
        code_level = keys.size();
        size_t bits = 0;
        while (code_level > 0)
        {
            bits += code_bits(*key_columns[code_level - 1]);
            if (bits > kCodeBits)
                break;
            --code_level;
        }
    }

    bool full() const { return pending_rows >= block_rows; }

    // Moves the cursor and notes the run. False when merging must stop here: the output is full or
    // the next row of this input is not known.
    bool emit(uint32_t input, size_t count)
    {
        Cursor& cursor = cursors[input];
        if (!pending.empty() && pending.back().source == cursor.held &&
            pending.back().begin + pending.back().count == cursor.at)
            pending.back().count += static_cast<uint32_t>(count);
        else
            pending.push_back(
                {cursor.held, static_cast<uint32_t>(cursor.at), static_cast<uint32_t>(count)});
        pending_rows += count;
        cursor.at += count;
        return !full() && !cursor.block_is_over();
    }

    int compare_heads(uint32_t a, uint32_t b, size_t level) const
    {
        const Cursor& x = cursors[a];
        const Cursor& y = cursors[b];
        const int order = x.keys[level]->compare_at(x.at, *y.keys[level], y.at,
                                                    nulls_direction(keys[level]));
        return keys[level].descending ? -order : order;
    }

    // Where the value of the key at the cursor ends, at most `end`.
    size_t end_of_value(const Cursor& cursor, size_t end, size_t level) const
    {
        const Column& key = *cursor.keys[level];
        size_t low = cursor.at; // equal here
        size_t step = 1;
        while (low + step < end && key.compare_at(low + step, key, cursor.at, 1) == 0)
        {
            low += step;
            step *= 2;
        }
        size_t high = std::min(low + step, end); // different here, or the end
        while (high - low > 1)
        {
            const size_t middle = low + (high - low) / 2;
            (key.compare_at(middle, key, cursor.at, 1) == 0 ? low : high) = middle;
        }
        return high;
    }

    bool merge(std::vector<Range>& ranges, size_t level)
    {
        if (ranges.size() == 1)
            return emit(ranges[0].input, ranges[0].end - cursors[ranges[0].input].at);
        if (level == keys.size())
        {
            std::sort(ranges.begin(), ranges.end(),
                      [](const Range& a, const Range& b) { return a.input < b.input; });
            for (const Range& range : ranges)
                if (!emit(range.input, range.end - cursors[range.input].at))
                    return false;
            return true;
        }
        if (level == code_level)
            return merge_by_codes(ranges);

        // The heap's top is the least head; std heaps put the greatest there.
        const auto after = [&](const Range& a, const Range& b)
        {
            const int order = compare_heads(a.input, b.input, level);
            return order ? order > 0 : a.input > b.input;
        };
        std::make_heap(ranges.begin(), ranges.end(), after);
        std::vector<Range> equal;
        std::vector<uint32_t> ends;
        while (!ranges.empty())
        {
            equal.clear();
            ends.clear();
            do
            {
                std::pop_heap(ranges.begin(), ranges.end(), after);
                const Range range = ranges.back();
                ranges.pop_back();
                const auto end = static_cast<uint32_t>(
                    end_of_value(cursors[range.input], range.end, level));
                equal.push_back({range.input, end});
                ends.push_back(range.end);
            } while (!ranges.empty() &&
                     compare_heads(equal[0].input, ranges.front().input, level) == 0);
            const std::vector<Range> group = equal;
            if (!merge(equal, level + 1))
                return false;
            for (size_t i = 0; i < group.size(); ++i)
                if (group[i].end < ends[i])
                {
                    ranges.push_back({group[i].input, ends[i]});
                    std::push_heap(ranges.begin(), ranges.end(), after);
                }
        }
        return true;
    }

    struct Head
    {
        UInt128 code;
        uint32_t input;
        uint32_t end;
        bool operator<(const Head& o) const
        {
            return code != o.code ? code < o.code : input < o.input;
        }
    };

    bool merge_by_codes(const std::vector<Range>& ranges)
    {
        std::vector<Head> heap;
        for (const Range& range : ranges)
        {
            const Cursor& cursor = cursors[range.input];
            heap.push_back({cursor.codes[cursor.at], range.input, range.end});
        }
        std::sort(heap.begin(), heap.end());
        while (!heap.empty())
        {
            const Head top = heap[0];
            const Cursor& cursor = cursors[top.input];
            size_t count = top.end - cursor.at;
            if (heap.size() > 1)
            {
                const Head& next = heap.size() > 2 && heap[2] < heap[1] ? heap[2] : heap[1];
                count = rows_before(cursor, top.end, next.code, top.input < next.input);
            }
            const bool range_is_over = cursor.at + count == top.end;
            if (!emit(top.input, count))
                return false;
            if (range_is_over)
            {
                heap[0] = heap.back();
                heap.pop_back();
            }
            else
                heap[0].code = cursor.codes[cursor.at];
            sift_down(heap);
        }
        return true;
    }

    static void sift_down(std::vector<Head>& heap)
    {
        if (heap.empty())
            return;
        const Head moved = heap[0];
        size_t at = 0;
        for (;;)
        {
            size_t child = 2 * at + 1;
            if (child >= heap.size())
                break;
            if (child + 1 < heap.size() && heap[child + 1] < heap[child])
                ++child;
            if (!(heap[child] < moved))
                break;
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moved;
    }

    // Rows from the cursor whose code is below `bound`, or equal to it when `equal_too`.
    static size_t rows_before(const Cursor& cursor, size_t end, UInt128 bound, bool equal_too)
    {
        const UInt128* codes = cursor.codes.data();
        const auto before = [&](size_t row)
        { return equal_too ? codes[row] <= bound : codes[row] < bound; };
        size_t low = cursor.at; // the head itself is before
        size_t step = 1;
        while (low + step < end && before(low + step))
        {
            low += step;
            step *= 2;
        }
        size_t high = std::min(low + step, end);
        while (high - low > 1)
        {
            const size_t middle = low + (high - low) / 2;
            (before(middle) ? low : high) = middle;
        }
        return high - cursor.at;
    }

    // Keeps the blocks of cursors and of pending runs.
    void drop_held()
    {
        constexpr uint32_t kUnused = UINT32_MAX;
        std::vector<uint32_t> places(held.size(), kUnused);
        std::vector<HeldBlock> kept;
        const auto keep = [&](uint32_t& at)
        {
            if (places[at] == kUnused)
            {
                places[at] = static_cast<uint32_t>(kept.size());
                kept.push_back(std::move(held[at]));
            }
            at = places[at];
        };
        for (auto& cursor : cursors)
            if (!cursor.block_is_over())
                keep(cursor.held);
        for (auto& run : pending)
            keep(run.source);
        held = std::move(kept);
    }

    void fill()
    {
        std::vector<Range> ranges;
        for (;;)
        {
            ranges.clear();
            for (uint32_t i = 0; i < cursors.size(); ++i)
            {
                Cursor& cursor = cursors[i];
                load(cursor);
                if (!cursor.block_is_over())
                    ranges.push_back({i, static_cast<uint32_t>(cursor.block.rows())});
            }
            if (ranges.empty() || full())
                return;
            merge(ranges, 0);
        }
    }

    // Takes runs of at most block_rows rows from `pending`; long ones alone.
    void take_runs()
    {
        last.clear();
        last_inputs.clear();
        size_t rows = 0;
        size_t taken = 0;
        for (; taken < pending.size() && rows < block_rows; ++taken)
        {
            MergeRun& run = pending[taken];
            const size_t slice_rows =
                whole_blocks ? SIZE_MAX : std::max<size_t>(block_rows / kSliceFraction, 1);
            if (run.count >= slice_rows && rows > 0)
                break;
            const auto count =
                static_cast<uint32_t>(std::min<size_t>(run.count, block_rows - rows));
            last.push_back({run.source, run.begin, count});
            last_inputs.push_back(held[run.source].input);
            rows += count;
            if (count < run.count)
            {
                run.begin += count;
                run.count -= count;
                break;
            }
            if (count >= slice_rows)
            {
                ++taken;
                break;
            }
        }
        pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(taken));
        pending_rows -= rows;
    }

    Block next()
    {
        if (pending.empty() || (whole_blocks && !full()))
        {
            drop_held();
            fill();
        }
        sources_ready = false;
        if (pending.empty())
        {
            last.clear();
            last_inputs.clear();
            return {};
        }
        take_runs();
        if (last.size() == 1)
            return held[last[0].source].block.slice(last[0].begin, last[0].count);
        return join();
    }

    // Keys often are columns that stand in the block already.
    ColumnPtr joined_before(const std::vector<NamedColumn>& columns, size_t c, const Columns& parts,
                            const std::vector<char>& used) const
    {
        for (size_t before = 0; before < c; ++before)
        {
            bool same = true;
            for (size_t i = 0; i < held.size() && same; ++i)
                same = !used[i] || held[i].block[before].column == parts[i];
            if (same)
                return columns[before].column;
        }
        return nullptr;
    }

    Block join() const
    {
        size_t rows = 0;
        std::vector<char> used(held.size(), 0);
        for (const MergeRun& run : last)
        {
            rows += run.count;
            used[run.source] = 1;
        }
        const Block& shape = held[last[0].source].block;
        std::vector<NamedColumn> columns;
        for (size_t c = 0; c < shape.width(); ++c)
        {
            Columns parts(held.size());
            for (size_t i = 0; i < held.size(); ++i)
                if (used[i])
                    parts[i] = held[i].block[c].column;
            if (const ColumnPtr known = joined_before(columns, c, parts, used))
            {
                columns.push_back({known, shape[c].type, shape[c].name});
                continue;
            }
            columns.push_back({join_runs(parts, last, rows), shape[c].type, shape[c].name});
        }
        return Block(std::move(columns), rows);
    }

    void make_sources()
    {
        sources.clear();
        for (size_t i = 0; i < last.size(); ++i)
            sources.resize_fill(sources.size() + last[i].count, last_inputs[i]);
        sources_ready = true;
    }
};

SortedMerge::SortedMerge(std::vector<std::unique_ptr<SortedInput>> inputs, SortKeys keys,
                         size_t block_rows, bool whole_blocks)
    : impl_(std::make_unique<Impl>())
{
    BASALT_ASSERT(block_rows > 0);
    impl_->keys = std::move(keys);
    impl_->block_rows = block_rows;
    impl_->whole_blocks = whole_blocks;
    for (auto& input : inputs)
        impl_->cursors.emplace_back().input = std::move(input);
}

SortedMerge::~SortedMerge() = default;

Block SortedMerge::next()
{
    return impl_->next();
}

const PodVector<uint32_t>& SortedMerge::last_sources() const
{
    if (!impl_->sources_ready)
        impl_->make_sources();
    return impl_->sources;
}

} // namespace basalt
