// Names of result columns: operators as functions, aliases in place of what they name.

#include "sql/format_impl.h"
#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

void append_name(const Ast& ast, std::string& out, bool use_alias);

void append_names(const AstList& list, std::string& out)
{
    bool first = true;
    for (const AstPtr& item : list)
    {
        out += first ? "" : ", ";
        first = false;
        append_name(*item, out, true);
    }
}

void append_literal(const AstLiteral& literal, std::string& out)
{
    switch (literal.literal_kind)
    {
    case LiteralKind::Null:
        out += "NULL";
        break;
    case LiteralKind::Bool:
        out += literal.unsigned_value != 0 ? "true" : "false";
        break;
    case LiteralKind::UInt64:
        out += std::to_string(literal.unsigned_value);
        break;
    case LiteralKind::Int64:
        out += std::to_string(literal.signed_value);
        break;
    case LiteralKind::Float64:
        out += format_float(literal.float_value, true);
        break;
    case LiteralKind::String:
        out += quote_string(literal.text);
        break;
    }
}

// Literals of an array have one type: beside 1.5, 2 is written 2., and Bool is written as numbers.
bool append_uniform_literals(const AstList& list, std::string& out)
{
    bool any_float = false;
    bool all_bool = !list.empty();
    for (const AstPtr& one : list)
    {
        const auto* literal = one->as<AstLiteral>();
        if (literal == nullptr || !literal->alias.empty() || literal->is_string() ||
            literal->literal_kind == LiteralKind::Null)
            return false;
        any_float = any_float || literal->literal_kind == LiteralKind::Float64;
        all_bool = all_bool && literal->literal_kind == LiteralKind::Bool;
    }
    if (!any_float && !all_bool)
        return false;
    for (size_t i = 0; i < list.size(); ++i)
    {
        const auto& literal = *list[i]->as<AstLiteral>();
        out += i == 0 ? "" : ", ";
        if (all_bool)
            out += std::to_string(literal.unsigned_value);
        else
        {
            append_literal(literal, out);
            if (literal.literal_kind != LiteralKind::Float64)
                out += '.';
        }
    }
    return true;
}

void append_window(const AstFunction& function, std::string& out)
{
    out += " OVER ";
    if (function.window == nullptr)
    {
        out += function.window_name;
        return;
    }
    const auto& window = *function.window->as<AstWindowDefinition>();
    out += '(';
    bool first = true;
    const auto space = [&]
    {
        out += first ? "" : " ";
        first = false;
    };
    if (!window.parent.empty())
    {
        space();
        out += window.parent;
    }
    if (!window.partition_by.empty())
    {
        space();
        out += "PARTITION BY ";
        append_names(window.partition_by, out);
    }
    if (!window.order_by.empty())
    {
        space();
        out += "ORDER BY ";
        append_names(window.order_by, out);
    }
    if (window.has_frame)
    {
        space();
        out += window.frame == FrameKind::Rows    ? "ROWS"
               : window.frame == FrameKind::Range ? "RANGE"
                                                  : "GROUPS";
        const auto bound = [&](FrameBound kind, const AstPtr& offset)
        {
            if (kind == FrameBound::UnboundedPreceding)
                out += "UNBOUNDED PRECEDING";
            else if (kind == FrameBound::UnboundedFollowing)
                out += "UNBOUNDED FOLLOWING";
            else if (kind == FrameBound::CurrentRow)
                out += "CURRENT ROW";
            else
            {
                append_name(*offset, out, true);
                out += kind == FrameBound::Preceding ? " PRECEDING" : " FOLLOWING";
            }
        };
        out += " BETWEEN ";
        bound(window.frame_begin, window.begin_offset);
        out += " AND ";
        bound(window.frame_end, window.end_offset);
    }
    out += ')';
}

void append_function(const AstFunction& function, std::string& out)
{
    if (function.name == "array" || function.name == "tuple")
    {
        const bool array = function.name == "array";
        out += array ? '[' : '(';
        if (array && append_uniform_literals(function.arguments, out))
        {
            out += ']';
            return;
        }
        append_names(function.arguments, out);
        out += array ? ']' : ')';
        return;
    }
    out += function.name;
    if (function.has_parameters)
    {
        out += '(';
        append_names(function.parameters, out);
        out += ')';
    }
    out += '(';
    // count(*) is count().
    const bool count_all = function.arguments.size() == 1 &&
                           function.arguments.front()->kind == AstKind::Asterisk &&
                           equals_ignoring_case(function.name, "COUNT");
    if (!count_all)
        append_names(function.arguments, out);
    out += ')';
    if (function.is_window)
        append_window(function, out);
}

void append_name(const Ast& ast, std::string& out, bool use_alias)
{
    if (use_alias && !ast.alias.empty())
    {
        out += ast.alias;
        return;
    }
    switch (ast.kind)
    {
    case AstKind::Identifier:
        out += ast.as<AstIdentifier>()->full_name();
        break;
    case AstKind::Literal:
        append_literal(*ast.as<AstLiteral>(), out);
        break;
    case AstKind::Function:
        append_function(*ast.as<AstFunction>(), out);
        break;
    case AstKind::Lambda:
    {
        const auto& lambda = *ast.as<AstLambda>();
        out += "lambda(tuple(";
        for (size_t i = 0; i < lambda.parameters.size(); ++i)
            out += (i == 0 ? "" : ", ") + lambda.parameters[i];
        out += "), ";
        append_name(*lambda.body, out, true);
        out += ')';
        break;
    }
    case AstKind::OrderByElement:
    {
        const auto& element = *ast.as<AstOrderByElement>();
        append_name(*element.expression, out, true);
        out += element.descending ? " DESC" : " ASC";
        if (element.explicit_nulls)
            out += element.nulls_first ? " NULLS FIRST" : " NULLS LAST";
        break;
    }
    case AstKind::Subquery:
        out += "_subquery";
        break;
    default:
        FormatWriter writer(false, false);
        writer.node(ast);
        out += writer.out;
    }
}

} // namespace

std::string column_name(const Ast& expression)
{
    std::string out;
    append_name(expression, out, true);
    return out;
}

std::string column_name_without_alias(const Ast& expression)
{
    std::string out;
    append_name(expression, out, false);
    return out;
}

} // namespace basalt
