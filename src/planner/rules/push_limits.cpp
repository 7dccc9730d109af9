#include "planner/rules/rules.h"

#include <algorithm>

namespace basalt
{

namespace
{

uint64_t smaller(uint64_t current, uint64_t limit)
{
    return current == 0 ? limit : std::min(current, limit);
}

void need_at_most(PlanNode& node, uint64_t rows)
{
    switch (node.kind)
    {
    case PlanKind::Project:
        return need_at_most(*node.inputs[0], rows);
    case PlanKind::Read:
    {
        auto& read = static_cast<ReadNode&>(node);
        read.request.limit = smaller(read.request.limit, rows);
        return;
    }
    case PlanKind::Sort:
    {
        auto& sort = static_cast<SortNode&>(node);
        sort.limit = smaller(sort.limit, rows);
        return;
    }
    case PlanKind::Distinct:
    {
        auto& distinct = static_cast<DistinctNode&>(node);
        distinct.limit = smaller(distinct.limit, rows);
        return;
    }
    default:
        return;
    }
}

} // namespace

void push_limits(PlanNode& node, const QueryContext& context)
{
    if (node.kind == PlanKind::Limit)
    {
        const auto& limit = static_cast<const LimitNode&>(node);
        if (limit.has_limit && limit.with_ties.empty() && limit.limit <= ~limit.offset)
        {
            // LIMIT 0 needs none, but 0 means "all" below.
            const uint64_t rows = std::max<uint64_t>(limit.limit + limit.offset, 1);
            need_at_most(*node.inputs[0], rows);
        }
    }
    for (PlanPtr& input : node.inputs)
        push_limits(*input, context);
}

} // namespace basalt
