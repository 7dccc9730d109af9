#include "planner/rules/rules.h"

namespace basalt
{

PlanPtr materialize_late(PlanPtr node, const QueryContext& context)
{
    (void)context;
    return node;
}

} // namespace basalt
