#include "base/error.h"
#include "functions/arithmetic_loops.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

ColumnPtr as_physical(const Argument& argument, PhysicalType physical)
{
    return convert_numbers(argument.column, argument.type->physical(), physical);
}

ColumnPtr as_physical(const Argument& argument, PhysicalType via, PhysicalType physical)
{
    return convert_numbers(as_physical(argument, via), via, physical);
}

// What C++ computes a % b in: the usual arithmetic conversions.
NumberKind promoted(const NumberKind& a, const NumberKind& b)
{
    const size_t bytes = std::max({a.bytes, b.bytes, size_t{4}});
    const bool a_unsigned = !a.is_signed && a.bytes == bytes;
    const bool b_unsigned = !b.is_signed && b.bytes == bytes;
    return {!(a_unsigned || b_unsigned), false, bytes};
}

ColumnPtr integer_division(ArithmeticOp op, const Argument& a, const Argument& b,
                           const TypePtr& result, size_t rows)
{
    const NumberKind left = number_kind(*a.type);
    const NumberKind right = number_kind(*b.type);
    NumberKind kind = promoted(left, right);
    ColumnPtr x;
    ColumnPtr y;
    const bool quotient = op == ArithmeticOp::IntDiv || op == ArithmeticOp::IntDivOrZero;
    if (quotient && (left.is_signed || right.is_signed))
    {
        // Both as signed numbers of the wider one's size.
        const size_t bytes = std::max(left.bytes, right.bytes);
        const PhysicalType narrow = number_type({true, false, bytes})->physical();
        kind = {true, false, std::max(bytes, size_t{4})};
        const PhysicalType physical = number_type(kind)->physical();
        x = as_physical(a, narrow, physical);
        y = as_physical(b, narrow, physical);
        // The minimum of a narrow type has no opposite in it.
        if (bytes < 4 && op == ArithmeticOp::IntDiv)
        {
            const VectorView<int32_t> values(*x);
            const VectorView<int32_t> divisors(*y);
            const int32_t minimum = bytes == 1 ? -128 : -32768;
            for (size_t i = 0; i < rows; ++i)
                if (divisors[i] == -1 && values[i] == minimum)
                    throw Error(error_codes::ILLEGAL_DIVISION,
                                "Division of minimal signed number by minus one");
        }
    }
    else
    {
        const PhysicalType physical = number_type(kind)->physical();
        x = as_physical(a, physical);
        y = as_physical(b, physical);
    }
    const PhysicalType computed = number_type(kind)->physical();
    return convert_numbers(division_arithmetic(op, *x, *y, computed, rows), computed,
                           result->physical());
}

ColumnPtr float_division(ArithmeticOp op, const Argument& a, const Argument& b,
                         const TypePtr& result, size_t rows)
{
    const ColumnPtr x = as_physical(a, PhysicalType::Float64);
    const ColumnPtr y = as_physical(b, PhysicalType::Float64);
    const VectorView<double> left(*x);
    const VectorView<double> right(*y);
    auto computed = std::make_shared<VectorColumn<double>>(rows);
    double* const out = computed->data().data();
    switch (op)
    {
        case ArithmeticOp::Divide:
            binary_loop(left, right, out, rows, [](double p, double q) { return p / q; });
            return computed;
        case ArithmeticOp::Max2:
            binary_loop(left, right, out, rows, [](double p, double q) { return std::fmax(p, q); });
            return computed;
        case ArithmeticOp::Min2:
            binary_loop(left, right, out, rows, [](double p, double q) { return std::fmin(p, q); });
            return computed;
        case ArithmeticOp::IntDiv:
        case ArithmeticOp::IntDivOrZero:
        {
            const double limit = std::ldexp(
                1.0, static_cast<int>(number_kind(*result).bytes * 8 -
                                      (number_kind(*result).is_signed ? 1 : 0)));
            for (size_t i = 0; i < rows; ++i)
            {
                const double quotient = left[i] / right[i];
                const bool fits = std::isfinite(quotient) && quotient < limit && quotient >= -limit;
                if (op == ArithmeticOp::IntDiv)
                {
                    if (right[i] == 0)
                        throw_division_by_zero();
                    if (!fits)
                        throw Error(error_codes::ILLEGAL_DIVISION,
                                    "Cannot perform integer division, because it will produce "
                                    "infinite or too large number");
                }
                out[i] = fits ? std::trunc(quotient) : 0.0;
            }
            return convert_numbers(computed, PhysicalType::Float64, result->physical());
        }
        default:
            for (size_t i = 0; i < rows; ++i)
            {
                // Not fmod(): ClickHouse's digits.
                double rest = left[i] - std::trunc(left[i] / right[i]) * right[i];
                if (op == ArithmeticOp::PositiveModulo && rest < 0)
                    rest += std::fabs(right[i]);
                out[i] = rest;
            }
            return computed;
    }
}

} // namespace

ColumnPtr number_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                            const TypePtr& result, size_t rows)
{
    const PhysicalType physical = result->physical();
    switch (op)
    {
        case ArithmeticOp::Plus:
        case ArithmeticOp::Minus:
        case ArithmeticOp::Multiply:
            return wrapping_arithmetic(op, *as_physical(a, physical), *as_physical(b, physical),
                                       physical, rows);
        case ArithmeticOp::BitAnd:
        case ArithmeticOp::BitOr:
        case ArithmeticOp::BitXor:
            return bit_arithmetic(op, *as_physical(a, physical), *as_physical(b, physical),
                                  physical, rows);
        case ArithmeticOp::BitShiftLeft:
        case ArithmeticOp::BitShiftRight:
        case ArithmeticOp::BitRotateLeft:
        case ArithmeticOp::BitRotateRight:
            return shift_arithmetic(op, *as_physical(a, physical), b, physical,
                                    number_kind(*a.type).bytes * 8, rows);
        case ArithmeticOp::Gcd:
        case ArithmeticOp::Lcm:
        {
            NumberKind kind = number_kind(*result);
            kind.bytes = std::max(kind.bytes, size_t{4});
            const PhysicalType computed = number_type(kind)->physical();
            return convert_numbers(common_divisor_arithmetic(op, *as_physical(a, computed),
                                                             *as_physical(b, computed), computed,
                                                             rows),
                                   computed, physical);
        }
        default:
            if (op == ArithmeticOp::Divide || op == ArithmeticOp::Max2 ||
                op == ArithmeticOp::Min2 || a.type->is_float() || b.type->is_float())
                return float_division(op, a, b, result, rows);
            return integer_division(op, a, b, result, rows);
    }
}

} // namespace basalt
