// The text of EXPLAIN AST: ClickHouse's names of nodes, one a line, a space of indent per level,
// "(children N)" where there are any.

#include "sql/ast_access.h"
#include "sql/ast_alter.h"
#include "sql/format_impl.h"

namespace basalt
{

namespace
{

struct Line
{
    std::string text;
    std::vector<Line> children;
};

Line explain(const Ast& ast);

Line explain_list(const AstList& list)
{
    Line line{"ExpressionList", {}};
    for (const AstPtr& one : list)
        line.children.push_back(explain(*one));
    return line;
}

void add(Line& line, const AstPtr& child)
{
    if (child != nullptr)
        line.children.push_back(explain(*child));
}

void add_list(Line& line, const AstList& list)
{
    if (!list.empty())
        line.children.push_back(explain_list(list));
}

bool all_literals(const AstFunction& function)
{
    for (const AstPtr& one : function.arguments)
    {
        const auto* nested = one->as<AstFunction>();
        const bool collection =
            nested != nullptr && nested->is_operator && nested->alias.empty() &&
            (nested->name == "array" || nested->name == "tuple") && all_literals(*nested);
        if ((one->as<AstLiteral>() == nullptr || !one->alias.empty()) && !collection)
            return false;
    }
    return !function.arguments.empty() || function.name == "array";
}

std::string literal_text(const Ast& ast)
{
    if (const auto* function = ast.as<AstFunction>())
    {
        const bool array = function->name == "array";
        std::string text = array ? "Array_[" : "Tuple_(";
        for (size_t i = 0; i < function->arguments.size(); ++i)
            text += (i == 0 ? "" : ", ") + literal_text(*function->arguments[i]);
        return text + (array ? "]" : ")");
    }
    const auto& literal = *ast.as<AstLiteral>();
    switch (literal.literal_kind)
    {
    case LiteralKind::Null:
        return "NULL";
    case LiteralKind::Bool:
        return literal.unsigned_value != 0 ? "Bool_1" : "Bool_0";
    case LiteralKind::UInt64:
        return "UInt64_" + std::to_string(literal.unsigned_value);
    case LiteralKind::Int64:
        return "Int64_" + std::to_string(literal.signed_value);
    case LiteralKind::Float64:
        return "Float64_" + format_float(literal.float_value, true);
    case LiteralKind::String:
        return quote_string(literal.text);
    }
    return {};
}

std::string with_alias(std::string text, const Ast& ast)
{
    return ast.alias.empty() ? text : text + " (alias " + ast.alias + ")";
}

Line explain_function(const AstFunction& function)
{
    if (function.is_operator && (function.name == "array" || function.name == "tuple") &&
        all_literals(function))
        return {with_alias("Literal " + literal_text(function), function), {}};
    Line line{with_alias("Function " + function.name, function), {}};
    if (!function.no_parentheses)
        line.children.push_back(explain_list(function.arguments));
    if (function.has_parameters)
        line.children.push_back(explain_list(function.parameters));
    add(line, function.window);
    return line;
}

Line explain_table(const AstTableElement& element)
{
    Line line{"TablesInSelectQueryElement", {}};
    if (element.table != nullptr)
    {
        Line expression{"TableExpression", {}};
        Line table = explain(*element.table);
        if (element.table->kind == AstKind::Identifier)
            table.text = "Table" + table.text;
        expression.children.push_back(std::move(table));
        add(expression, element.sample);
        add(expression, element.sample_offset);
        line.children.push_back(std::move(expression));
    }
    if (element.join == AstJoinKind::ArrayJoin || element.join == AstJoinKind::LeftArrayJoin)
        line.children.push_back({"ArrayJoin", {explain_list(element.array_join)}});
    else if (element.join != AstJoinKind::None)
    {
        Line join{"TableJoin", {}};
        add_list(join, element.using_columns);
        add(join, element.on);
        line.children.push_back(std::move(join));
    }
    return line;
}

Line explain_select(const AstSelect& select)
{
    Line line{"SelectQuery", {}};
    add_list(line, select.with);
    add_list(line, select.projection);
    if (!select.from.empty())
    {
        Line tables{"TablesInSelectQuery", {}};
        for (const AstPtr& one : select.from)
            tables.children.push_back(explain_table(*one->as<AstTableElement>()));
        line.children.push_back(std::move(tables));
    }
    add(line, select.prewhere);
    add(line, select.where);
    add_list(line, select.group_by);
    add(line, select.having);
    add_list(line, select.windows);
    add(line, select.qualify);
    add_list(line, select.order_by);
    add(line, select.limit_by_offset);
    add(line, select.limit_by_limit);
    add_list(line, select.limit_by);
    add(line, select.offset);
    add(line, select.limit);
    if (select.settings != nullptr)
        line.children.push_back({"Set", {}});
    add_list(line, select.interpolate);
    return line;
}

void add_name(Line& line, const AstTableName& name)
{
    if (!name.database.empty())
        line.children.push_back({"Identifier " + name.database, {}});
    line.children.push_back({"Identifier " + name.table, {}});
}

Line explain_insert(const AstInsert& insert)
{
    Line line{"InsertQuery  ", {}};
    if (insert.table_function)
        add(line, insert.table_function);
    else
        add_name(line, insert.target);
    add_list(line, insert.columns);
    add(line, insert.select);
    return line;
}

Line explain(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::Identifier:
        return {with_alias("Identifier " + ast.as<AstIdentifier>()->full_name(), ast), {}};
    case AstKind::Literal:
        return {with_alias("Literal " + literal_text(ast), ast), {}};
    case AstKind::Function:
        return explain_function(*ast.as<AstFunction>());
    case AstKind::Lambda:
    {
        const auto& lambda = *ast.as<AstLambda>();
        Line parameters{"ExpressionList", {}};
        for (const std::string& one : lambda.parameters)
            parameters.children.push_back({"Identifier " + one, {}});
        Line tuple{"Function tuple", {std::move(parameters)}};
        Line arguments{"ExpressionList", {std::move(tuple), explain(*lambda.body)}};
        return {with_alias("Function lambda", ast), {std::move(arguments)}};
    }
    case AstKind::Subquery:
        return {with_alias("Subquery", ast), {explain(*ast.as<AstSubquery>()->query)}};
    case AstKind::Asterisk:
    {
        const auto& asterisk = *ast.as<AstAsterisk>();
        if (asterisk.qualifier.empty())
            return {"Asterisk", {}};
        std::string name;
        for (const std::string& part : asterisk.qualifier)
            name += (name.empty() ? "" : ".") + part;
        return {"QualifiedAsterisk", {{"Identifier " + name, {}}}};
    }
    case AstKind::Select:
        return explain_select(*ast.as<AstSelect>());
    case AstKind::SelectUnion:
        return {"SelectWithUnionQuery", {explain_list(ast.as<AstSelectUnion>()->selects)}};
    case AstKind::TableElement:
        return explain_table(*ast.as<AstTableElement>());
    case AstKind::Query:
    {
        Line line = explain(*ast.as<AstQuery>()->statement);
        if (!ast.as<AstQuery>()->format.empty())
            line.children.push_back({"Identifier " + ast.as<AstQuery>()->format, {}});
        if (ast.as<AstQuery>()->settings != nullptr)
            line.children.push_back({"Set", {}});
        return line;
    }
    case AstKind::SetQuery:
        return {"Set", {}};
    case AstKind::WindowDefinition:
    {
        const auto& window = *ast.as<AstWindowDefinition>();
        Line line{"WindowDefinition", {}};
        add_list(line, window.partition_by);
        add_list(line, window.order_by);
        add(line, window.begin_offset);
        add(line, window.end_offset);
        return line;
    }
    case AstKind::IndexDeclaration:
    {
        Line line{"Index", {}};
        add(line, ast.as<AstIndexDeclaration>()->expression);
        add(line, ast.as<AstIndexDeclaration>()->type);
        return line;
    }
    case AstKind::CreateTable:
    {
        const auto& create = *ast.as<AstCreateTable>();
        const AstTableName& name = create.name;
        Line line{"CreateQuery " + (name.database.empty() ? "" : name.database + " ") + name.table,
                  {}};
        add_name(line, name);
        Line columns{"Columns definition", {}};
        add_list(columns, create.columns);
        add_list(columns, create.indices);
        add_list(columns, create.constraints);
        add_list(columns, create.projections);
        if (!columns.children.empty())
            line.children.push_back(std::move(columns));
        if (create.storage != nullptr)
        {
            line.children.push_back(explain(*create.storage));
            line.children.back().text = "Storage definition";
        }
        add(line, create.select);
        add(line, create.comment);
        return line;
    }
    case AstKind::Drop:
    {
        const auto& drop = *ast.as<AstDrop>();
        Line line{"DropQuery " + drop.database, {}};
        for (const AstTableName& one : drop.names)
        {
            line.text = "DropQuery " + one.database + " " + one.table;
            add_name(line, one);
        }
        if (!drop.database.empty())
            line.children.push_back({"Identifier " + drop.database, {}});
        return line;
    }
    case AstKind::Insert:
        return explain_insert(*ast.as<AstInsert>());
    case AstKind::TypeName:
        return {"DataType " + ast.as<AstTypeName>()->name, {}};
    case AstKind::ExpressionList:
        return explain_list(ast.as<AstExpressionList>()->expressions);
    case AstKind::ColumnDeclaration:
    {
        const auto& column = *ast.as<AstColumnDeclaration>();
        Line line{"ColumnDeclaration " + column.name, {}};
        add(line, column.type);
        add(line, column.default_expression);
        add(line, column.comment);
        add(line, column.codec);
        add(line, column.ttl);
        return line;
    }
    default:
    {
        Line line{with_alias(std::string(ast_kind_name(ast.kind)), ast), {}};
        // Visiting reads only.
        const_cast<Ast&>(ast).for_each_child(
            [&](AstPtr& child) { line.children.push_back(explain(*child)); });
        return line;
    }
    }
}

void print(const Line& line, size_t indent, std::string& out)
{
    out += std::string(indent, ' ') + line.text;
    if (!line.children.empty())
        out += " (children " + std::to_string(line.children.size()) + ")";
    out += '\n';
    for (const Line& child : line.children)
        print(child, indent + 1, out);
}

} // namespace

std::string explain_tree(const Ast& ast)
{
    std::string out;
    print(explain(ast), 0, out);
    return out;
}

} // namespace basalt
