#pragma once

// Running plans for the engine's own needs.

#include "engine/statement.h"
#include "executor/build.h"
#include "planner/analyzer.h"

namespace basalt
{

// All rows of a plan in one flat block; all columns, also without rows.
Block run_plan(QueryPlan&& plan, QueryContextPtr context);

// With the session's temporary tables and run_subquery set.
AnalyzerContext make_analyzer(StatementContext& statement);

} // namespace basalt
