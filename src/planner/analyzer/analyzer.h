#pragma once

// A query's syntax tree to a plan, with the meaning that ClickHouse's analyzer gives it: aliases
// usable anywhere, CTEs, matchers, positional arguments, aggregates, windows, joins, subqueries.
// Scalar subqueries and the right sides of IN run while the query is analyzed.

#include "catalog/catalog.h"
#include "planner/plan.h"
#include "sql/ast_select.h"

#include <functional>
#include <string>

namespace basalt
{

// Subqueries, views and CTEs inside each other: at most so many.
inline constexpr size_t kMaxQueryNesting = 100;

struct AnalyzerContext
{
    Catalog& catalog;
    QueryContextPtr query;
    // Runs a plan and returns all its rows in one block. At most max_rows (0: all): more rows may
    // be left out once there are more than that.
    std::function<Block(QueryPlan&&, uint64_t max_rows)> run_subquery;
    // A session's temporary table, or null. May be empty.
    std::function<TablePtr(const std::string&)> temporary_table;
    // A user-defined SQL function, or null. May be empty. The tree must outlive the analysis.
    std::function<const AstLambda*(const std::string&)> user_function;
    // A condition that every row of the table must meet (row policies), or null. May be empty.
    std::function<AstPtr(const TableName&)> row_policy;
    // Told of every table that is read, with the columns, after pruning. May be empty.
    std::function<void(const TablePtr&, const std::vector<std::string>&)> on_read;
};

// query: AstSelectUnion or AstSelect, with parameters already put in. The tree is not changed.
QueryPlan analyze(const AstPtr& query, AnalyzerContext& context);

// Names and types of the result without running what is not needed for them (DESCRIBE (SELECT …),
// CREATE … AS SELECT).
Header result_header(const AstPtr& query, AnalyzerContext& context);

} // namespace basalt
