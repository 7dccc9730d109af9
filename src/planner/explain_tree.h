#pragma once

// EXPLAIN PLAN as ClickHouse 26.7 shows it by default: the steps that matter as a drawn tree, with
// conditions written as SQL.

#include "planner/analyzer.h"

namespace basalt
{

// options.actions and options.description have no effect. One line a row.
std::vector<std::string> explain_plan_tree(const QueryPlan& plan, const ExplainOptions& options,
                                           QueryContextPtr context);

// "__table1.a" -> "a", anywhere in the text.
std::string column_without_table(const std::string& name);

// A bound expression as SQL: "a > 5 AND b IN (1, 2)". Columns without their table.
std::string expression_as_sql(const Expression& expression);

} // namespace basalt
