#include "binder/binder.h"

#include "columns/serialization.h"
#include "columns/string_text.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// Values come as fields of TabSeparated: texts have \t, \n, \\ and \' for what they stand for. Texts
// inside arrays and the like are quoted and have their own escapes.
std::string unescaped(const std::string& text)
{
    TextCursor cursor(text);
    PodVector<char> bytes;
    if (!parse_escaped(cursor, bytes) || !cursor.at_end())
        return text; // with a bare tab or line end in it: as it is
    return std::string(bytes.data(), bytes.size());
}

// The value as an expression; null for what has no literal of its own.
AstPtr expression_of(const Value& value)
{
    if (value.is_null())
        return AstLiteral::null();
    if (const auto* number = value.get_if<uint64_t>())
        return AstLiteral::unsigned_number(*number);
    if (const auto* number = value.get_if<int64_t>())
        return AstLiteral::signed_number(*number);
    if (const auto* number = value.get_if<double>())
        return AstLiteral::floating(*number);
    if (const auto* text = value.get_if<std::string>())
        return AstLiteral::string(*text);
    const auto* array = value.get_if<ArrayValue>();
    const auto* tuple = value.get_if<TupleValue>();
    const auto* map = value.get_if<MapValue>();
    if (!array && !tuple && !map)
        return nullptr;
    // A map is made of an array of pairs, too.
    auto call = std::make_shared<AstFunction>(tuple ? "tuple" : "array");
    for (const Value& item : array ? array->items : tuple ? tuple->items : map->items)
    {
        call->arguments.push_back(expression_of(item));
        if (!call->arguments.back())
            return nullptr;
    }
    return call;
}

AstPtr parameter_literal(const AstQueryParameter& parameter, const std::string& given,
                         const QueryContext& context)
{
    std::string text = given;
    if (parameter.type == "Identifier")
    {
        auto identifier = std::make_shared<AstIdentifier>();
        identifier->parts.clear();
        size_t begin = 0;
        for (size_t dot; (dot = text.find('.', begin)) != std::string::npos; begin = dot + 1)
            identifier->parts.push_back(text.substr(begin, dot - begin));
        identifier->parts.push_back(text.substr(begin));
        return identifier;
    }
    const TypePtr type = type_from_name(parameter.type);
    TextOptions options;
    options.session_timezone = context.timezone();
    auto column = type->create_column();
    const TypePtr bare = strip_wrappers(type);
    if (bare->is(TypeId::String) || bare->is(TypeId::FixedString) || bare->is(TypeId::Enum8) ||
        bare->is(TypeId::Enum16))
        text = given == "\\N" && type->is_nullable() ? given : unescaped(given);
    const bool null = type->is_nullable() && (text == "\\N" || text == "NULL");
    if (null)
        column->append_default();
    else if (!try_parse_whole(text, type, *column, options))
        throw Error(error_codes::BAD_QUERY_PARAMETER,
                    fmt::format("Value {} cannot be parsed as {} for query parameter '{}'", text,
                                type->name(), parameter.name));
    const Value value = column->value_at(0);
    if (same_type(type, simple_type(TypeId::String)))
        return AstLiteral::string(text);
    if (const auto* number = value.get_if<uint64_t>();
        number && bare->is_unsigned() && same_type(type, type_of_value(value)))
        return AstLiteral::unsigned_number(*number);
    AstPtr literal;
    // A text is no Map to CAST.
    if (bare->is(TypeId::Map))
        literal = expression_of(value);
    if (literal)
        return make_ast_function("_CAST", literal, AstPtr(AstLiteral::string(type->name())));
    if (null)
        literal = AstLiteral::null();
    else if (const auto* number = value.get_if<uint64_t>(); number && bare->is_integer())
        literal = AstLiteral::unsigned_number(*number);
    else if (const auto* number = value.get_if<int64_t>(); number && bare->is_integer())
        literal = AstLiteral::signed_number(*number);
    else
        literal = AstLiteral::string(text);
    return make_ast_function("_CAST", literal, AstPtr(AstLiteral::string(type->name())));
}

void substitute(AstPtr& ast, const QueryParameters& parameters, const QueryContext& context)
{
    if (const auto* parameter = ast->as<AstQueryParameter>())
    {
        auto it = parameters.find(parameter->name);
        if (it == parameters.end())
            throw Error(error_codes::UNKNOWN_QUERY_PARAMETER,
                        fmt::format("Substitution `{}` is not set", parameter->name));
        AstPtr value = parameter_literal(*parameter, it->second, context);
        value->alias = parameter->alias;
        ast = std::move(value);
        return;
    }
    ast->for_each_child([&](AstPtr& child) { substitute(child, parameters, context); });
}

} // namespace

void substitute_parameters(AstPtr& ast, const QueryParameters& parameters,
                           const QueryContext& context)
{
    if (ast)
        substitute(ast, parameters, context);
}

} // namespace basalt
