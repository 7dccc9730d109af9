#pragma once

// Numbers of one physical type as another, with C++'s wrapping: what CAST, arithmetic and common
// types of numbers stand on.

#include "columns/column.h"

#include <cmath>
#include <limits>

namespace basalt
{

// Floats out of range give what x86-64's conversions give (as ClickHouse built for it does), not
// undefined behaviour. NaN and infinities are the caller's to refuse.
template <class To, class From> inline To numeric_cast(From value)
{
    constexpr bool from_float = std::is_floating_point_v<From>;
    constexpr bool to_float = std::is_floating_point_v<To>;
    if constexpr (!from_float || to_float)
        return static_cast<To>(value);
    else if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>)
    {
        const auto wide = static_cast<double>(value);
        const bool fits = wide > -2147483649.0 && wide < 2147483648.0;
        return static_cast<To>(fits ? static_cast<int32_t>(wide)
                                    : std::numeric_limits<int32_t>::min());
    }
    else if constexpr (std::is_same_v<To, uint32_t> || std::is_same_v<To, int64_t>)
    {
        const auto wide = static_cast<double>(value);
        const bool fits = wide >= -9223372036854775808.0 && wide < 9223372036854775808.0;
        return static_cast<To>(fits ? static_cast<int64_t>(wide)
                                    : std::numeric_limits<int64_t>::min());
    }
    else if constexpr (std::is_same_v<To, uint64_t>)
    {
        const auto wide = static_cast<double>(value);
        if (wide >= 9223372036854775808.0 && wide < 18446744073709551616.0)
            return static_cast<uint64_t>(wide);
        return static_cast<uint64_t>(numeric_cast<int64_t>(value));
    }
    else if constexpr (sizeof(To) == 16)
        return static_cast<To>(Int256::from_double(static_cast<double>(value)));
    else
        return To::from_double(static_cast<double>(value));
}

// The vector (flat or constant) of `from` as `to`; the same column when they are equal.
ColumnPtr convert_numbers(const ColumnPtr& column, PhysicalType from, PhysicalType to);

// Whether a physical type is a number of fixed width.
bool is_vector_physical(PhysicalType physical);

} // namespace basalt
