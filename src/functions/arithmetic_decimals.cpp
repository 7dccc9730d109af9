#include "base/error.h"
#include "functions/arithmetic_loops.h"
#include "functions/decimal_scale.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

uint32_t class_precision(const DataType& type)
{
    switch (type.id())
    {
        case TypeId::Decimal32: return 9;
        case TypeId::Decimal64: return 18;
        case TypeId::Decimal128: return 38;
        case TypeId::Decimal256: return 76;
        default: return 9;
    }
}

uint32_t scale_of(const DataType& type)
{
    return type.is_decimal() ? static_cast<const DecimalType&>(type).scale() : 0;
}

bool divides(ArithmeticOp op)
{
    switch (op)
    {
        case ArithmeticOp::Divide:
        case ArithmeticOp::IntDiv:
        case ArithmeticOp::IntDivOrZero:
        case ArithmeticOp::Modulo:
        case ArithmeticOp::ModuloOrZero:
        case ArithmeticOp::ModuloLegacy:
        case ArithmeticOp::PositiveModulo:
            return true;
        default:
            return false;
    }
}

[[noreturn]] void throw_overflow()
{
    throw Error(error_codes::DECIMAL_OVERFLOW, "Decimal math overflow");
}

struct Factors
{
    Int256 a;
    Int256 b;
};

// Multiplies both sides so that the bare integer operation gives the result's mantissa.
Factors factors_for(ArithmeticOp op, uint32_t scale_a, uint32_t scale_b, uint32_t result_scale)
{
    Factors factors{Int256(1), Int256(1)};
    const uint32_t common = std::max(scale_a, scale_b);
    switch (op)
    {
        case ArithmeticOp::Plus:
        case ArithmeticOp::Minus:
            factors.a = decimal_power_of_ten(result_scale - scale_a);
            factors.b = decimal_power_of_ten(result_scale - scale_b);
            break;
        case ArithmeticOp::Divide:
            factors.a = decimal_power_of_ten(result_scale - scale_a + scale_b);
            break;
        case ArithmeticOp::IntDiv:
        case ArithmeticOp::IntDivOrZero:
            factors.a = decimal_power_of_ten(common - scale_a);
            factors.b = decimal_power_of_ten(common - scale_b);
            break;
        default:
            // Products need no scaling; remainders are taken of the mantissas as they stand.
            break;
    }
    return factors;
}

template <class T> T one_result(ArithmeticOp op, T a, T b, const T& factor_a, const T& factor_b)
{
    bool overflow = false;
    if (factor_a != T(1))
        overflow |= checked_multiply(a, factor_a, a);
    if (factor_b != T(1))
        overflow |= checked_multiply(b, factor_b, b);
    T result(0);
    switch (op)
    {
        case ArithmeticOp::Plus: overflow |= checked_add(a, b, result); break;
        case ArithmeticOp::Minus: overflow |= checked_subtract(a, b, result); break;
        case ArithmeticOp::Multiply: overflow |= checked_multiply(a, b, result); break;
        default:
        {
            if (b == T(0))
            {
                if (op == ArithmeticOp::IntDivOrZero || op == ArithmeticOp::ModuloOrZero)
                    return T(0);
                throw_division_by_zero();
            }
            const bool quotient = op == ArithmeticOp::Divide || op == ArithmeticOp::IntDiv ||
                                  op == ArithmeticOp::IntDivOrZero;
            if (b == T(-1))
                overflow |= quotient && checked_subtract(T(0), a, result);
            else
                result = static_cast<T>(quotient ? a / b : a % b);
            if (op == ArithmeticOp::PositiveModulo && result < T(0))
                result = static_cast<T>(b < T(0) ? result - b : result + b);
            break;
        }
    }
    if (overflow)
        throw_overflow();
    return result;
}

template <class T>
ColumnPtr decimal_loop(ArithmeticOp op, const Column& a, const Column& b, const Factors& factors,
                       size_t rows)
{
    const VectorView<T> left(a);
    const VectorView<T> right(b);
    const T factor_a = static_cast<T>(factors.a);
    const T factor_b = static_cast<T>(factors.b);
    if (Int256(factor_a) != factors.a || Int256(factor_b) != factors.b)
        throw_overflow();
    auto result = std::make_shared<VectorColumn<T>>(rows);
    T* const out = result->data().data();
    for (size_t i = 0; i < rows; ++i)
        out[i] = one_result<T>(op, left[i], right[i], factor_a, factor_b);
    return result;
}

} // namespace

TypePtr decimal_result_type(ArithmeticOp op, const DataType& a, const DataType& b)
{
    const bool arithmetic =
        op == ArithmeticOp::Plus || op == ArithmeticOp::Minus || op == ArithmeticOp::Multiply;
    if (!arithmetic && !divides(op))
        return nullptr;
    if (a.is_float() || b.is_float())
        return simple_type(TypeId::Float64);
    const uint32_t precision = std::max(class_precision(a), class_precision(b));
    const uint32_t scale_a = scale_of(a);
    const uint32_t scale_b = scale_of(b);
    uint32_t scale = std::max(scale_a, scale_b);
    if (op == ArithmeticOp::Multiply)
        scale = scale_a + scale_b;
    else if (divides(op) && a.is_decimal())
        scale = scale_a;
    if (scale > precision)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Scale {} is out of bounds (max scale: {})", scale, precision));
    if (divides(op) && scale < scale_b)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    "Decimal result's scale is less than argument's one");
    if (op == ArithmeticOp::IntDiv || op == ArithmeticOp::IntDivOrZero)
        return number_type({true, false, precision == 9    ? size_t{4}
                                         : precision == 18 ? size_t{8}
                                         : precision == 38 ? size_t{16}
                                                           : size_t{32}});
    return std::make_shared<DecimalType>(precision, scale);
}

ColumnPtr decimal_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                             const TypePtr& result, size_t rows, const QueryContext& context)
{
    if (result->is_float())
        return number_arithmetic(op, {decimal_as_float(a), simple_type(TypeId::Float64)},
                                 {decimal_as_float(b), simple_type(TypeId::Float64)}, result,
                                 rows);
    const PhysicalType physical = result->physical();
    const ColumnPtr left = convert_numbers(a.column, a.type->physical(), physical);
    const ColumnPtr right = convert_numbers(b.column, b.type->physical(), physical);
    const Factors factors =
        factors_for(op, scale_of(*a.type), scale_of(*b.type), scale_of(*result));
    switch (physical)
    {
        case PhysicalType::Int32: return decimal_loop<int32_t>(op, *left, *right, factors, rows);
        case PhysicalType::Int64: return decimal_loop<int64_t>(op, *left, *right, factors, rows);
        case PhysicalType::Int128: return decimal_loop<Int128>(op, *left, *right, factors, rows);
        default: return decimal_loop<Int256>(op, *left, *right, factors, rows);
    }
}

} // namespace basalt
