// type_from_name: a recursive descent over ClickHouse's type text.

#include "columns/column.h"
#include "columns/type.h"
#include "columns/type_lexer.h"
#include "columns/type_names.h"

#include <atomic>

namespace basalt
{

namespace
{

std::atomic<AggregateResolver> aggregate_resolver{nullptr};

class TypeParser
{
public:
    explicit TypeParser(std::string_view text) : lexer_(text) {}

    TypePtr parse_all()
    {
        TypePtr type = parse_type();
        if (!lexer_.at_end())
            lexer_.fail("end of the type");
        return type;
    }

private:
    TypePtr parse_type()
    {
        if (++depth_ > kMaxTypeDepth)
            throw Error(error_codes::TOO_DEEP_RECURSION,
                        "Data type is nested deeper than " + std::to_string(kMaxTypeDepth));
        const std::string name = family_name();
        TypePtr type = parse_family(name);
        --depth_;
        return type;
    }

    // One word or several ("DOUBLE PRECISION"), resolved to the canonical name.
    std::string family_name()
    {
        std::string name = lexer_.word("a type name");
        std::string joined = name;
        std::string_view found;
        TypeLexer::Mark mark = lexer_.mark();
        TypeLexer::Mark end = mark;
        for (size_t words = 1; words < kMaxFamilyWords; ++words)
        {
            const std::string next = lexer_.try_word();
            if (next.empty())
                break;
            joined += " " + next;
            if (const auto alias = find_type_alias(joined); !alias.empty())
            {
                found = alias;
                end = lexer_.mark();
            }
        }
        lexer_.reset(end);
        if (!found.empty())
            return std::string(found);
        raw_name_ = name;
        if (const auto alias = find_type_alias(name); !alias.empty())
            return std::string(alias);
        return name;
    }

    TypePtr parse_family(const std::string& name)
    {
        if (const auto id = find_simple_type(name))
            return parse_simple(*id);
        if (const auto kind = find_interval_kind(name))
            return std::make_shared<IntervalType>(*kind);
        if (name == "Nullable")
            return std::make_shared<NullableType>(one_type(name, "nested type"));
        if (name == "LowCardinality")
            return std::make_shared<LowCardinalityType>(one_type(name, "type of elements"));
        if (name == "Array")
            return std::make_shared<ArrayType>(one_type(name, "type of elements"));
        if (name == "Map")
            return parse_map();
        if (name == "Tuple")
            return parse_tuple();
        if (name == "Nested")
            return parse_nested();
        if (name == "FixedString")
            return parse_fixed_string();
        if (name == "DateTime" || name == "DateTime64" || name == "DateTime32")
            return parse_date_time(name);
        if (name == "Time64")
            return parse_time64();
        if (name.starts_with("Decimal"))
            if (TypePtr type = parse_decimal(name))
                return type;
        if (name == "Enum" || name == "Enum8" || name == "Enum16")
            return parse_enum(name);
        if (name == "AggregateFunction")
            return parse_aggregate_function();
        if (name == "SimpleAggregateFunction")
            return parse_simple_aggregate_function();
        if (is_known_unsupported_type(name))
            throw Error(error_codes::NOT_IMPLEMENTED, "Data type " + name + " is not supported");
        throw unknown_type(name);
    }

    static Error unknown_type(const std::string& name)
    {
        std::string message = "Unknown data type family: " + name;
        if (const std::string near = near_type_name(name); !near.empty())
            message += ". Maybe you meant: ['" + near + "']";
        return Error(error_codes::UNKNOWN_TYPE, std::move(message));
    }

    [[noreturn]] static void wrong_count(const std::string& name, const std::string& what)
    {
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    name + " data type family must have exactly " + what);
    }

    TypePtr parse_simple(TypeId id)
    {
        if (lexer_.take('('))
        {
            // Display widths and lengths, INT(11) and VARCHAR(20), say nothing here.
            const bool width_allowed =
                id == TypeId::String || (id >= TypeId::Bool && id <= TypeId::Float64);
            if (!width_allowed)
                throw Error(error_codes::DATA_TYPE_CANNOT_HAVE_ARGUMENTS,
                            "Data type " + simple_type(id)->name() + " cannot have arguments");
            do
                lexer_.literal();
            while (lexer_.take(','));
            lexer_.expect(')');
        }
        const std::string sign_word = lexer_.peek_word();
        if (!sign_word.empty() && !raw_name_.empty())
            if (const auto alias = find_type_alias(raw_name_ + " " + sign_word); !alias.empty())
                if (const auto signed_id = find_simple_type(std::string(alias)))
                {
                    lexer_.try_word();
                    return simple_type(*signed_id);
                }
        return simple_type(id);
    }

    TypePtr one_type(const std::string& name, const char* what)
    {
        if (!lexer_.take('('))
            wrong_count(name, std::string("one argument - ") + what);
        TypePtr nested = parse_type();
        if (!lexer_.take(')'))
            wrong_count(name, std::string("one argument - ") + what);
        return nested;
    }

    TypePtr parse_map()
    {
        if (!lexer_.take('('))
            wrong_count("Map", "two arguments: key and value types");
        TypePtr key = parse_type();
        if (!lexer_.take(','))
            wrong_count("Map", "two arguments: key and value types");
        TypePtr value = parse_type();
        if (!lexer_.take(')'))
            wrong_count("Map", "two arguments: key and value types");
        return std::make_shared<MapType>(std::move(key), std::move(value));
    }

    // Elements of Tuple and Nested: `type` or `name type`.
    void parse_elements(Types& types, std::vector<std::string>& names, size_t& named)
    {
        if (!lexer_.take('('))
            return;
        if (lexer_.take(')'))
            return;
        do
        {
            std::string name;
            if (lexer_.element_has_name(
                    [](const std::string& words) { return !find_type_alias(words).empty(); }))
            {
                name = lexer_.identifier();
                ++named;
            }
            names.push_back(std::move(name));
            types.push_back(parse_type());
        } while (lexer_.take(','));
        lexer_.expect(')');
    }

    TypePtr parse_tuple()
    {
        Types types;
        std::vector<std::string> names;
        size_t named = 0;
        parse_elements(types, names, named);
        if (named != 0 && named != types.size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Names are specified not for all elements of Tuple type");
        if (named == 0)
            names.clear();
        for (size_t i = 0; i < names.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                if (names[i] == names[j])
                    throw Error(error_codes::DUPLICATE_COLUMN,
                                "Tuple names must be unique. Duplicate name: " + names[i]);
        return std::make_shared<TupleType>(std::move(types), std::move(names));
    }

    TypePtr parse_nested()
    {
        Types types;
        std::vector<std::string> names;
        size_t named = 0;
        parse_elements(types, names, named);
        if (types.empty())
            throw Error(error_codes::EMPTY_DATA_PASSED, "Nested cannot be empty");
        if (named != types.size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Nested requires a name for each of its columns");
        const auto tuple = std::make_shared<TupleType>(std::move(types), std::move(names));
        std::string name = "Nested" + tuple->name().substr(std::string_view("Tuple").size());
        return std::make_shared<ArrayType>(tuple, std::move(name));
    }

    uint64_t unsigned_argument(const std::string& name)
    {
        const Value value = lexer_.literal();
        const auto* number = value.get_if<uint64_t>();
        if (!number)
            throw Error(error_codes::UNEXPECTED_AST_STRUCTURE,
                        name + " data type family must have a number (positive integer) as its "
                               "argument");
        return *number;
    }

    std::string string_argument(const std::string& name)
    {
        const Value value = lexer_.literal();
        const auto* text = value.get_if<std::string>();
        if (!text)
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "Argument of " + name + " must be a string, not " + value.to_text());
        return *text;
    }

    TypePtr parse_fixed_string()
    {
        if (!lexer_.take('('))
            wrong_count("FixedString", "one argument - size in bytes");
        const uint64_t width = unsigned_argument("FixedString");
        if (!lexer_.take(')'))
            wrong_count("FixedString", "one argument - size in bytes");
        return std::make_shared<FixedStringType>(width);
    }

    static uint32_t scale_of(uint64_t number)
    {
        return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
    }

    TypePtr parse_date_time(const std::string& name)
    {
        constexpr uint32_t default_scale = 3;
        const bool is_64 = name == "DateTime64";
        if (!lexer_.take('('))
            return is_64 ? TypePtr(std::make_shared<DateTime64Type>(default_scale))
                         : simple_type(TypeId::DateTime);
        const Value first = lexer_.literal();
        std::string zone;
        const auto* scale = first.get_if<uint64_t>();
        if (const auto* text = first.get_if<std::string>(); text && !is_64)
            zone = *text;
        else if (!scale || name == "DateTime32")
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        name + " does not take the argument " + first.to_text());
        else if (lexer_.take(','))
            zone = string_argument(name);
        lexer_.expect(')');
        if (scale && (is_64 || *scale > 0))
            return std::make_shared<DateTime64Type>(scale_of(*scale), std::move(zone));
        if (zone.empty())
            return simple_type(TypeId::DateTime);
        return std::make_shared<DateTimeType>(std::move(zone));
    }

    TypePtr parse_time64()
    {
        uint64_t scale = 3;
        if (lexer_.take('('))
        {
            scale = unsigned_argument("Time64");
            lexer_.expect(')');
        }
        return std::make_shared<Time64Type>(scale_of(scale));
    }

    TypePtr parse_decimal(const std::string& name)
    {
        uint32_t precision = 0;
        if (name == "Decimal32")
            precision = 9;
        else if (name == "Decimal64")
            precision = 18;
        else if (name == "Decimal128")
            precision = 38;
        else if (name == "Decimal256")
            precision = 76;
        else if (name != "Decimal")
            return nullptr;
        uint64_t scale = 0;
        if (precision != 0)
        {
            if (!lexer_.take('('))
                wrong_count(name, "one argument: scale");
            scale = unsigned_argument(name);
            lexer_.expect(')');
        }
        else
        {
            constexpr uint32_t default_precision = 10;
            precision = default_precision;
            if (lexer_.take('('))
            {
                precision = scale_of(unsigned_argument(name));
                if (lexer_.take(','))
                    scale = unsigned_argument(name);
                if (!lexer_.take(')'))
                    wrong_count(name, "one or two arguments: precision and scale");
            }
        }
        return std::make_shared<DecimalType>(precision, scale_of(scale));
    }

    TypePtr parse_enum(const std::string& name)
    {
        std::vector<EnumType::Item> items;
        int64_t next = 1;
        bool fits_8 = true;
        if (!lexer_.take('('))
            throw Error(error_codes::EMPTY_DATA_PASSED,
                        "Enum data type cannot be empty");
        do
        {
            std::string item = string_argument(name);
            if (lexer_.take('='))
            {
                const Value value = lexer_.literal();
                if (const auto* positive = value.get_if<uint64_t>())
                    next = static_cast<int64_t>(std::min<uint64_t>(*positive, INT64_MAX));
                else if (const auto* negative = value.get_if<int64_t>())
                    next = *negative;
                else
                    throw Error(error_codes::UNEXPECTED_AST_STRUCTURE,
                                "Elements of Enum data type must be of form: 'name' = number");
            }
            if (next < INT16_MIN || next > INT16_MAX)
                throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                            "Value " + std::to_string(next) + " for element '" + item +
                                "' exceeds range of " + (name == "Enum8" ? "Enum8" : "Enum16"));
            fits_8 = fits_8 && next >= INT8_MIN && next <= INT8_MAX;
            items.emplace_back(std::move(item), static_cast<int16_t>(next));
            ++next;
        } while (lexer_.take(','));
        lexer_.expect(')');
        const bool is_8 = name == "Enum8" || (name == "Enum" && fits_8);
        return std::make_shared<EnumType>(is_8 ? TypeId::Enum8 : TypeId::Enum16, std::move(items));
    }

    // name or name(parameters); their normal text goes to `text`.
    std::string function_and_parameters(Values& parameters, std::string& text)
    {
        const std::string function = lexer_.word("the name of an aggregate function");
        text = function;
        if (lexer_.take('('))
        {
            if (!lexer_.take(')'))
            {
                do
                    parameters.push_back(lexer_.literal());
                while (lexer_.take(','));
                lexer_.expect(')');
            }
            text += '(';
            for (size_t i = 0; i < parameters.size(); ++i)
                text += (i ? ", " : "") + parameters[i].to_text();
            text += ')';
        }
        return function;
    }

    TypePtr parse_aggregate_function()
    {
        if (!lexer_.take('('))
            wrong_count("AggregateFunction", "the name of a function and the types of arguments");
        std::string name = "AggregateFunction(";
        if (lexer_.at_number())
        {
            // The version of the state's format.
            name += std::to_string(unsigned_argument("AggregateFunction")) + ", ";
            lexer_.expect(',');
        }
        Values parameters;
        std::string text;
        const std::string function = function_and_parameters(parameters, text);
        name += text;
        Types arguments;
        while (lexer_.take(','))
        {
            arguments.push_back(parse_type());
            name += ", " + arguments.back()->name();
        }
        lexer_.expect(')');
        name += ")";
        const AggregateResolver resolve = aggregate_resolver.load();
        auto ops = resolve ? resolve(function, arguments, parameters) : nullptr;
        if (!ops)
            throw Error(error_codes::UNKNOWN_AGGREGATE_FUNCTION,
                        "Unknown aggregate function " + function);
        return std::make_shared<AggregateFunctionType>(std::move(ops), std::move(name),
                                                       std::move(arguments));
    }

    TypePtr parse_simple_aggregate_function()
    {
        if (!lexer_.take('('))
            wrong_count("SimpleAggregateFunction", "two arguments: function and type");
        Values parameters;
        std::string text;
        const std::string function = function_and_parameters(parameters, text);
        if (!is_simple_aggregate_function(function))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Unsupported aggregate function " + function +
                            " for SimpleAggregateFunction");
        if (!lexer_.take(','))
            wrong_count("SimpleAggregateFunction", "two arguments: function and type");
        TypePtr nested = parse_type();
        lexer_.expect(')');
        return std::make_shared<SimpleAggregateFunctionType>(std::move(text), std::move(nested));
    }

    static constexpr size_t kMaxFamilyWords = 5;

    TypeLexer lexer_;
    std::string raw_name_; // of the family at hand, before aliases
    size_t depth_ = 0;
};

} // namespace

void set_aggregate_resolver(AggregateResolver resolver)
{
    aggregate_resolver.store(resolver);
}

TypePtr type_from_name(std::string_view name)
{
    return TypeParser(name).parse_all();
}

} // namespace basalt
