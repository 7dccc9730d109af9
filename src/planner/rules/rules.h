#pragma once

// Rewrites of a plan that keep its answer. Each file is one rule and names the setting that
// switches it off; DESIGN's invariant is that the answer is the same either way.

#include "planner/analyzer.h"
#include "planner/plan.h"

#include <set>
#include <string>

namespace basalt
{

// All rules in their order. Column pruning and the merging of projections always run.
void optimize(QueryPlan& plan, AnalyzerContext& context);

// Filters go below projections, joins, aggregation by their keys, unions, sorts, and into scans;
// conditions across a cross join become its keys. Constant conditions are decided.
// Setting query_plan_filter_push_down.
PlanPtr push_filters(PlanPtr node, const QueryContext& context);

// Neighbouring projections become one; projections that change nothing go away.
PlanPtr merge_projections(PlanPtr node, const QueryContext& context);

// Only columns that are used are read, joined, aggregated. The root keeps all its columns.
void prune_columns(PlanNode& root);

// LIMIT n reaches sorts, distincts and scans below projections. Setting
// query_plan_push_down_limit.
void push_limits(PlanNode& node, const QueryContext& context);

// Tells the analyzer's on_read what the node reads.
void report_read(const ReadNode& read, AnalyzerContext& context);
void report_reads(const PlanNode& node, AnalyzerContext& context); // of all below
// count() of a whole table that knows its rows. Setting optimize_trivial_count_query.
PlanPtr answer_trivial_counts(PlanPtr node, AnalyzerContext& analyzer);

// ORDER BY a prefix of the table's sorting key reads in that order. Setting
// optimize_read_in_order.
void read_in_order(PlanNode& node, const QueryContext& context);

// ORDER BY … LIMIT n over a scan: columns that the sort does not need are fetched for the n rows
// only, and rows behind the n-th best so far are not read. Settings basalt_bound_top_scans,
// basalt_lazy_materialization, query_plan_optimize_lazy_materialization,
// query_plan_max_limit_for_lazy_materialization.
PlanPtr materialize_late(PlanPtr node, const QueryContext& context);

// Texts of which expressions look at the first bytes only are not read whole: substring(x, 1, n),
// left, startsWith right above a scan. Setting basalt_read_text_prefixes.
void read_prefixes(PlanNode& node, const QueryContext& context);

// Shared by the rules. -------------------------------------------------------------------------

bool reads_only_columns(const ExpressionPtr& expression, const Header& header);
bool is_deterministic(const ExpressionPtr& expression);
ExpressionPtr conjunction(const Expressions& parts, const QueryContext& context);
// Known to be the same for every row: true or false; nothing when it depends on the row.
std::optional<bool> constant_condition(const ExpressionPtr& condition);
PlanPtr empty_rows(const Header& header);

} // namespace basalt
