#include "functions/named_function.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

const char* ordinal(size_t argument)
{
    constexpr const char* kNames[] = {"first", "second", "third", "fourth", "fifth"};
    return argument < 5 ? kNames[argument] : "later";
}

} // namespace

void check_argument_count(const ScalarFunction& function, size_t given, size_t min, size_t max)
{
    if (given >= min && given <= max)
        return;
    std::string wanted;
    if (min == max)
        wanted = fmt::format("should be {}", min);
    else if (max == ~size_t{0})
        wanted = fmt::format("should be at least {}", min);
    else
        wanted = fmt::format("should be from {} to {}", min, max);
    throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                fmt::format("Number of arguments for function {} doesn't match: passed {}, {}",
                            function.name(), given, wanted));
}

void check_enough_arguments(const ScalarFunction& function, size_t given, size_t min)
{
    if (given < min)
        throw Error(error_codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION,
                    fmt::format("Number of arguments for function \"{}\" should be at least {}: "
                                "passed {}",
                                function.name(), min, given));
}

void throw_illegal_type(const ScalarFunction& function, const TypePtr& type)
{
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Illegal type {} of argument of function {}", type->name(),
                            function.name()));
}

void throw_illegal_types(const ScalarFunction& function, const Arguments& arguments)
{
    std::string types;
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        if (i > 0)
            types += i + 1 == arguments.size() ? " and " : ", ";
        types += arguments[i].type->name();
    }
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Illegal types {} of arguments of function {}", types,
                            function.name()));
}

void throw_illegal_argument(const ScalarFunction& function, size_t argument, const TypePtr& type)
{
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                fmt::format("Illegal type {} of {} argument of function {}", type->name(),
                            ordinal(argument), function.name()));
}

Value constant_value(const ScalarFunction& function, const Arguments& arguments, size_t argument)
{
    const ColumnPtr& column = arguments[argument].column;
    if (!column || (!is_constant(*column) && column->size() != 1))
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("The {} argument of function {} must be constant",
                                ordinal(argument), function.name()));
    return column->value_at(0);
}

int64_t constant_int(const ScalarFunction& function, const Arguments& arguments, size_t argument)
{
    const Value value = constant_value(function, arguments, argument);
    if (const auto* number = value.get_if<uint64_t>())
        return static_cast<int64_t>(*number);
    if (const auto* number = value.get_if<int64_t>())
        return *number;
    throw_illegal_argument(function, argument, arguments[argument].type);
}

std::string constant_string(const ScalarFunction& function, const Arguments& arguments,
                            size_t argument)
{
    const Value value = constant_value(function, arguments, argument);
    if (const auto* text = value.get_if<std::string>())
        return *text;
    throw_illegal_argument(function, argument, arguments[argument].type);
}

} // namespace basalt
