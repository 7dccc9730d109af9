// Functions of real numbers: exp, log, sqrt, sin …, pow, atan2, hypot; e and pi.

#include "functions/decimal_scale.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

#include <cmath>

namespace basalt
{

namespace
{

bool takes(const TypePtr& type)
{
    return type->is_number();
}

class RealFunction final : public NamedFunction
{
public:
    using Function = double (*)(double);
    RealFunction(std::string name, Function function)
        : NamedFunction(std::move(name)), function_(function)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!takes(arguments[0].type))
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(TypeId::Float64);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr floats = decimal_as_float(arguments[0]);
        const VectorView<double> view(*floats);
        auto result = std::make_shared<VectorColumn<double>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = function_(view[i]);
        return result;
    }

private:
    Function function_;
};

class RealPairFunction final : public NamedFunction
{
public:
    using Function = double (*)(double, double);
    RealPairFunction(std::string name, Function function)
        : NamedFunction(std::move(name)), function_(function)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        for (const auto& argument : arguments)
            if (!takes(argument.type))
                throw_illegal_type(*this, argument.type);
        return simple_type(TypeId::Float64);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr first = decimal_as_float(arguments[0]);
        const ColumnPtr second = decimal_as_float(arguments[1]);
        const VectorView<double> a(*first);
        const VectorView<double> b(*second);
        auto result = std::make_shared<VectorColumn<double>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = function_(a[i], b[i]);
        return result;
    }

private:
    Function function_;
};

class RealConstant final : public NamedFunction
{
public:
    RealConstant(std::string name, double value) : NamedFunction(std::move(name)), value_(value) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0);
        return simple_type(TypeId::Float64);
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        return make_constant(type, Value(value_), rows);
    }

private:
    double value_;
};

double log_gamma(double x)
{
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

double power_of(double base, double exponent)
{
    return std::pow(base, exponent);
}

double exp10_of(double x)
{
    return std::pow(10.0, x);
}

// glibc's cube root is off by a unit now and then: one more step of Newton's method.
double cube_root_of(double x)
{
    const long double root = std::cbrt(x);
    if (root == 0 || !std::isfinite(root))
        return static_cast<double>(root);
    return static_cast<double>(root - (root * root * root - x) / (3 * root * root));
}

// ClickHouse takes it from the logistic function; the last digits are its.
double tanh_of(double x)
{
    return 2.0 / (1.0 + std::exp(-2.0 * x)) - 1.0;
}

double sigmoid_of(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

double degrees_of(double radians)
{
    return radians * (180.0 / M_PI);
}

double radians_of(double degrees)
{
    return degrees * (M_PI / 180.0);
}

} // namespace

#define BASALT_REAL(NAME, FUNCTION, CASE_INSENSITIVE)                                              \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<RealFunction>(NAME, FUNCTION); },                                \
        CASE_INSENSITIVE);
#define BASALT_REAL_PAIR(NAME, FUNCTION)                                                           \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<RealPairFunction>(NAME, FUNCTION); },                            \
        true);

void register_math(ScalarRegistry& registry)
{
    BASALT_REAL("exp", ::exp, true)
    BASALT_REAL("exp2", ::exp2, false)
    BASALT_REAL("exp10", exp10_of, false)
    BASALT_REAL("log", ::log, true)
    BASALT_REAL("log2", ::log2, true)
    BASALT_REAL("log10", ::log10, true)
    BASALT_REAL("log1p", ::log1p, false)
    BASALT_REAL("sqrt", ::sqrt, true)
    BASALT_REAL("cbrt", cube_root_of, false)
    BASALT_REAL("erf", ::erf, false)
    BASALT_REAL("erfc", ::erfc, false)
    BASALT_REAL("lgamma", log_gamma, false)
    BASALT_REAL("tgamma", ::tgamma, false)
    BASALT_REAL("sin", ::sin, true)
    BASALT_REAL("cos", ::cos, true)
    BASALT_REAL("tan", ::tan, true)
    BASALT_REAL("asin", ::asin, true)
    BASALT_REAL("acos", ::acos, true)
    BASALT_REAL("atan", ::atan, true)
    BASALT_REAL("sinh", ::sinh, false)
    BASALT_REAL("cosh", ::cosh, false)
    BASALT_REAL("tanh", tanh_of, true)
    BASALT_REAL("asinh", ::asinh, false)
    BASALT_REAL("acosh", ::acosh, false)
    BASALT_REAL("atanh", ::atanh, false)
    BASALT_REAL("degrees", degrees_of, true)
    BASALT_REAL("radians", radians_of, true)
    BASALT_REAL("sigmoid", sigmoid_of, false)
    registry.add_alias("ln", "log", true);
    BASALT_REAL_PAIR("pow", power_of)
    registry.add_alias("power", "pow", true);
    BASALT_REAL_PAIR("atan2", ::atan2)
    BASALT_REAL_PAIR("hypot", ::hypot)
    registry.add("e", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<RealConstant>("e", M_E); });
    registry.add(
        "pi", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<RealConstant>("pi", M_PI); }, true);
}

#undef BASALT_REAL
#undef BASALT_REAL_PAIR

} // namespace basalt
