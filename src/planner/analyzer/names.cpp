#include "planner/analyzer/select_analyzer.h"

#include "sql/formatter.h"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>

namespace basalt
{

namespace
{

// A column that a matcher chose, as a node: {mark, table, column}.
const std::string kColumnMark = "\x01";
const std::string kUsingTable = "u";

bool is_count_star(const AstFunction& call)
{
    std::string name = call.name;
    for (char& c : name)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    // count(*) FILTER (WHERE c) is countIf(*, c).
    const size_t arguments = name == "count" ? 1 : name == "countif" ? 2 : 0;
    return arguments && call.arguments.size() == arguments &&
           call.arguments[0]->kind == AstKind::Asterisk &&
           call.arguments[0]->as<AstAsterisk>()->qualifier.empty() &&
           call.arguments[0]->as<AstAsterisk>()->transformers.empty();
}

std::shared_ptr<AstIdentifier> mark_node(const std::string& table, size_t column)
{
    auto node = std::make_shared<AstIdentifier>();
    node->parts = {kColumnMark, table, std::to_string(column)};
    return node;
}

void replace_identifier(AstPtr& ast, const std::string& name, const AstPtr& by)
{
    if (const auto* identifier = ast->as<AstIdentifier>();
        identifier && identifier->parts.size() == 1 && identifier->parts[0] == name)
    {
        ast = by->clone();
        return;
    }
    ast->for_each_child([&](AstPtr& child) { replace_identifier(child, name, by); });
}

} // namespace

AstPtr SelectAnalyzer::column_node(size_t table, size_t column) const
{
    return mark_node(std::to_string(table), column);
}

const ScopeColumn* SelectAnalyzer::column_of_node(const AstIdentifier& identifier) const
{
    if (identifier.parts.size() != 3 || identifier.parts[0] != kColumnMark)
        return nullptr;
    const size_t column = std::stoull(identifier.parts[2]);
    if (identifier.parts[1] == kUsingTable)
        return &from_.using_columns[column];
    return &from_.tables[std::stoull(identifier.parts[1])].columns[column];
}

bool SelectAnalyzer::is_matcher(const Ast& ast) const
{
    return ast.kind == AstKind::Asterisk || ast.kind == AstKind::ColumnsMatcher;
}

namespace
{

struct MatchedColumn
{
    std::string name;
    AstPtr node;
};

void apply_transformer(const AstColumnsTransformer& transformer,
                       std::vector<MatchedColumn>& matched)
{
    switch (transformer.transformer)
    {
    case TransformerKind::Except:
    {
        std::set<std::string> names(transformer.names.begin(), transformer.names.end());
        std::unique_ptr<re2::RE2> regex;
        if (transformer.is_regex)
            regex = std::make_unique<re2::RE2>(transformer.regex, re2::RE2::Quiet);
        std::set<std::string> found;
        std::erase_if(matched,
                      [&](const MatchedColumn& column)
                      {
                          found.insert(column.name);
                          return transformer.is_regex
                                     ? re2::RE2::PartialMatch(column.name, *regex)
                                     : names.contains(column.name);
                      });
        if (transformer.strict)
            for (const std::string& name : names)
                if (!found.contains(name))
                    throw Error(error_codes::BAD_ARGUMENTS,
                                fmt::format("Columns transformer EXCEPT expects following "
                                            "column(s): {}",
                                            name));
        return;
    }
    case TransformerKind::Replace:
        for (const AstPtr& expression : transformer.expressions)
        {
            bool any = false;
            for (MatchedColumn& column : matched)
                if (column.name == expression->alias)
                {
                    column.node = expression->clone();
                    any = true;
                }
            if (!any && transformer.strict)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Columns transformer REPLACE expects following "
                                        "column(s): {}",
                                        expression->alias));
        }
        return;
    case TransformerKind::Apply:
        for (MatchedColumn& column : matched)
        {
            AstPtr node;
            if (const auto* lambda = transformer.function->as<AstLambda>())
            {
                node = lambda->body->clone();
                if (!lambda->parameters.empty())
                    replace_identifier(node, lambda->parameters[0], column.node);
            }
            else
            {
                const auto& prototype = *transformer.function->as<AstFunction>();
                auto call = std::make_shared<AstFunction>(prototype.name);
                call->parameters =
                    prototype.parameters.empty() ? prototype.arguments : prototype.parameters;
                call->has_parameters = !call->parameters.empty();
                call->arguments = {column.node};
                node = call;
            }
            if (!transformer.column_name_prefix.empty())
                node->alias = transformer.column_name_prefix + column.name;
            column.node = std::move(node);
        }
        return;
    }
}

} // namespace

void SelectAnalyzer::expand_matcher(const Ast& matcher, AstList& out)
{
    const auto* asterisk = matcher.as<AstAsterisk>();
    const auto* columns = matcher.as<AstColumnsMatcher>();
    const auto& qualifier = asterisk ? asterisk->qualifier : columns->qualifier;
    const auto& transformers = asterisk ? asterisk->transformers : columns->transformers;

    std::vector<MatchedColumn> matched;
    if (columns && !columns->is_regex)
    {
        for (const AstPtr& name : columns->columns)
        {
            auto identifier = std::make_shared<AstIdentifier>(*name->as<AstIdentifier>());
            identifier->parts.insert(identifier->parts.begin(), qualifier.begin(),
                                     qualifier.end());
            const auto found = from_.find(identifier->parts, context_);
            if (found.place == ColumnReference::Place::None)
                throw_unknown_identifier(*identifier);
            matched.push_back({name->as<AstIdentifier>()->full_name(), identifier});
        }
    }
    else
    {
        std::unique_ptr<re2::RE2> regex;
        if (columns)
        {
            regex = std::make_unique<re2::RE2>(columns->regex, re2::RE2::Quiet);
            if (!regex->ok())
                throw Error(error_codes::CANNOT_COMPILE_REGEXP,
                            fmt::format("COLUMNS pattern {} cannot be compiled: {}",
                                        columns->regex, regex->error()));
        }
        auto fits = [&](const ScopeColumn& column)
        { return !column.hidden && (!regex || re2::RE2::PartialMatch(column.name, *regex)); };
        std::set<std::string> merged;
        if (qualifier.empty())
            for (size_t c = 0; c < from_.using_columns.size(); ++c)
            {
                merged.insert(from_.using_columns[c].name);
                if (fits(from_.using_columns[c]))
                    matched.push_back({from_.using_columns[c].name, mark_node(kUsingTable, c)});
            }
        bool any_table = qualifier.empty();
        for (size_t t = 0; t < from_.tables.size(); ++t)
        {
            const ScopeTable& table = from_.tables[t];
            if (!qualifier.empty() &&
                std::find(table.qualifiers.begin(), table.qualifiers.end(), qualifier) ==
                    table.qualifiers.end())
                continue;
            any_table = true;
            for (size_t c = 0; c < table.columns.size(); ++c)
                if (fits(table.columns[c]) && !merged.contains(table.columns[c].name))
                    matched.push_back({table.columns[c].name, column_node(t, c)});
        }
        if (!any_table)
        {
            AstIdentifier name;
            name.parts = qualifier;
            throw Error(error_codes::UNKNOWN_IDENTIFIER,
                        fmt::format("Qualified matcher {}.* does not find table.{}",
                                    name.full_name(), scope_text()));
        }
    }
    for (const AstPtr& transformer : transformers)
        apply_transformer(*transformer->as<AstColumnsTransformer>(), matched);
    for (MatchedColumn& column : matched)
        out.push_back(std::move(column.node));
}

bool SelectAnalyzer::expand_argument(const Ast& argument, AstList& out)
{
    if (!is_matcher(argument))
        return false;
    expand_matcher(argument, out);
    return true;
}

// untuple(t): one item for each element.
bool SelectAnalyzer::expand_untuple(const Ast& ast)
{
    const auto* call = ast.as<AstFunction>();
    if (!call || call->name != "untuple")
        return false;
    if (call->arguments.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function 'untuple' must have 1 argument.{}", scope_text()));
    const AstPtr& argument = call->arguments[0];
    const ExpressionPtr bound = bind_in_stage(*argument, Stage::Rows, "SELECT");
    if (!bound->type()->is(TypeId::Tuple))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Function 'untuple' argument must have compound type. Actual "
                                "type {}.{}",
                                bound->type()->name(), scope_text()));
    const auto& type = type_as<TupleType>(bound->type());
    for (size_t i = 0; i < type.elements().size(); ++i)
    {
        const std::string part = type.named() ? type.names()[i] : std::to_string(i + 1);
        AstPtr index = type.named() ? AstPtr(AstLiteral::string(part))
                                    : AstPtr(AstLiteral::unsigned_number(i + 1));
        AstPtr element = make_ast_function("tupleElement", argument, std::move(index));
        const std::string name =
            ast.alias.empty()
                ? display_name(*make_ast_function("tupleElement", argument,
                                                  AstPtr(AstLiteral::string(part))))
                : ast.alias + "." + part;
        items_.push_back({std::move(element), name, nullptr, {}});
    }
    return true;
}

void SelectAnalyzer::expand_projection()
{
    for (const AstPtr& ast : select_.projection)
    {
        if (is_matcher(*ast))
        {
            AstList expanded;
            expand_matcher(*ast, expanded);
            for (AstPtr& node : expanded)
                items_.push_back({node, display_name(*node), nullptr, {}});
            continue;
        }
        if (expand_untuple(*ast))
            continue;
        // A matcher inside: COLUMNS('x') + 1 gives one item per column.
        if (const auto* call = ast->as<AstFunction>();
            call && call->is_operator && ast->alias.empty())
        {
            size_t matcher = call->arguments.size();
            for (size_t i = 0; i < call->arguments.size(); ++i)
                if (is_matcher(*call->arguments[i]))
                    matcher = i;
            if (matcher < call->arguments.size())
            {
                AstList expanded;
                expand_matcher(*call->arguments[matcher], expanded);
                if (expanded.size() == 1)
                {
                    AstPtr node = ast->clone();
                    node->as<AstFunction>()->arguments[matcher] = expanded[0];
                    items_.push_back({node, display_name(*node), nullptr, {}});
                    continue;
                }
            }
        }
        items_.push_back({ast, display_name(*ast), nullptr, {}});
    }
    if (items_.empty())
        throw Error(error_codes::EMPTY_LIST_OF_COLUMNS_QUERIED,
                    fmt::format("The list of columns of SELECT is empty.{}", scope_text()));
}

std::string SelectAnalyzer::display_name(const Ast& ast)
{
    if (!ast.alias.empty())
        return ast.alias;
    if (const auto* literal = ast.as<AstLiteral>())
        return column_name(*literal);
    AstPtr copy = ast.clone();
    shorten_names(copy, {});
    if (const auto* identifier = copy->as<AstIdentifier>())
        return identifier->full_name();
    return column_name(*copy);
}

// Columns by their shortest names, subqueries by number, as ClickHouse names results.
void SelectAnalyzer::shorten_names(AstPtr& ast, const std::set<std::string>& hidden)
{
    if (auto* identifier = ast->as<AstIdentifier>())
    {
        if (const ScopeColumn* column = column_of_node(*identifier))
        {
            if (identifier->parts[1] == kUsingTable)
                identifier->parts = {column->name};
            else
                identifier->parts = from_.shortest_name(std::stoull(identifier->parts[1]),
                                                        std::stoull(identifier->parts[2]),
                                                        context_);
            return;
        }
        if (identifier->parts.size() < 2 || hidden.contains(identifier->parts[0]) ||
            aliases_.contains(identifier->parts[0]))
            return;
        const auto found = from_.find(identifier->parts, context_);
        if (found.place != ColumnReference::Place::Table)
            return;
        auto name = from_.shortest_name(found.table, found.column, context_);
        for (size_t i = found.used_parts; i < identifier->parts.size(); ++i)
            name.push_back(identifier->parts[i]);
        identifier->parts = std::move(name);
        return;
    }
    if (ast->kind == AstKind::Subquery)
    {
        auto name = std::make_shared<AstIdentifier>(
            fmt::format("_subquery_{}", state_.next_subquery++));
        name->alias = ast->alias;
        ast = name;
        return;
    }
    if (auto* call = ast->as<AstFunction>(); call && is_count_star(*call))
        call->arguments.erase(call->arguments.begin());
    // EXISTS is named by its answer.
    if (const auto* call = ast->as<AstFunction>();
        call && (call->name == "exists" || call->name == "EXISTS") &&
        call->arguments.size() == 1 &&
        call->arguments[0]->kind == AstKind::Subquery)
    {
        const ExpressionPtr value = bind_exists(*call);
        const std::string alias = ast->alias;
        ++state_.next_subquery;
        ast = AstLiteral::unsigned_number(
            value->constant_column()->value_at(0).get<uint64_t>());
        ast->alias = alias;
        return;
    }
    if (auto* call = ast->as<AstFunction>())
    {
        AstList arguments;
        for (const AstPtr& argument : call->arguments)
            if (is_matcher(*argument))
                expand_matcher(*argument, arguments);
            else
                arguments.push_back(argument);
        call->arguments = std::move(arguments);
    }
    if (const auto* lambda = ast->as<AstLambda>())
    {
        std::set<std::string> inside = hidden;
        inside.insert(lambda->parameters.begin(), lambda->parameters.end());
        ast->for_each_child([&](AstPtr& child) { shorten_names(child, inside); });
        return;
    }
    ast->for_each_child([&](AstPtr& child) { shorten_names(child, hidden); });
}

} // namespace basalt
