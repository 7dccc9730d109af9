#pragma once

// Floats that are a whole number divided by a power of ten, to the bit.

#include "base/unaligned.h"

#include <cmath>
#include <optional>

namespace basalt::inline encodings
{

inline constexpr unsigned kMaxDecimalScale = 18;

inline double power_of_ten(unsigned scale)
{
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                         1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                         1e14, 1e15, 1e16, 1e17, 1e18};
    return kPowers[scale];
}

// Whether value is mantissa / power; then T(double(mantissa) / power) gives back its bits.
template <class T> inline bool decimal_mantissa(T value, double power, int64_t& mantissa)
{
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const double scaled = static_cast<double>(value) * power;
    if (!(std::abs(scaled) < 9007199254740992.0)) // 2^53; also refuses NaN
        return false;
    mantissa = static_cast<int64_t>(std::rint(scaled));
    const T back = static_cast<T>(static_cast<double>(mantissa) / power);
    return load<Bits>(&back) == load<Bits>(&value);
}

// The smallest scale that fits nearly all of a sample of the values; nullopt when none does.
template <class T> std::optional<unsigned> decimal_scale_of(const T* values, size_t count)
{
    constexpr size_t kSample = 512;
    const size_t step = count / kSample + 1;
    size_t seen = 0;
    size_t fits[kMaxDecimalScale + 1] = {};
    for (size_t i = 0; i < count; i += step, ++seen)
    {
        int64_t mantissa;
        for (unsigned scale = 0; scale <= kMaxDecimalScale; ++scale)
            if (decimal_mantissa(values[i], power_of_ten(scale), mantissa))
            {
                ++fits[scale];
                break;
            }
    }
    size_t sum = 0;
    for (unsigned scale = 0; scale <= kMaxDecimalScale; ++scale)
    {
        sum += fits[scale];
        if (sum >= seen - seen / 50)
            return scale;
    }
    return std::nullopt;
}

} // namespace basalt::encodings
