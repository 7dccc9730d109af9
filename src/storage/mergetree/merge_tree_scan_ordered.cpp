// Scans in the order of the sorting key: each stream merges runs of chunks that are sorted.

#include "storage/mergetree/merge_tree_scan.h"

#include "base/error.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr const char* kKeyColumnPrefix = "__order_key_";

} // namespace

// Some chunks of one source, first to last or last to first.
class MergeTreeScan::OrderedInput final : public SortedInput
{
public:
    OrderedInput(MergeTreeScan& scan, StepMemory& memory, size_t begin, size_t end)
        : scan_(scan), memory_(memory), begin_(begin), end_(end),
          reader_(scan.sources_[scan.chunks_[begin].source], scan.direct_, *scan.context_)
    {
    }

    Block next() override
    {
        while (begin_ < end_)
        {
            const size_t at = scan_.order_descending_ ? --end_ : begin_++;
            Block block = scan_.read_chunk(scan_.chunks_[at], reader_, memory_);
            if (block.rows() == 0)
                continue;
            if (scan_.order_descending_)
            {
                const auto rows = static_cast<uint32_t>(block.rows());
                RowIndexes reversed(rows);
                for (uint32_t i = 0; i < rows; ++i)
                    reversed[i] = rows - 1 - i;
                block = block.take(reversed);
            }
            const Columns keys = scan_.order_program_->run(block);
            for (size_t i = 0; i < keys.size(); ++i)
                block.add({keys[i], scan_.order_program_->roots()[i]->type(),
                           kKeyColumnPrefix + std::to_string(i)});
            return block;
        }
        return {};
    }

private:
    MergeTreeScan& scan_;
    StepMemory& memory_;
    size_t begin_, end_;
    RowReader reader_;
};

void MergeTreeScan::plan_ordered(const ScanRequest& request)
{
    const TableMetadata& metadata = *snapshot_.metadata;
    const auto& key = metadata.sorting_key;
    BASALT_ASSERT(order_prefix_ <= key.expressions.size());
    const Expressions expressions(key.expressions.begin(),
                                  key.expressions.begin() +
                                      static_cast<ptrdiff_t>(order_prefix_));
    order_program_ = std::make_unique<ExpressionProgram>(expressions, *context_);
    for (const auto& name : order_program_->inputs())
    {
        const TypePtr type = metadata.find_column(name)->type;
        const size_t slot = slots_.add(name, type);
        if (std::find(output_slots_.begin(), output_slots_.end(), slot) != output_slots_.end())
            continue;
        output_slots_.push_back(slot);
        inner_header_.push_back({name, type});
    }
    const size_t first_key = inner_header_.size() + (request.with_row_ids ? 1 : 0);
    for (size_t i = 0; i < order_prefix_; ++i)
    {
        SortKey sort_key;
        sort_key.column = first_key + i;
        sort_key.descending =
            (i < key.descending.size() && key.descending[i]) != order_descending_;
        // Parts keep NULL and NaN last; read backwards they come first.
        sort_key.nulls_first = order_descending_;
        order_keys_.push_back(sort_key);
    }
    for (auto& block : snapshot_.live)
    {
        const QueryContext& context = table_->service().key_context();
        block.block = sort_by_key(conform_block(metadata, *snapshot_.history, block, context),
                                  metadata, context);
        block.version = snapshot_.history->version();
    }
}

void MergeTreeScan::start_ordered()
{
    struct Run
    {
        size_t begin, end;
        uint64_t rows;
    };
    std::vector<Run> runs; // chunks of one source each
    for (size_t i = 0; i < chunks_.size(); ++i)
    {
        if (i == 0 || chunks_[i].source != chunks_[i - 1].source)
            runs.push_back({i, i, 0});
        runs.back().end = i + 1;
        runs.back().rows += chunks_[i].count;
    }
    std::vector<std::vector<std::unique_ptr<SortedInput>>> inputs(streams_.size());
    const auto give = [&](size_t stream, size_t begin, size_t end)
    {
        if (begin < end)
            inputs[stream].push_back(
                std::make_unique<OrderedInput>(*this, *streams_[stream].memory, begin, end));
    };
    if (runs.size() >= streams_.size())
    {
        // Whole sources, the largest first, each to the stream that has least.
        std::stable_sort(runs.begin(), runs.end(),
                         [](const Run& a, const Run& b) { return a.rows > b.rows; });
        std::vector<uint64_t> rows(streams_.size(), 0);
        for (const auto& run : runs)
        {
            const auto least = static_cast<size_t>(
                std::min_element(rows.begin(), rows.end()) - rows.begin());
            give(least, run.begin, run.end);
            rows[least] += run.rows;
        }
    }
    else
        for (const auto& run : runs)
            for (size_t i = 0; i < streams_.size(); ++i)
            {
                const size_t chunks = run.end - run.begin;
                give(i, run.begin + chunks * i / streams_.size(),
                     run.begin + chunks * (i + 1) / streams_.size());
            }
    for (size_t i = 0; i < streams_.size(); ++i)
        streams_[i].merge =
            std::make_unique<SortedMerge>(std::move(inputs[i]), order_keys_, block_rows_);
}

Block MergeTreeScan::next_ordered(Stream& stream)
{
    if (has_limit_ && rows_left_.load() <= 0)
        return Block::empty_of(header_);
    Block merged = stream.merge->next();
    if (merged.rows() == 0)
        return Block::empty_of(header_);
    Block block;
    for (const auto& column : header_)
        block.add(merged[static_cast<size_t>(merged.find(column.name))]);
    block.set_rows(merged.rows());
    return cut_to_limit(std::move(block));
}

} // namespace basalt
