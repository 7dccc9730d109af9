#pragma once

// Syntax tree to plan: names resolved, types checked, rules applied. Scalar subqueries and the
// right sides of IN run while the query is analyzed.

#include "catalog/catalog.h"
#include "planner/plan.h"
#include "sql/ast_expression.h"

#include <functional>
#include <string>
#include <vector>

namespace basalt
{

struct AnalyzerContext
{
    Catalog& catalog;
    QueryContextPtr context;
    // Temporary tables of the session; null when there is none of that name. May be empty.
    std::function<TablePtr(const std::string& name)> find_temporary;
    // Runs a plan to its end: scalar subqueries and the right side of IN. Returns all rows in one
    // block (flat columns named as result_names; zero rows but all columns when there are none).
    std::function<Block(QueryPlan&& plan)> run_subquery;
    // A table read in place of the catalog's: the inserted block that a materialised view sees.
    std::function<TablePtr(const TableName& name)> replace_table;
    // Where unqualified names are looked up; empty: context->current_database.
    std::string database;
    // Filled by analyze(): tables read, as "database.table", for query_log.
    std::vector<std::string> used_tables;
    // A user-defined SQL function, or null. May be empty. The tree must outlive the analysis.
    std::function<const AstLambda*(const std::string&)> user_function;
    // A condition that every row of the table must meet (row policies), or null. May be empty.
    std::function<AstPtr(const TableName&)> row_policy;
    // Told of every table that is read, with the columns, after pruning. May be empty.
    std::function<void(const TablePtr&, const std::vector<std::string>&)> on_read;
    // Told of every view that a query names, with the table that is read in its place (null for a view
    // whose query is). May be empty.
    std::function<void(const Table& view, const TablePtr& target)> on_view;
    // Told of every table function before it is made. May be empty.
    std::function<void(const std::string& name)> on_table_function;
};

// Subqueries, views and CTEs inside each other: at most so many.
inline constexpr size_t kMaxQueryNesting = 100;

// select: AstSelectUnion or AstSelect, parameters already substituted; it is not changed. SETTINGS
// clauses of subqueries are ignored, that of the query has been applied to context->settings.
QueryPlan analyze(const AstPtr& select, AnalyzerContext& analyzer);

// Names and types of the result without building scans: for CREATE … AS SELECT, DESCRIBE, views.
Header analyze_header(const AstPtr& select, AnalyzerContext& analyzer);

struct ExplainOptions
{
    bool header = false;
    bool actions = false;
    bool indexes = false;
    bool description = true;
};
// EXPLAIN PLAN: one line a row.
std::vector<std::string> explain_plan(const QueryPlan& plan, const ExplainOptions& options,
                                      QueryContextPtr context);

} // namespace basalt
