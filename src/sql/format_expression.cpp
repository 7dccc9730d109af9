#include "sql/format_impl.h"
#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

struct InfixName
{
    std::string_view function;
    const char* text;
};

constexpr InfixName kInfix[] = {
    {"plus", " + "},
    {"minus", " - "},
    {"multiply", " * "},
    {"divide", " / "},
    {"modulo", " % "},
    {"equals", " = "},
    {"notEquals", " != "},
    {"less", " < "},
    {"greater", " > "},
    {"lessOrEquals", " <= "},
    {"greaterOrEquals", " >= "},
    {"like", " LIKE "},
    {"ilike", " ILIKE "},
    {"notLike", " NOT LIKE "},
    {"notILike", " NOT ILIKE "},
    {"in", " IN "},
    {"notIn", " NOT IN "},
    {"globalIn", " GLOBAL IN "},
    {"globalNotIn", " GLOBAL NOT IN "},
    {"isNotDistinctFrom", " <=> "},
    {"isDistinctFrom", " IS DISTINCT FROM "},
};

const char* infix_text(const std::string& name)
{
    for (const InfixName& one : kInfix)
        if (one.function == name)
            return one.text;
    return nullptr;
}

// Which argument of a table function or engine is a secret.
struct SecretArgument
{
    std::string_view function;
    size_t index;
};

constexpr SecretArgument kSecrets[] = {
    {"mysql", 4},          {"MySQL", 4},          {"MaterializedMySQL", 3},
    {"postgresql", 4},     {"PostgreSQL", 4},     {"MaterializedPostgreSQL", 3},
    {"mongodb", 4},        {"MongoDB", 4},        {"redis", 3},
    {"Redis", 2},          {"s3", 2},             {"S3", 2},
    {"s3Cluster", 3},      {"remote", 4},         {"remoteSecure", 4},
    {"gcs", 2},            {"encrypt", 2},        {"decrypt", 2},
    {"aes_encrypt_mysql", 2}, {"aes_decrypt_mysql", 2}, {"tryDecrypt", 2},
};

bool is_identifier_path(std::string_view part)
{
    return part.size() > 3 && (part.substr(0, 2) == "^`" || part.substr(0, 2) == ":`") &&
           part.back() == '`';
}

} // namespace

void FormatWriter::list(const AstList& items, const char* separator)
{
    bool first = true;
    for (const AstPtr& item : items)
    {
        if (!first)
            out += separator;
        first = false;
        expression(*item);
    }
}

void FormatWriter::dotted_name(std::string_view text)
{
    while (true)
    {
        const size_t dot = text.find('.');
        name(text.substr(0, dot));
        if (dot == std::string_view::npos)
            return;
        out += '.';
        text.remove_prefix(dot + 1);
    }
}

void FormatWriter::qualifier(const std::vector<std::string>& parts)
{
    for (const std::string& part : parts)
    {
        name(part);
        out += '.';
    }
}

void FormatWriter::identifier(const AstIdentifier& ast)
{
    bool first = true;
    for (const std::string& part : ast.parts)
    {
        if (!first)
            out += '.';
        first = false;
        if (!is_identifier_path(part))
        {
            name(part);
            continue;
        }
        out += part.front();
        const std::string_view inner = std::string_view(part).substr(2, part.size() - 3);
        name(inner);
    }
}

void FormatWriter::literal(const AstLiteral& ast)
{
    switch (ast.literal_kind)
    {
    case LiteralKind::Null:
        out += "NULL";
        break;
    case LiteralKind::Bool:
        out += ast.unsigned_value != 0 ? "true" : "false";
        break;
    case LiteralKind::UInt64:
        out += std::to_string(ast.unsigned_value);
        break;
    case LiteralKind::Int64:
        out += std::to_string(ast.signed_value);
        break;
    case LiteralKind::Float64:
        out += format_float(ast.float_value, true);
        break;
    case LiteralKind::String:
        out += quote_string(ast.text);
        break;
    }
}

void FormatWriter::lambda(const AstLambda& ast)
{
    if (ast.parameters.size() == 1)
        name(ast.parameters.front());
    else
    {
        out += '(';
        for (size_t i = 0; i < ast.parameters.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            name(ast.parameters[i]);
        }
        out += ')';
    }
    out += " -> ";
    expression(*ast.body, true);
}

void FormatWriter::subquery(const Ast& query)
{
    out += '(';
    if (multiline_)
    {
        ++indent_;
        line_break();
        node(query);
        --indent_;
        line_break();
    }
    else
        node(query);
    out += ')';
}

void FormatWriter::query_parameter(const AstQueryParameter& ast)
{
    out += '{';
    name(ast.name);
    out += ':' + ast.type + '}';
}

void FormatWriter::expression(const Ast& ast, bool inner)
{
    const bool aliased = !ast.alias.empty();
    const bool brackets_around_alias = aliased && (inner || ast.alias_in_parentheses);
    if (brackets_around_alias)
        out += '(';
    bool brackets = ast.parenthesized && !brackets_around_alias;
    if (brackets)
    {
        const auto* function = ast.as<AstFunction>();
        const bool has_own = ast.kind == AstKind::Subquery ||
                             (function != nullptr && function->is_operator &&
                              function->name == "tuple" && function->arguments.size() > 1);
        brackets = !has_own;
    }
    if (brackets)
        out += '(';
    expression_body(ast, inner && !brackets && !brackets_around_alias);
    if (brackets)
        out += ')';
    if (aliased)
    {
        out += " AS ";
        name(ast.alias);
    }
    if (brackets_around_alias)
        out += ')';
}

void FormatWriter::expression_body(const Ast& ast, bool inner)
{
    switch (ast.kind)
    {
    case AstKind::Identifier:
        identifier(*ast.as<AstIdentifier>());
        break;
    case AstKind::Literal:
        literal(*ast.as<AstLiteral>());
        break;
    case AstKind::Function:
        function(*ast.as<AstFunction>(), inner);
        break;
    case AstKind::Lambda:
        out += inner ? "(" : "";
        lambda(*ast.as<AstLambda>());
        out += inner ? ")" : "";
        break;
    case AstKind::Subquery:
        subquery(*ast.as<AstSubquery>()->query);
        break;
    case AstKind::Asterisk:
        qualifier(ast.as<AstAsterisk>()->qualifier);
        out += '*';
        transformers(ast.as<AstAsterisk>()->transformers);
        break;
    case AstKind::ColumnsMatcher:
    {
        const auto& matcher = *ast.as<AstColumnsMatcher>();
        qualifier(matcher.qualifier);
        out += "COLUMNS(";
        if (matcher.is_regex)
            out += quote_string(matcher.regex);
        else
            list(matcher.columns);
        out += ')';
        transformers(matcher.transformers);
        break;
    }
    case AstKind::QueryParameter:
        query_parameter(*ast.as<AstQueryParameter>());
        break;
    case AstKind::OrderByElement:
        order_by_element(*ast.as<AstOrderByElement>());
        break;
    default:
        node(ast);
    }
}

void FormatWriter::transformers(const AstList& items)
{
    for (const AstPtr& item : items)
    {
        const auto& ast = *item->as<AstColumnsTransformer>();
        const char* strict = ast.strict ? "STRICT " : "";
        switch (ast.transformer)
        {
        case TransformerKind::Except:
        {
            out += std::string(" EXCEPT ") + strict;
            if (ast.is_regex)
            {
                out += quote_string(ast.regex);
                break;
            }
            out += ast.names.size() > 1 ? "(" : "";
            for (size_t i = 0; i < ast.names.size(); ++i)
            {
                out += i == 0 ? "" : ", ";
                dotted_name(ast.names[i]);
            }
            out += ast.names.size() > 1 ? ")" : "";
            break;
        }
        case TransformerKind::Replace:
            out += std::string(" REPLACE ") + strict + "(";
            list(ast.expressions);
            out += ')';
            break;
        case TransformerKind::Apply:
        {
            const bool is_lambda = ast.function->kind == AstKind::Lambda;
            const bool brackets = is_lambda || !ast.column_name_prefix.empty();
            out += brackets ? " APPLY (" : " APPLY ";
            expression(*ast.function);
            if (!ast.column_name_prefix.empty())
                out += ", " + quote_string(ast.column_name_prefix);
            out += brackets ? ")" : "";
            break;
        }
        }
    }
}

// The left side of x[i] and x.i: brackets around all that would bind otherwise.
void FormatWriter::operand_of_bracket(const Ast& ast)
{
    bool plain = ast.alias.empty();
    if (const auto* function = ast.as<AstFunction>())
        plain = plain && (!function->is_operator || function->name == "array" ||
                          function->name == "tuple" || function->name == "concat" ||
                          function->name == "map" || function->name == "if" ||
                          function->name == "match" || function->name == "intDiv") &&
                !function->is_window && function->nulls_action == NullsAction::None;
    else if (const auto* literal = ast.as<AstLiteral>())
        plain = plain && literal->is_string();
    else
        plain = plain && (ast.kind == AstKind::Identifier || ast.kind == AstKind::Subquery ||
                          ast.kind == AstKind::QueryParameter);
    if (plain || ast.parenthesized)
    {
        expression(ast, true);
        return;
    }
    out += '(';
    expression(ast);
    out += ')';
}

void FormatWriter::in_right_side(const Ast& ast)
{
    const auto* function = ast.as<AstFunction>();
    if (ast.kind == AstKind::Subquery || function != nullptr)
    {
        expression(ast, true);
        return;
    }
    if (ast.parenthesized && ast.alias.empty())
    {
        expression(ast);
        return;
    }
    out += '(';
    expression(ast);
    out += ')';
}

// Writes the operator's own form; false when the function has none.
bool FormatWriter::operator_form(const AstFunction& ast, bool inner)
{
    const AstList& args = ast.arguments;
    const std::string& name = ast.name;
    const auto open = [&] { out += inner ? "(" : ""; };
    const auto close = [&] { out += inner ? ")" : ""; };
    if (name == "array")
    {
        out += '[';
        list(args);
        out += ']';
        return true;
    }
    if (name == "tuple" && args.size() > 1)
    {
        out += '(';
        list(args);
        out += ')';
        return true;
    }
    if (args.size() == 1)
    {
        const Ast& operand = *args.front();
        if (name == "not")
        {
            open();
            out += "NOT ";
            expression(operand, true);
            close();
            return true;
        }
        if (name == "negate")
        {
            open();
            out += '-';
            const auto* literal = operand.as<AstLiteral>();
            const auto* function = operand.as<AstFunction>();
            // -1 would be a literal, and two signs a comment.
            const bool brackets =
                !operand.parenthesized && operand.alias.empty() &&
                ((literal != nullptr && !literal->is_string()) ||
                 (function != nullptr && function->is_operator &&
                  (function->name == "arrayElement" || function->name == "tupleElement")));
            out += brackets ? "(" : "";
            expression(operand, !brackets);
            out += brackets ? ")" : "";
            close();
            return true;
        }
        if (name == "isNull" || name == "isNotNull")
        {
            open();
            expression(operand, true);
            out += name == "isNull" ? " IS NULL" : " IS NOT NULL";
            close();
            return true;
        }
        return false;
    }
    if ((name == "and" || name == "or") && args.size() > 1)
    {
        open();
        for (size_t i = 0; i < args.size(); ++i)
        {
            if (i > 0)
                out += name == "and" ? " AND " : " OR ";
            // Without brackets the first operand of the same kind would join the chain.
            expression(*args[i], true);
        }
        close();
        return true;
    }
    if (args.size() != 2)
        return false;
    if (name == "tableName")
    {
        expression(*args[0]);
        out += '.';
        expression(*args[1]);
        return true;
    }
    if (name == "arrayElement")
    {
        open();
        operand_of_bracket(*args[0]);
        out += '[';
        expression(*args[1]);
        out += ']';
        close();
        return true;
    }
    if (name == "tupleElement")
    {
        const auto* index = args[1]->as<AstLiteral>();
        if (index == nullptr || index->literal_kind != LiteralKind::UInt64)
            return false;
        open();
        operand_of_bracket(*args[0]);
        out += '.' + std::to_string(index->unsigned_value);
        close();
        return true;
    }
    const char* infix = infix_text(name);
    if (infix == nullptr)
        return false;
    open();
    expression(*args[0], true);
    out += infix;
    if (name == "in" || name == "notIn" || name == "globalIn" || name == "globalNotIn")
        in_right_side(*args[1]);
    else
        expression(*args[1], true);
    close();
    return true;
}

void FormatWriter::secret(const AstFunction& ast, size_t index)
{
    const auto* literal = ast.arguments[index]->as<AstLiteral>();
    if (literal != nullptr && literal->is_string())
        out += "'[HIDDEN]'";
    else
        expression(*ast.arguments[index]);
}

void FormatWriter::arguments(const AstFunction& ast)
{
    size_t hidden = ast.arguments.size();
    if (hide_secrets_)
        for (const SecretArgument& one : kSecrets)
            if (one.function == ast.name)
                hidden = one.index;
    bool only_names = true;
    for (size_t i = 0; i < ast.arguments.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        if (i == hidden)
        {
            secret(ast, i);
            continue;
        }
        // f(x, y -> e) is a lambda of x and y.
        const bool names_before = only_names && i > 0;
        const bool is_lambda = ast.arguments[i]->kind == AstKind::Lambda;
        expression(*ast.arguments[i], is_lambda && names_before);
        only_names = only_names && ast.arguments[i]->kind == AstKind::Identifier &&
                     ast.arguments[i]->alias.empty();
    }
    if (ast.settings != nullptr)
    {
        out += ast.arguments.empty() ? "SETTINGS " : ", SETTINGS ";
        settings(*ast.settings);
    }
}

void FormatWriter::function(const AstFunction& ast, bool inner)
{
    if (ast.is_operator && operator_form(ast, inner))
        return;
    name(ast.name);
    if (ast.no_parentheses && ast.arguments.empty() && ast.settings == nullptr)
        return;
    if (ast.has_parameters)
    {
        out += '(';
        list(ast.parameters);
        out += ')';
    }
    const auto* only =
        ast.arguments.size() == 1 ? ast.arguments.front()->as<AstSubquery>() : nullptr;
    if (only != nullptr && only->alias.empty() && ast.name == "view")
        subquery(*only->query);
    else
    {
        out += '(';
        arguments(ast);
        out += ')';
    }
    if (ast.nulls_action == NullsAction::IgnoreNulls)
        out += " IGNORE NULLS";
    else if (ast.nulls_action == NullsAction::RespectNulls)
        out += " RESPECT NULLS";
    if (ast.is_window)
    {
        out += " OVER ";
        if (ast.window != nullptr)
            window(*ast.window->as<AstWindowDefinition>());
        else
            name(ast.window_name);
    }
}

void FormatWriter::window(const AstWindowDefinition& ast)
{
    out += '(';
    bool first = true;
    const auto space = [&]
    {
        out += first ? "" : " ";
        first = false;
    };
    if (!ast.parent.empty())
    {
        space();
        name(ast.parent);
    }
    if (!ast.partition_by.empty())
    {
        space();
        out += "PARTITION BY ";
        list(ast.partition_by);
    }
    if (!ast.order_by.empty())
    {
        space();
        out += "ORDER BY ";
        list(ast.order_by);
    }
    if (ast.has_frame)
    {
        space();
        out += ast.frame == FrameKind::Rows    ? "ROWS"
               : ast.frame == FrameKind::Range ? "RANGE"
                                               : "GROUPS";
        const auto bound = [&](FrameBound kind, const AstPtr& offset)
        {
            switch (kind)
            {
            case FrameBound::UnboundedPreceding:
                out += "UNBOUNDED PRECEDING";
                break;
            case FrameBound::UnboundedFollowing:
                out += "UNBOUNDED FOLLOWING";
                break;
            case FrameBound::CurrentRow:
                out += "CURRENT ROW";
                break;
            default:
                expression(*offset, true);
                out += kind == FrameBound::Preceding ? " PRECEDING" : " FOLLOWING";
            }
        };
        out += " BETWEEN ";
        bound(ast.frame_begin, ast.begin_offset);
        out += " AND ";
        bound(ast.frame_end, ast.end_offset);
    }
    out += ')';
}

} // namespace basalt
