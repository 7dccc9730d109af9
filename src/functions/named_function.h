#pragma once

// What most functions start from: a name kept in the object, and the errors all of them throw.

#include "functions/scalar_registry.h"

namespace basalt
{

class NamedFunction : public ScalarFunction
{
public:
    explicit NamedFunction(std::string name) : name_(std::move(name)) {}
    const std::string& name() const override { return name_; }

private:
    std::string name_;
};

// NUMBER_OF_ARGUMENTS_DOESNT_MATCH unless min <= given <= max.
void check_argument_count(const ScalarFunction& function, size_t given, size_t min, size_t max);
inline void check_argument_count(const ScalarFunction& function, size_t given, size_t exact)
{
    check_argument_count(function, given, exact, exact);
}

// TOO_FEW_ARGUMENTS_FOR_FUNCTION below min: what and, or and the like throw.
void check_enough_arguments(const ScalarFunction& function, size_t given, size_t min);

// ILLEGAL_TYPE_OF_ARGUMENT: "Illegal type String of argument of function name".
[[noreturn]] void throw_illegal_type(const ScalarFunction& function, const TypePtr& type);
// "Illegal types A and B of arguments of function name".
[[noreturn]] void throw_illegal_types(const ScalarFunction& function, const Arguments& arguments);
// "Illegal type A of second argument of function name", argument from 0.
[[noreturn]] void throw_illegal_argument(const ScalarFunction& function, size_t argument,
                                         const TypePtr& type);

// The value of a constant argument; ILLEGAL_COLUMN when it is not constant.
Value constant_value(const ScalarFunction& function, const Arguments& arguments, size_t argument);
// The same as a number; ILLEGAL_TYPE_OF_ARGUMENT when it is not an integer.
int64_t constant_int(const ScalarFunction& function, const Arguments& arguments, size_t argument);
std::string constant_string(const ScalarFunction& function, const Arguments& arguments,
                            size_t argument);

} // namespace basalt
