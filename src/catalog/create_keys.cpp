#include "binder/binder.h"
#include "catalog/create_table.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// Reason to refuse an expression in a key, or empty.
std::string find_nondeterministic(const ExpressionPtr& expression)
{
    if (expression->kind() == ExpressionKind::Call && !expression->function()->deterministic())
        return expression->name() + "()";
    for (const ExpressionPtr& argument : expression->arguments())
        if (auto found = find_nondeterministic(argument); !found.empty())
            return found;
    return {};
}

// now() folds to a constant while it is bound: such functions are found in the syntax.
void check_deterministic(const Ast& ast, std::string_view what, const QueryContext& context)
{
    if (const auto* call = ast.as<AstFunction>())
        if (auto function = scalar_functions().find(call->name, context);
            function && !function->deterministic())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("Expression must be deterministic but it contains "
                                    "non-deterministic part `{}`: for {}",
                                    format_query(ast), what));
    const_cast<Ast&>(ast).for_each_child([&](AstPtr& child)
                                         { check_deterministic(*child, what, context); });
}

ExpressionPtr bind_key_part(const Ast& ast, const Header& header, std::string_view what,
                            const QueryContext& context)
{
    check_deterministic(ast, what, context);
    ExpressionPtr bound;
    try
    {
        bound = bind_expression(ast, header, context);
    }
    catch (const Error& error)
    {
        if (error.code() != error_codes::UNKNOWN_IDENTIFIER)
            throw;
        std::string available;
        for (const NamedType& column : header)
            available += " '" + column.name + "'";
        throw Error(error_codes::UNKNOWN_IDENTIFIER,
                    fmt::format("Missing columns while processing: '{}', available columns:{}. {}",
                                format_query(ast), available, error.message()));
    }
    if (bound->is_constant())
        throw Error(error_codes::ILLEGAL_COLUMN, fmt::format("{} cannot contain constants", what));
    if (auto part = find_nondeterministic(bound); !part.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Expression must be deterministic but it contains "
                                "non-deterministic part `{}`: for {}",
                                part, what));
    return bound;
}

} // namespace

KeyDescription bind_key(const AstPtr& ast, const std::vector<ColumnDescription>& columns,
                        std::string_view what, bool allow_nullable, const QueryContext& context)
{
    KeyDescription key;
    if (!ast)
        return key;
    AstList parts;
    const auto* tuple = ast->as<AstFunction>();
    if (tuple && tuple->name == "tuple")
        parts = tuple->arguments;
    else if (const auto* list = ast->as<AstExpressionList>())
        parts = list->expressions;
    else
        parts = {ast};
    Header header = header_of_columns(columns, false);
    // A key may name an ALIAS column: it is the alias's expression.
    for (const AstPtr& written : parts)
    {
        AstPtr part = written;
        bool descending = false;
        if (const auto* ordered = part->as<AstOrderByElement>())
        {
            descending = ordered->descending;
            part = ordered->expression;
        }
        ExpressionPtr bound = bind_key_part(*part, header, what, context);
        if (!allow_nullable && is_nullable_or_lc_nullable(bound->type()))
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("{} contains nullable columns, but merge tree setting "
                                    "`allow_nullable_key` is disabled",
                                    what));
        if (bound->type()->is(TypeId::AggregateFunction))
            throw Error(error_codes::DATA_TYPE_CANNOT_BE_USED_IN_KEY,
                        fmt::format("Type {} cannot be used in the {}", bound->type()->name(),
                                    what));
        key.text += (key.text.empty() ? "" : ", ") + format_query(*part) +
                    (descending ? " DESC" : "");
        key.expressions.push_back(std::move(bound));
        key.descending.push_back(descending);
    }
    return key;
}

IndexDescription bind_index(const AstIndexDeclaration& declaration,
                            const std::vector<ColumnDescription>& columns,
                            const QueryContext& context)
{
    static constexpr std::string_view kTypes[] = {"minmax",     "set",          "bloom_filter",
                                                  "ngrambf_v1", "tokenbf_v1",   "text",
                                                  "hypothesis", "sparse_grams", "vector_similarity"};
    IndexDescription index;
    index.name = declaration.name;
    if (!declaration.type)
        throw Error(error_codes::INCORRECT_QUERY,
                    fmt::format("TYPE is required for index {}", index.name));
    const auto& type = *declaration.type->as<AstFunction>();
    index.type = type.name;
    if (std::find(std::begin(kTypes), std::end(kTypes), index.type) == std::end(kTypes))
    {
        std::string known;
        for (const std::string_view name : kTypes)
            known += (known.empty() ? "" : ", ") + std::string(name);
        throw Error(error_codes::INCORRECT_QUERY,
                    fmt::format("Unknown Index type '{}'. Available index types: {}: When "
                                "validating secondary index `{}`",
                                index.type, known, index.name));
    }
    if (index.type == "hypothesis" || index.type == "sparse_grams" ||
        index.type == "vector_similarity")
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Index type {} is not implemented", index.type));
    for (const AstPtr& argument : type.arguments)
    {
        // text(tokenizer = 'splitByNonAlpha') keeps its pairs as texts.
        if (const auto* pair = argument->as<AstFunction>(); pair && pair->name == "equals")
            index.arguments.push_back(Value(format_query(*argument)));
        else
            index.arguments.push_back(
                bind_constant(*argument, context, "An argument of an index").value);
    }
    if (declaration.granularity)
    {
        const auto value = bind_constant(*declaration.granularity, context, "GRANULARITY").value;
        const auto* number = value.get_if<uint64_t>();
        if (!number || *number == 0)
            throw Error(error_codes::INCORRECT_QUERY, "GRANULARITY must be a positive integer");
        index.granularity = *number;
    }
    // As ClickHouse shows it; it says nothing of how a text index is cut.
    if (index.type == "text")
        index.granularity = 100'000'000;
    index.expression_text = format_query(*declaration.expression);
    index.expression = bind_key_part(*declaration.expression, header_of_columns(columns, false),
                                     "Index", context);
    return index;
}

void bind_constraint(const AstConstraintDeclaration& declaration,
                     const std::vector<ColumnDescription>& columns, TableMetadata& metadata,
                     const QueryContext& context)
{
    for (const auto& [name, text] : metadata.constraints)
        if (name == declaration.name)
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Constraint with name `{}` already exists", name));
    auto bound =
        bind_expression(*declaration.expression, header_of_columns(columns, true), context);
    if (declaration.assume)
        return; // kept in the CREATE text; nothing checks it
    const TypePtr type = strip_wrappers(bound->type());
    if (!type->is(TypeId::UInt8) && !type->is(TypeId::Bool))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Constraint {} must be of type UInt8, not {}", declaration.name,
                                bound->type()->name()));
    metadata.constraints.emplace_back(declaration.name, format_query(*declaration.expression));
    metadata.constraint_expressions.push_back(std::move(bound));
}

} // namespace basalt
