#pragma once

// The steps of pruning of one scan, each over the parts and ranges that the one before left.

#include "storage/condition/bounds.h"
#include "storage/condition/condition.h"
#include "storage/condition/mark_condition.h"
#include "storage/mergetree/scan_plan.h"
#include "storage/skip_index/skip_index.h"

namespace basalt
{

class Pruning
{
public:
    Pruning(const TableSnapshot& snapshot, const FilterSteps& steps, const Header& slots,
            const QueryContext& context);

    void run(ScanSelection& selection);

private:
    struct Counts
    {
        size_t parts = 0, granules = 0;
    };
    static Counts count(const ScanSelection& selection);
    void report(ScanSelection& selection, IndexUse use, const Counts& before) const;

    void prune_constants(ScanSelection& selection);
    void prune_by_minmax(ScanSelection& selection);
    void prune_by_partition(ScanSelection& selection);
    void prune_by_key(ScanSelection& selection);
    void prune_by_pages(ScanSelection& selection);
    bool inputs_unchanged(const Part& part, const IndexDescription& index) const;
    void prune_by_indexes(ScanSelection& selection);
    std::vector<IndexDescription> id_filters(const ScanSelection& selection) const;
    void prune_by_index(ScanSelection& selection, const IndexDescription& index);
    bool ask_index(const SourceSelection& source, const IndexDescription& index,
                   const std::vector<IndexQuestion>& questions,
                   std::vector<std::vector<Outcomes>>& known) const;
    void select_marks(const MarkCondition& whole,
                      const std::vector<std::unique_ptr<MarkCondition>>& conditions,
                      size_t begin, size_t end, std::vector<GranuleRange>& ranges) const;
    void report_unused(ScanSelection& selection, const char* type) const;

    const TableSnapshot& snapshot_;
    const FilterSteps& steps_;
    const Header& slots_;
    const QueryContext& context_;
    ExpressionPtr all_; // conjunction of the steps
    std::unique_ptr<Condition> whole_;
    std::vector<std::unique_ptr<Condition>> each_; // by step
    std::vector<std::vector<ValueClaim>> claims_; // by atom of whole_
    // What the indexes so far said: by source, atom, granule; empty where nothing.
    std::vector<std::vector<std::vector<Outcomes>>> known_;
    bool key_used_ = false;
    bool minmax_used_ = false;
};

// Adds a range, joined to the last one when it goes on there with the same steps certain.
void add_range(std::vector<GranuleRange>& ranges, const GranuleRange& range);

} // namespace basalt
