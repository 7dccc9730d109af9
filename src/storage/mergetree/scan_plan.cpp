#include "storage/mergetree/scan_plan.h"

#include "storage/mergetree/pruning.h"

#include <algorithm>

namespace basalt
{

size_t granule_rows_of(const SourcePlan& source)
{
    return source.part() ? source.part()->manifest().granule_rows : kPageRows;
}

uint64_t SourceSelection::rows() const
{
    const size_t granule = granule_rows_of(*source);
    uint64_t rows = 0;
    for (const auto& range : ranges)
        rows += std::min<uint64_t>(range.end * granule, source->rows()) - range.begin * granule;
    return rows;
}

ScanSelection select_rows(const TableSnapshot& snapshot,
                          const std::vector<std::shared_ptr<const SourcePlan>>& sources,
                          const FilterSteps& steps, const Header& slots,
                          const QueryContext& context)
{
    ScanSelection selection;
    for (const auto& source : sources)
    {
        const size_t granules =
            (source->rows() + granule_rows_of(*source) - 1) / granule_rows_of(*source);
        if (source->part())
        {
            ++selection.total_parts;
            selection.total_granules += granules;
        }
        selection.sources.push_back({source, {{0, granules, 0}}});
    }
    Pruning(snapshot, steps, slots, context).run(selection);
    return selection;
}

} // namespace basalt
