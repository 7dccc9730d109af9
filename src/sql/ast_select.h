#pragma once

// SELECT and what it is made of.

#include "sql/ast_expression.h"

namespace basalt
{

// WITH name AS (subquery), WITH name (columns) AS (subquery). `WITH expression AS alias` is the
// expression itself in AstSelect::with, its alias set.
struct AstWithElement : AstNode<AstWithElement, AstKind::WithElement>
{
    std::string name;
    std::vector<std::string> columns;
    AstPtr subquery; // AstSubquery
    bool materialized = false;
    void visit_fields(FieldVisitor& visitor) override;
};

// One element of the FROM clause: a table, with how it joins what stands before it; or an
// ARRAY JOIN (table is null then).
enum class AstJoinKind : uint8_t
{
    None, // first table
    Inner,
    Left,
    Right,
    Full,
    Cross,
    Comma,
    Paste,
    ArrayJoin,
    LeftArrayJoin,
};

enum class AstJoinStrictness : uint8_t
{
    Unspecified,
    All,
    Any,
    Semi,
    Anti,
    Asof,
};

enum class JoinLocality : uint8_t
{
    Unspecified,
    Local,
    Global,
};

struct AstTableElement : AstNode<AstTableElement, AstKind::TableElement>
{
    AstJoinKind join = AstJoinKind::None;
    AstJoinStrictness strictness = AstJoinStrictness::Unspecified;
    JoinLocality locality = JoinLocality::Unspecified;
    bool natural = false;

    // AstIdentifier (t, db.t), AstSubquery, AstFunction (a table function) or AstQueryParameter;
    // its alias is in table->alias. Null for ARRAY JOIN.
    AstPtr table;
    std::vector<std::string> column_aliases; // t AS x (a, b)
    bool is_final = false;
    AstPtr sample;        // expression: 0.1, 1 / 10, 1000
    AstPtr sample_offset;

    AstPtr on;
    AstList using_columns;
    bool has_using = false;
    bool using_in_parentheses = true;

    AstList array_join;

    void visit_fields(FieldVisitor& visitor) override;
};

enum class GroupByMode : uint8_t
{
    Plain,
    Rollup,
    Cube,
    GroupingSets, // group_by holds AstExpressionList nodes
};

struct AstExpressionList : AstNode<AstExpressionList, AstKind::ExpressionList>
{
    AstList expressions;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.children("expressions", expressions);
    }
};

struct AstOrderByElement : AstNode<AstOrderByElement, AstKind::OrderByElement>
{
    AstPtr expression;
    bool descending = false;
    bool explicit_direction = false; // ASC or DESC written; not compared
    bool nulls_first = false;        // meaningful when explicit_nulls; else NULLs go last
    bool explicit_nulls = false;
    AstPtr collation; // literal
    bool with_fill = false;
    AstPtr fill_from;
    AstPtr fill_to;
    AstPtr fill_step;
    AstPtr fill_staleness;
    void visit_fields(FieldVisitor& visitor) override;
};

// INTERPOLATE (name AS expression); where none was written, it is the column itself.
struct AstInterpolateElement : AstNode<AstInterpolateElement, AstKind::InterpolateElement>
{
    std::string name;
    AstPtr expression;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.text("name", name);
        visitor.child("expression", expression);
    }
};

struct AstSelect : AstNode<AstSelect, AstKind::Select>
{
    bool with_recursive = false;
    AstList with; // AstWithElement, or expressions with aliases
    bool distinct = false; // DISTINCT ON (..) arrives as LIMIT 1 BY, TOP n as LIMIT n
    AstList projection;
    AstList from; // AstTableElement; empty when there is no FROM
    AstPtr prewhere;
    AstPtr where;
    bool group_by_all = false;
    GroupByMode group_by_mode = GroupByMode::Plain;
    bool with_totals = false;
    AstList group_by;
    AstPtr having;
    AstList windows; // AstWindowDefinition with names
    AstPtr qualify;
    bool order_by_all = false; // order_by then holds one element without an expression
    AstList order_by;          // AstOrderByElement
    bool has_interpolate = false;
    AstList interpolate; // AstInterpolateElement; empty means every column
    AstPtr limit_by_limit;
    AstPtr limit_by_offset;
    bool limit_by_all = false;
    AstList limit_by;
    AstPtr limit;
    AstPtr offset;
    bool with_ties = false;
    AstPtr settings; // AstSetQuery
    void visit_fields(FieldVisitor& visitor) override;
};

enum class SetOperation : uint8_t
{
    UnionDefault, // as the setting union_default_mode says
    UnionAll,
    UnionDistinct,
    IntersectDefault,
    IntersectAll,
    IntersectDistinct,
    ExceptDefault,
    ExceptAll,
    ExceptDistinct,
};

// selects[0] op[0] selects[1] op[1] ..., evaluated left to right; INTERSECT binds tighter than
// UNION and EXCEPT, and the parser has nested it already. Members are AstSelect or AstSelectUnion
// (one that was in parentheses, or nested by precedence). Every query is a SelectUnion, also a
// single SELECT.
struct AstSelectUnion : AstNode<AstSelectUnion, AstKind::SelectUnion>
{
    AstList selects;
    std::vector<SetOperation> operations; // selects.size() - 1
    void visit_fields(FieldVisitor& visitor) override;
};

// Statement with its output clauses: statement [INTO OUTFILE ..] [FORMAT ..] [SETTINGS ..].
// The parser makes it around every statement that answers rows when any of the three is written,
// and around nothing else.
struct AstQuery : AstNode<AstQuery, AstKind::Query>
{
    AstPtr statement;
    AstPtr outfile; // string literal
    bool outfile_append = false;
    bool outfile_truncate = false;
    bool outfile_stdout = false;
    AstPtr compression;       // string literal
    AstPtr compression_level; // literal
    std::string format;
    AstPtr settings; // AstSetQuery
    void visit_fields(FieldVisitor& visitor) override;
};

} // namespace basalt
