#include "binder/binder.h"
#include "catalog/create_table.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace basalt
{

namespace
{

DefaultKind default_kind(ColumnDefault kind)
{
    switch (kind)
    {
    case ColumnDefault::Default:
        return DefaultKind::Default;
    case ColumnDefault::Materialized:
        return DefaultKind::Materialized;
    case ColumnDefault::Ephemeral:
        return DefaultKind::Ephemeral;
    case ColumnDefault::Alias:
        return DefaultKind::Alias;
    case ColumnDefault::None:
        return DefaultKind::None;
    default:
        throw Error(error_codes::NOT_IMPLEMENTED, "AUTO_INCREMENT is not implemented");
    }
}

void check_type(const TypePtr& type, const QueryContext& context)
{
    if (!type->is_low_cardinality() ||
        context.settings.get_bool("allow_suspicious_low_cardinality_types"))
        return;
    const TypePtr nested = strip_wrappers(type);
    if (nested->is_string() || nested->is(TypeId::UUID))
        return;
    throw Error(error_codes::SUSPICIOUS_TYPE_FOR_LOW_CARDINALITY,
                fmt::format("Creating columns of type {} is prohibited by default due to expected "
                            "negative impact on performance. It can be enabled with the "
                            "`allow_suspicious_low_cardinality_types` setting.",
                            type->name()));
}

// n Nested(a T, b U) is n.a Array(T), n.b Array(U).
bool take_nested_apart(const AstColumnDeclaration& declaration, AstList& out)
{
    if (!declaration.type)
        return false;
    const auto& type = *declaration.type->as<AstTypeName>();
    if (type.name != "Nested")
        return false;
    for (const AstPtr& argument : type.arguments)
    {
        const auto* pair = argument->as<AstNameTypePair>();
        if (!pair)
            throw Error(error_codes::BAD_ARGUMENTS, "Nested takes names with types");
        auto column = std::make_shared<AstColumnDeclaration>();
        column->name = declaration.name + "." + pair->name;
        auto array = std::make_shared<AstTypeName>();
        array->name = "Array";
        array->has_parentheses = true;
        array->arguments = {pair->type};
        column->type = array;
        out.push_back(column);
    }
    return true;
}

ColumnDescription describe(const AstColumnDeclaration& declaration, const QueryContext& context)
{
    ColumnDescription column;
    column.name = declaration.name;
    if (declaration.type)
    {
        column.type = type_from_name(declaration.type->as<AstTypeName>()->to_text());
        const bool nullable_default = context.settings.get_bool("data_type_default_nullable");
        if (declaration.null_modifier == NullModifier::Null ||
            (nullable_default && declaration.null_modifier == NullModifier::None &&
             can_be_inside_nullable(column.type)))
        {
            if (column.type->is_nullable())
                throw Error(error_codes::ILLEGAL_SYNTAX_FOR_DATA_TYPE,
                            "Can't use [NOT] NULL modifier with Nullable type");
            column.type = make_nullable(column.type);
        }
        check_type(column.type, context);
    }
    column.default_kind = default_kind(declaration.default_kind);
    if (declaration.default_expression)
        column.default_text = format_query(*declaration.default_expression);
    if (!column.type && column.default_text.empty() &&
        column.default_kind != DefaultKind::Ephemeral)
        throw Error(error_codes::SYNTAX_ERROR,
                    fmt::format("Column {} has neither a type nor a default", column.name));
    if (declaration.comment)
        column.comment = declaration.comment->as<AstLiteral>()->text;
    if (declaration.ttl)
        column.ttl_text = format_query(*declaration.ttl);
    if (declaration.settings)
        throw Error(error_codes::NOT_IMPLEMENTED, "Settings of a column are not implemented");
    return column;
}

} // namespace

Header header_of_columns(const std::vector<ColumnDescription>& columns, bool with_aliases)
{
    Header header;
    for (const ColumnDescription& column : columns)
        if (column.type && (with_aliases || (column.default_kind != DefaultKind::Alias &&
                                             column.default_kind != DefaultKind::Ephemeral)))
            header.push_back({column.name, column.type});
    return header;
}

void bind_defaults(std::vector<ColumnDescription>& columns, const QueryContext& context)
{
    // A default may use columns whose own type comes from a default: in rounds.
    std::set<std::string> open;
    for (ColumnDescription& column : columns)
    {
        column.default_expression = nullptr;
        if (!column.default_text.empty())
            open.insert(column.name);
    }
    while (!open.empty())
    {
        bool progress = false;
        std::optional<Error> failure;
        const Header known = header_of_columns(columns, true);
        for (ColumnDescription& column : columns)
        {
            if (!open.contains(column.name))
                continue;
            Header visible;
            for (const NamedType& other : known)
                if (other.name != column.name)
                    visible.push_back(other);
            ExpressionPtr bound;
            try
            {
                bound = bind_expression(*parse_expression(column.default_text), visible, context);
            }
            catch (const Error& error)
            {
                const bool waits = error.code() == error_codes::UNKNOWN_IDENTIFIER && !column.type;
                if (!waits && error.code() != error_codes::UNKNOWN_IDENTIFIER)
                    throw;
                if (!failure)
                    failure = error;
                continue;
            }
            if (!column.type)
                column.type = bound->type();
            column.default_expression = cast_to(bound, column.type, context);
            open.erase(column.name);
            progress = true;
        }
        if (!progress)
            throw *failure;
    }
    // A cycle of defaults would have no start.
    std::map<std::string, std::vector<std::string>> uses;
    for (const ColumnDescription& column : columns)
        if (column.default_expression)
            uses[column.name] = inputs_of({column.default_expression});
    std::map<std::string, int> state; // 1: open, 2: done
    struct Walk
    {
        std::map<std::string, std::vector<std::string>>& uses;
        std::map<std::string, int>& state;
        void operator()(const std::string& name)
        {
            if (state[name] == 2)
                return;
            if (state[name] == 1)
                throw Error(error_codes::CYCLIC_ALIASES,
                            fmt::format("Cyclic dependency in default expressions at column {}",
                                        name));
            state[name] = 1;
            if (auto it = uses.find(name); it != uses.end())
                for (const std::string& other : it->second)
                    (*this)(other);
            state[name] = 2;
        }
    } walk{uses, state};
    for (const ColumnDescription& column : columns)
        walk(column.name);
}

AstList flatten_nested(const AstPtr& declaration, const QueryContext& context)
{
    AstList flat;
    if (!context.settings.get_bool("flatten_nested") ||
        !take_nested_apart(*declaration->as<AstColumnDeclaration>(), flat))
        flat.push_back(declaration);
    return flat;
}

std::vector<ColumnDescription> bind_columns(const AstList& declarations,
                                            const QueryContext& context)
{
    AstList flat;
    for (const AstPtr& ast : declarations)
        for (AstPtr& one : flatten_nested(ast, context))
            flat.push_back(std::move(one));
    std::vector<ColumnDescription> columns;
    std::set<std::string> names;
    for (const AstPtr& ast : flat)
    {
        const auto& declaration = *ast->as<AstColumnDeclaration>();
        if (!names.insert(declaration.name).second)
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Cannot add column {}: column with this name already exists.",
                                    quote_identifier_if_needed(declaration.name)));
        columns.push_back(describe(declaration, context));
    }
    bind_defaults(columns, context);
    for (size_t i = 0; i < columns.size(); ++i)
    {
        const auto& declaration = *flat[i]->as<AstColumnDeclaration>();
        if (!columns[i].type)
            columns[i].type = simple_type(TypeId::String); // EPHEMERAL alone
        if (declaration.codec)
        {
            if (columns[i].default_kind == DefaultKind::Alias)
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Cannot specify codec for column ALIAS {}",
                                        columns[i].name));
            columns[i].codec = bind_codec(*declaration.codec, columns[i].type, context);
        }
        if (!columns[i].ttl_text.empty())
        {
            const auto ttl = bind_expression(*declaration.ttl, header_of_columns(columns, false),
                                             context);
            const TypePtr type = remove_low_cardinality(ttl->type());
            if (!type->is_date_or_time())
                throw Error(error_codes::BAD_TTL_EXPRESSION,
                            fmt::format("TTL expression result column should have DateTime or "
                                        "Date type, but has {}",
                                        ttl->type()->name()));
        }
    }
    if (columns.empty())
        throw Error(error_codes::INCORRECT_QUERY,
                    "Incorrect CREATE query: required list of column descriptions or AS section "
                    "or SELECT.");
    return columns;
}

AstPtr declaration_of(const ColumnDescription& column)
{
    auto declaration = std::make_shared<AstColumnDeclaration>();
    declaration->name = column.name;
    declaration->type = parse_type(column.type->name());
    switch (column.default_kind)
    {
    case DefaultKind::None:
        break;
    case DefaultKind::Default:
        declaration->default_kind = ColumnDefault::Default;
        break;
    case DefaultKind::Materialized:
        declaration->default_kind = ColumnDefault::Materialized;
        break;
    case DefaultKind::Ephemeral:
        declaration->default_kind = ColumnDefault::Ephemeral;
        break;
    case DefaultKind::Alias:
        declaration->default_kind = ColumnDefault::Alias;
        break;
    }
    if (!column.default_text.empty())
        declaration->default_expression = parse_expression(column.default_text);
    if (!column.comment.empty())
        declaration->comment = AstLiteral::string(column.comment);
    if (!column.codec.empty())
    {
        auto codec = std::make_shared<AstFunction>("CODEC");
        for (AstPtr& one : parse_expression_list(column.codec))
        {
            if (const auto* name = one->as<AstIdentifier>())
            {
                auto call = std::make_shared<AstFunction>(name->full_name());
                call->no_parentheses = true;
                one = call;
            }
            codec->arguments.push_back(one);
        }
        declaration->codec = codec;
    }
    if (!column.ttl_text.empty())
        declaration->ttl = parse_expression(column.ttl_text);
    return declaration;
}

} // namespace basalt
