#pragma once

// What a scan reads: after pruning, ranges of granules of each part, and for each range the
// conjuncts that are certainly true there.

#include "storage/mergetree/filter_steps.h"
#include "storage/mergetree/merge_tree_table.h"

namespace basalt
{

struct GranuleRange
{
    size_t begin = 0;
    size_t end = 0;
    uint64_t certain = 0; // bit i: step i of FilterSteps holds in every row
};

struct SourceSelection
{
    std::shared_ptr<const SourcePlan> source;
    std::vector<GranuleRange> ranges; // of a live block: one range of all
    uint64_t rows() const;
};

struct ScanSelection
{
    std::vector<SourceSelection> sources; // parts in order, then live blocks
    std::vector<IndexUse> index_use;
    size_t total_parts = 0;
    size_t total_granules = 0;
};

size_t granule_rows_of(const SourcePlan& source);

ScanSelection select_rows(const TableSnapshot& snapshot,
                          const std::vector<std::shared_ptr<const SourcePlan>>& sources,
                          const FilterSteps& steps, const Header& slots,
                          const QueryContext& context);

} // namespace basalt
