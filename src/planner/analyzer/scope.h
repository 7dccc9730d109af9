#pragma once

// What names mean in a query's FROM: tables, their columns, what USING and ARRAY JOIN make of them.

#include "functions/expression.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace basalt
{

struct ScopeColumn
{
    std::string name;    // as queries say it
    ExpressionPtr value; // over the columns of the plan built so far
    bool hidden = false; // not in *: virtual, ALIAS and MATERIALIZED columns
};

struct ScopeTable
{
    // Ways to say the table: {"alias"}, or {"table"} and {"database", "table"}.
    std::vector<std::vector<std::string>> qualifiers;
    std::string label; // how messages and column names say it
    std::vector<ScopeColumn> columns;
    std::unordered_map<std::string, size_t> by_name;

    void add(ScopeColumn column)
    {
        by_name.emplace(column.name, columns.size());
        columns.push_back(std::move(column));
    }
};

// A column found by name. parts after the column's name are subcolumns.
struct ColumnReference
{
    enum class Place : uint8_t
    {
        None,
        Table,
        Using,
        ArrayJoin,
    } place = Place::None;
    size_t table = 0;
    size_t column = 0;
    size_t used_parts = 0; // qualifier and column name
    bool operator==(const ColumnReference&) const = default;
};

class FromScope
{
public:
    std::vector<ScopeTable> tables;
    std::vector<ScopeColumn> using_columns;
    std::vector<ScopeColumn> array_joined; // ARRAY JOIN x AS name
    bool prefer_left = true;               // single_join_prefer_left_table

    // Place::None when nothing fits; throws AMBIGUOUS_IDENTIFIER (207) when several do.
    ColumnReference find(const std::vector<std::string>& parts, const QueryContext& context) const;
    const ScopeColumn& column(const ColumnReference& reference) const;
    ScopeColumn& column(const ColumnReference& reference);
    // The shortest way to say the column: its name, with the table's label if that is needed.
    std::vector<std::string> shortest_name(size_t table, size_t column,
                                           const QueryContext& context) const;
    // Replaces inputs in every column's value.
    void replace_values(const std::unordered_map<std::string, ExpressionPtr>& by_id,
                        const QueryContext& context);
    std::vector<std::string> names() const;
};

} // namespace basalt
