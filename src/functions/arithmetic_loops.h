#pragma once

// Loops over two vectors, either of which may be constant.

#include "functions/arithmetic.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

// out[i] = f(a[i], b[i]); three loops so that each of them vectorises.
template <class A, class B, class R, class F>
inline void binary_loop(const VectorView<A>& a, const VectorView<B>& b, R* out, size_t rows, F f)
{
    if (b.constant())
    {
        const B right = b[0];
        for (size_t i = 0; i < rows; ++i)
            out[i] = f(a.data[i * a.step], right);
    }
    else if (a.constant())
    {
        const A left = a[0];
        for (size_t i = 0; i < rows; ++i)
            out[i] = f(left, b.data[i]);
    }
    else
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = f(a.data[i], b.data[i]);
    }
}

// Each handles its operations for operands already converted to the physical type.
ColumnPtr wrapping_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                              PhysicalType physical, size_t rows);
ColumnPtr bit_arithmetic(ArithmeticOp op, const Column& a, const Column& b, PhysicalType physical,
                         size_t rows);
// Shifts by limit_bits (the width of what is shifted before it was converted) or more give 0.
ColumnPtr shift_arithmetic(ArithmeticOp op, const Column& a, const Argument& b,
                           PhysicalType physical, size_t limit_bits, size_t rows);
// Integers only: 32 bits and more.
ColumnPtr division_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                              PhysicalType physical, size_t rows);
ColumnPtr common_divisor_arithmetic(ArithmeticOp op, const Column& a, const Column& b,
                                    PhysicalType physical, size_t rows);

} // namespace basalt
