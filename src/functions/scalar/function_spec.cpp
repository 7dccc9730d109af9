#include "functions/scalar/function_spec.h"

#include "columns/serialization.h"
#include "functions/cast.h"

#include <fmt/core.h>

namespace basalt
{

TypePtr type_of_first(const TypeCall& call)
{
    return call.type(0);
}

TypePtr type_of_second(const TypeCall& call)
{
    return call.type(1);
}

namespace
{

struct Token
{
    std::string_view letters;
    bool constant = false;
    bool optional = false;
};

struct Signature
{
    std::vector<Token> tokens;
    size_t required = 0;
    bool repeats = false;
};

Signature parse_signature(std::string_view text)
{
    Signature result;
    bool optional = false;
    size_t at = 0;
    while (at < text.size())
    {
        if (text[at] == ' ')
        {
            ++at;
            continue;
        }
        if (text[at] == '[')
        {
            optional = true;
            ++at;
            continue;
        }
        if (text.substr(at, 3) == "...")
        {
            result.repeats = true;
            at += 3;
            continue;
        }
        const size_t begin = at;
        while (at < text.size() && text[at] != ' ' && text[at] != '!' && text[at] != '[' &&
               text[at] != '.')
            ++at;
        Token token;
        token.letters = text.substr(begin, at - begin);
        if (at < text.size() && text[at] == '!')
        {
            token.constant = true;
            ++at;
        }
        token.optional = optional;
        if (!optional)
            ++result.required;
        result.tokens.push_back(token);
    }
    return result;
}

bool matches_letter(char letter, const DataType& type)
{
    switch (letter)
    {
        case 's': return type.is_string();
        case 'e': return type.is_enum();
        case 'i': return type.is_integer() && type.id() != TypeId::UInt128 &&
                         type.id() != TypeId::Int128 && type.id() != TypeId::UInt256 &&
                         type.id() != TypeId::Int256;
        case 'I': return type.is_integer();
        case 'n': return type.is_number();
        case 'f': return type.is_float();
        case 'a': return type.is(TypeId::Array);
        case 'm': return type.is(TypeId::Map);
        case 't': return type.is(TypeId::Tuple);
        case 'd': return type.is(TypeId::Date) || type.is(TypeId::Date32);
        case 'D': return type.is(TypeId::DateTime) || type.is(TypeId::DateTime64);
        case 'v': return type.is(TypeId::Interval);
        case 'u': return type.is(TypeId::UUID);
        case '4': return type.is(TypeId::IPv4);
        case '6': return type.is(TypeId::IPv6);
        case 'l': return type.is(TypeId::Function);
        case '*': return !type.is(TypeId::Function);
    }
    BASALT_ASSERT(false && "unknown signature letter");
    return false;
}

bool matches(const Token& token, const TypePtr& type)
{
    const DataType& stripped = *strip_wrappers(type);
    if (stripped.is(TypeId::Nothing))
        return true;
    for (const char letter : token.letters)
        if (matches_letter(letter, stripped))
            return true;
    return false;
}

std::string describe_letters(std::string_view letters)
{
    std::string result;
    for (const char letter : letters)
    {
        if (!result.empty())
            result += " or ";
        switch (letter)
        {
            case 's': result += "String or FixedString"; break;
            case 'e': result += "Enum"; break;
            case 'i':
            case 'I': result += "integer"; break;
            case 'n': result += "number"; break;
            case 'f': result += "float"; break;
            case 'a': result += "Array"; break;
            case 'm': result += "Map"; break;
            case 't': result += "Tuple"; break;
            case 'd': result += "Date or Date32"; break;
            case 'D': result += "DateTime or DateTime64"; break;
            case 'v': result += "Interval"; break;
            case 'u': result += "UUID"; break;
            case '4': result += "IPv4"; break;
            case '6': result += "IPv6"; break;
            case 'l': result += "lambda"; break;
            default: result += "any type but a lambda"; break;
        }
    }
    return result;
}

} // namespace

void check_signature(std::string_view name, std::string_view signature,
                     const Arguments& arguments)
{
    const Signature parsed = parse_signature(signature);
    const size_t most = parsed.tokens.size();
    if (arguments.size() < parsed.required || (!parsed.repeats && arguments.size() > most))
    {
        std::string expected = fmt::format("{}", parsed.required);
        if (parsed.repeats)
            expected = fmt::format("at least {}", parsed.required);
        else if (most != parsed.required)
            expected = fmt::format("{} to {}", parsed.required, most);
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Number of arguments for function {} doesn't match: passed {}, "
                                "should be {}",
                                name, arguments.size(), expected));
    }
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        const Token& token = parsed.tokens[std::min(i, most - 1)];
        if (!matches(token, arguments[i].type))
            throw_illegal_type(name, arguments, i, describe_letters(token.letters));
        if (token.constant && !is_constant_argument(arguments[i]))
            throw Error(error_codes::ILLEGAL_COLUMN,
                        fmt::format("Argument {} of function {} must be constant", i + 1, name));
    }
}

void throw_illegal_type(std::string_view name, const Arguments& arguments, size_t argument,
                        std::string_view expected)
{
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Illegal type {} of argument {} of function {}, expected {}",
                            arguments[argument].type->name(), argument + 1, name, expected));
}

SpecFunction::SpecFunction(const FunctionSpec& spec, const QueryContext& context)
    : spec_(spec), context_(context), name_(spec.name)
{
    const Signature parsed = parse_signature(spec.signature);
    for (size_t i = 0; i < parsed.tokens.size(); ++i)
        if (parsed.tokens[i].constant)
            constant_arguments_.push_back(i);
}

TypePtr SpecFunction::return_type(const Arguments& arguments) const
{
    check_signature(name_, spec_.signature, arguments);
    // Without the usual handling of NULL no bare NULL may stand for an array or a map.
    if (spec_.traits & kKeepNulls)
    {
        const Signature parsed = parse_signature(spec_.signature);
        for (size_t i = 0; i < arguments.size(); ++i)
        {
            const Token& token = parsed.tokens[std::min(i, parsed.tokens.size() - 1)];
            const bool composite = token.letters.find_first_not_of("amt") == std::string_view::npos;
            if (composite && strip_wrappers(arguments[i].type)->is(TypeId::Nothing))
                throw_illegal_type(name_, arguments, i, describe_letters(token.letters));
        }
    }
    return spec_.type(TypeCall{name_, arguments, context_});
}

ColumnPtr SpecFunction::execute(const Arguments& arguments, const TypePtr& result_type,
                                size_t rows, const QueryContext& context) const
{
    return spec_.run(Call{name_, arguments, result_type, rows, context});
}

void add_spec(ScalarRegistry& registry, const FunctionSpec& spec, ScalarFactory factory)
{
    registry.add(std::string(spec.name), factory, spec.traits & kCaseInsensitive);
    std::string_view rest = spec.aliases;
    while (!rest.empty())
    {
        std::string_view alias = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), alias.size() + 1));
        const bool any_case = alias.ends_with('*');
        if (any_case)
            alias.remove_suffix(1);
        registry.add_alias(std::string(alias), std::string(spec.name), any_case);
    }
}

ColumnPtr cast_to(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                  const QueryContext& context)
{
    if (same_type(from, to))
        return column;
    return cast_column(column, from, to, context);
}

ColumnPtr as_text(const Argument& argument, const QueryContext& context)
{
    const DataType& type = *argument.type;
    if (type.is(TypeId::String))
        return argument.column;
    const Column* source = argument.column.get();
    ColumnPtr nested;
    size_t rows = source->size();
    if (source->form() == ColumnForm::Constant)
    {
        nested = column_as<ConstantColumn>(*source).nested();
        source = nested.get();
        rows = 1;
    }
    auto text = std::make_shared<StringColumn>();
    if (type.is(TypeId::FixedString))
    {
        const auto& fixed = column_as<FixedStringColumn>(*source);
        text->chars() = fixed.chars();
        text->offsets().resize(rows);
        for (size_t i = 0; i < rows; ++i)
            text->offsets()[i] = (i + 1) * fixed.width();
    }
    else
    {
        TextOptions options;
        options.session_timezone = context.timezone();
        const SerializationPtr serialization = serialization_of(argument.type);
        std::string bytes;
        StringOutputBuffer out(bytes);
        text->offsets().resize(rows);
        for (size_t i = 0; i < rows; ++i)
        {
            serialization->write_text(*source, i, out, TextPlace::Whole, options);
            text->offsets()[i] = out.count();
        }
        out.flush();
        text->chars().append(bytes.data(), bytes.size());
    }
    if (nested)
        return std::make_shared<ConstantColumn>(text, argument.column->size());
    return text;
}

bool is_constant_argument(const Argument& argument)
{
    return argument.column && is_constant(*argument.column);
}

Value constant_value(std::string_view name, const Arguments& arguments, size_t argument)
{
    if (!is_constant_argument(arguments[argument]))
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("Argument {} of function {} must be constant", argument + 1, name));
    return arguments[argument].column->value_at(0);
}

std::string constant_text(std::string_view name, const Arguments& arguments, size_t argument)
{
    const Value value = constant_value(name, arguments, argument);
    const std::string* text = value.get_if<std::string>();
    if (!text)
        throw_illegal_type(name, arguments, argument, "String");
    return *text;
}

std::optional<int64_t> value_to_integer(const Value& value)
{
    if (const auto* u = value.get_if<uint64_t>())
        return static_cast<int64_t>(*u);
    if (const auto* s = value.get_if<int64_t>())
        return *s;
    return std::nullopt;
}

int64_t constant_integer(std::string_view name, const Arguments& arguments, size_t argument)
{
    const auto value = value_to_integer(constant_value(name, arguments, argument));
    if (!value)
        throw_illegal_type(name, arguments, argument, "integer");
    return *value;
}

} // namespace basalt
