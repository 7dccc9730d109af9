#pragma once

// Expression nodes. Operators, literals of arrays, tuples and maps, CASE, CAST and the like are
// AstFunction nodes under ClickHouse's canonical names:
//   + - * / % DIV MOD -> plus minus multiply divide modulo intDiv modulo; unary - -> negate
//   = == -> equals; != <> -> notEquals; < > <= >= -> less greater lessOrEquals greaterOrEquals;
//   <=> and IS NOT DISTINCT FROM -> isNotDistinctFrom; IS DISTINCT FROM -> isDistinctFrom
//   AND OR (flattened, n-ary) NOT -> and or not; || -> concat (n-ary)
//   [NOT] LIKE / ILIKE -> like notLike ilike notILike; REGEXP -> match
//   [GLOBAL] [NOT] IN -> in notIn globalIn globalNotIn; the right side of IN is a Subquery, an
//     Identifier (a table or a column), or any other expression
//   a BETWEEN b AND c -> and(greaterOrEquals(a, b), lessOrEquals(a, c)); NOT BETWEEN ->
//     or(less(a, b), greater(a, c))
//   IS [NOT] NULL -> isNull isNotNull; a ? b : c -> if; CASE -> multiIf / caseWithExpression
//   [..] -> array; (a, b) -> tuple; {k: v} -> map; a[i] -> arrayElement; a.1, f(x).b -> tupleElement
//   CAST(x AS T), x::T -> CAST(x, 'T'), where literal::T has the literal's text as x: 1.5::T ->
//     CAST('1.5', 'T'); INTERVAL n DAY -> toIntervalDay(n)
//   EXISTS(subquery) -> exists; DATE 'x' -> toDate; TIMESTAMP 'x' -> toDateTime; EXTRACT -> toYear ..

#include "sql/ast.h"

namespace basalt
{

struct AstIdentifier : AstNode<AstIdentifier, AstKind::Identifier>
{
    // a.b.c -> {"a", "b", "c"}; never empty.
    std::vector<std::string> parts;

    AstIdentifier() = default;
    explicit AstIdentifier(std::string name) { parts.push_back(std::move(name)); }

    // Parts joined with dots, unquoted.
    std::string full_name() const;
    const std::string& short_name() const { return parts.back(); }
    void visit_fields(FieldVisitor& visitor) override { visitor.texts("parts", parts); }
};

enum class LiteralKind : uint8_t
{
    Null,
    Bool,    // unsigned_value 0 or 1
    UInt64,  // unsigned_value
    Int64,   // signed_value, negative
    Float64, // float_value; also integers outside 64 bits, whose digits are in text
    String,  // text
};

struct AstLiteral : AstNode<AstLiteral, AstKind::Literal>
{
    LiteralKind literal_kind = LiteralKind::Null;
    union
    {
        uint64_t unsigned_value = 0;
        int64_t signed_value;
        double float_value;
    };
    // String: the value itself. Numbers: the spelling in the query with its sign (exact decimals
    // such as 0.1 keep their digits); empty for a number made by a rewrite.
    std::string text;

    static std::shared_ptr<AstLiteral> null();
    static std::shared_ptr<AstLiteral> boolean(bool value);
    static std::shared_ptr<AstLiteral> unsigned_number(uint64_t value);
    static std::shared_ptr<AstLiteral> signed_number(int64_t value); // >= 0 becomes UInt64
    static std::shared_ptr<AstLiteral> floating(double value);
    static std::shared_ptr<AstLiteral> string(std::string value);

    bool is_string() const { return literal_kind == LiteralKind::String; }
    bool is_number() const
    {
        return literal_kind >= LiteralKind::UInt64 && literal_kind <= LiteralKind::Float64;
    }
    void visit_fields(FieldVisitor& visitor) override;
};

enum class NullsAction : uint8_t
{
    None,
    RespectNulls,
    IgnoreNulls,
};

// A function call, an aggregate, a table function, an engine or codec with arguments, or an
// operator. f(DISTINCT x) arrives as fDistinct(x), f(x) FILTER (WHERE c) as fIf(x, c).
struct AstFunction : AstNode<AstFunction, AstKind::Function>
{
    std::string name;
    // quantile(0.5)(x): parameters = {0.5}, arguments = {x}.
    AstList parameters;
    AstList arguments;
    // Written as an operator or with brackets (1 + 2, [1, 2]) rather than as name(...); it guides
    // formatting only.
    bool is_operator = false;
    bool has_parameters = false; // f()(x) has them but none
    bool no_parentheses = false; // engine or codec without arguments: MergeTree, LZ4
    NullsAction nulls_action = NullsAction::None;
    // f(..) OVER (..) or OVER w.
    bool is_window = false;
    AstPtr window; // AstWindowDefinition
    std::string window_name;
    // SETTINGS inside a table function's arguments: AstSetQuery.
    AstPtr settings;

    AstFunction() = default;
    explicit AstFunction(std::string name_) : name(std::move(name_)) {}
    void visit_fields(FieldVisitor& visitor) override;
};

// Makes name(arguments...).
template <class... Args>
std::shared_ptr<AstFunction> make_ast_function(std::string name, Args... arguments)
{
    auto function = std::make_shared<AstFunction>(std::move(name));
    (function->arguments.push_back(std::move(arguments)), ...);
    return function;
}

// x -> body, (x, y) -> body.
struct AstLambda : AstNode<AstLambda, AstKind::Lambda>
{
    std::vector<std::string> parameters;
    AstPtr body;
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.texts("parameters", parameters);
        visitor.child("body", body);
    }
};

// (SELECT ...) as an expression or a table; (EXPLAIN ...) as a table.
struct AstSubquery : AstNode<AstSubquery, AstKind::Subquery>
{
    AstPtr query; // AstSelectUnion or AstExplain
    void visit_fields(FieldVisitor& visitor) override { visitor.child("query", query); }
};

// *, t.*, db.t.*
struct AstAsterisk : AstNode<AstAsterisk, AstKind::Asterisk>
{
    std::vector<std::string> qualifier;
    AstList transformers; // AstColumnsTransformer
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.texts("qualifier", qualifier);
        visitor.children("transformers", transformers);
    }
};

// COLUMNS('regex'), COLUMNS(a, b), t.COLUMNS(..)
struct AstColumnsMatcher : AstNode<AstColumnsMatcher, AstKind::ColumnsMatcher>
{
    std::vector<std::string> qualifier;
    bool is_regex = false;
    std::string regex;
    AstList columns; // AstIdentifier, when not a regex
    AstList transformers;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class TransformerKind : uint8_t
{
    Except,
    Replace,
    Apply,
};

struct AstColumnsTransformer : AstNode<AstColumnsTransformer, AstKind::ColumnsTransformer>
{
    TransformerKind transformer = TransformerKind::Except;
    bool strict = false;
    // Except: column names, or regex. Replace: expressions, whose alias is the column replaced.
    bool is_regex = false;
    std::string regex;
    std::vector<std::string> names;
    AstList expressions;
    // Apply: a function name with parameters (APPLY(quantile(0.9))) as AstFunction, or AstLambda.
    AstPtr function;
    std::string column_name_prefix;
    void visit_fields(FieldVisitor& visitor) override;
};

// {name:Type}
struct AstQueryParameter : AstNode<AstQueryParameter, AstKind::QueryParameter>
{
    std::string name;
    std::string type; // text of the type, "Identifier" for {x:Identifier}
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.text("name", name);
        visitor.text("type", type);
    }
};

// A data type as syntax: Array(Tuple(a UInt8, b String)), Enum8('x' = 1), DateTime64(3, 'UTC').
// Arguments are AstTypeName, AstNameTypePair, AstLiteral, or an equals AstFunction (enum pairs);
// AggregateFunction and JSON may hold AstFunction and AstIdentifier too.
struct AstTypeName : AstNode<AstTypeName, AstKind::TypeName>
{
    std::string name;
    AstList arguments;
    bool has_parentheses = false; // Tuple() against Tuple

    // Normalised text as ClickHouse prints types; what the types' parser reads.
    std::string to_text() const;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstNameTypePair : AstNode<AstNameTypePair, AstKind::NameTypePair>
{
    std::string name;
    AstPtr type; // AstTypeName
    void visit_fields(FieldVisitor& visitor) override
    {
        visitor.text("name", name);
        visitor.child("type", type);
    }
};

enum class FrameKind : uint8_t
{
    Rows,
    Range,
    Groups,
};

enum class FrameBound : uint8_t
{
    UnboundedPreceding,
    Preceding, // offset expression
    CurrentRow,
    Following, // offset expression
    UnboundedFollowing,
};

struct AstWindowDefinition : AstNode<AstWindowDefinition, AstKind::WindowDefinition>
{
    std::string name;   // WINDOW name AS (...), empty for OVER (...)
    std::string parent; // OVER (parent PARTITION BY ...)
    AstList partition_by;
    AstList order_by; // AstOrderByElement
    bool has_frame = false;
    FrameKind frame = FrameKind::Range;
    FrameBound frame_begin = FrameBound::UnboundedPreceding;
    FrameBound frame_end = FrameBound::CurrentRow;
    AstPtr begin_offset;
    AstPtr end_offset;
    void visit_fields(FieldVisitor& visitor) override;
};

} // namespace basalt
