#pragma once

// Powers of ten and overflow checks for decimal mantissas.

#include "functions/function.h"

namespace basalt
{

inline constexpr uint32_t kMaxDecimalDigits = 76;
const Int256& decimal_power_of_ten(uint32_t exponent); // exponent <= kMaxDecimalDigits

// True on overflow; `result` then holds the wrapped value.
template <class T> inline bool checked_add(T a, T b, T& result)
{
    return __builtin_add_overflow(a, b, &result);
}
template <class T> inline bool checked_subtract(T a, T b, T& result)
{
    return __builtin_sub_overflow(a, b, &result);
}
template <class T> inline bool checked_multiply(T a, T b, T& result)
{
    return __builtin_mul_overflow(a, b, &result);
}
template <> bool checked_add<Int256>(Int256 a, Int256 b, Int256& result);
template <> bool checked_subtract<Int256>(Int256 a, Int256 b, Int256& result);
template <> bool checked_multiply<Int256>(Int256 a, Int256 b, Int256& result);

// A decimal, integer or float column (flat or constant) as Float64.
ColumnPtr decimal_as_float(const Argument& argument);

} // namespace basalt
