// Scans in the order of the sorting key: each stream merges runs of chunks that are sorted.

#include "storage/mergetree/ordered_input.h"

#include "base/error.h"

#include <algorithm>

namespace basalt
{

// The first `prefix` parts of the sorting key are computed over what is read.
void MergeTreeScan::add_order_keys(size_t prefix)
{
    const TableMetadata& metadata = *snapshot_.metadata;
    const auto& key = metadata.sorting_key;
    BASALT_ASSERT(prefix <= key.expressions.size());
    if (prefix == 0)
        return;
    const Expressions expressions(key.expressions.begin(),
                                  key.expressions.begin() + static_cast<ptrdiff_t>(prefix));
    order_program_ = std::make_unique<ExpressionProgram>(expressions, *context_);
    for (const auto& name : order_program_->inputs())
        add_inner_column(name, metadata.find_column(name)->type);
    const size_t first_key = inner_header_.size() + (with_row_ids_ ? 1 : 0);
    for (size_t i = 0; i < prefix; ++i)
    {
        SortKey sort_key;
        sort_key.column = first_key + i;
        sort_key.descending =
            (i < key.descending.size() && key.descending[i]) != order_descending_;
        // Parts keep NULL and NaN last; read backwards they come first.
        sort_key.nulls_first = order_descending_;
        order_keys_.push_back(sort_key);
    }
}

void MergeTreeScan::add_inner_column(const std::string& name, const TypePtr& type)
{
    const size_t slot = slots_.add(name, type);
    if (std::find(output_slots_.begin(), output_slots_.end(), slot) != output_slots_.end())
        return;
    output_slots_.push_back(slot);
    inner_header_.push_back({name, type});
}

void MergeTreeScan::sort_live()
{
    const TableMetadata& metadata = *snapshot_.metadata;
    for (auto& block : snapshot_.live)
    {
        const QueryContext& context = table_->service().key_context();
        block.block = sort_by_key(conform_block(metadata, *snapshot_.history, block, context),
                                  metadata, context);
        block.version = snapshot_.history->version();
    }
}

void MergeTreeScan::plan_ordered()
{
    add_order_keys(order_prefix_);
    sort_live();
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
