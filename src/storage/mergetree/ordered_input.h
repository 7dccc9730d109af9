#pragma once

// One source of an ordered scan.

#include "storage/mergetree/merge_tree_scan.h"

namespace basalt
{

// Some chunks of one source, first to last or last to first; with a layer, only rows of its keys.
class MergeTreeScan::OrderedInput final : public SortedInput
{
public:
    OrderedInput(MergeTreeScan& scan, StepMemory& memory, size_t begin, size_t end,
                 const FinalLayer* layer = nullptr)
        : scan_(scan), memory_(memory), begin_(begin), end_(end), layer_(layer),
          reader_(scan.sources_[scan.chunks_[begin].source], scan.page_use_, *scan.context_)
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
            if (!scan_.order_program_)
                return block;
            const Columns keys = scan_.order_program_->run(block);
            for (size_t i = 0; i < keys.size(); ++i)
                block.add({keys[i], scan_.order_program_->roots()[i]->type(),
                           kKeyValuePrefix + std::to_string(i)});
            if (layer_)
                block = scan_.within_layer(block, *layer_);
            if (block.rows())
                return block;
        }
        return {};
    }

private:
    MergeTreeScan& scan_;
    StepMemory& memory_;
    size_t begin_, end_;
    const FinalLayer* layer_; // null: all
    RowReader reader_;
};

} // namespace basalt
