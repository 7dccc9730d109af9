#pragma once

// 256-bit unsigned numbers, as much as the GCD codec needs of them: arithmetic is modulo 2^256.

#include "base/int_types.h"

#include <bit>

namespace basalt
{

struct WideWord
{
    uint64_t limbs[4] = {}; // lowest first

    bool operator==(const WideWord&) const = default;
    bool is_zero() const { return (limbs[0] | limbs[1] | limbs[2] | limbs[3]) == 0; }
    bool is_one() const { return limbs[0] == 1 && (limbs[1] | limbs[2] | limbs[3]) == 0; }

    bool less(const WideWord& other) const
    {
        for (int i = 3; i > 0; --i)
            if (limbs[i] != other.limbs[i])
                return limbs[i] < other.limbs[i];
        return limbs[0] < other.limbs[0];
    }

    // Of a number that is not zero.
    unsigned trailing_zeros() const
    {
        unsigned i = 0;
        while (limbs[i] == 0)
            ++i;
        return i * 64 + static_cast<unsigned>(std::countr_zero(limbs[i]));
    }

    WideWord shifted_right(unsigned bits) const
    {
        WideWord result;
        const unsigned words = bits / 64;
        const unsigned rest = bits % 64;
        for (unsigned i = 0; i + words < 4; ++i)
        {
            result.limbs[i] = limbs[i + words] >> rest;
            if (rest && i + words + 1 < 4)
                result.limbs[i] |= limbs[i + words + 1] << (64 - rest);
        }
        return result;
    }

    WideWord minus(const WideWord& other) const
    {
        WideWord result;
        uint64_t borrow = 0;
        for (int i = 0; i < 4; ++i)
        {
            const auto wide = static_cast<UInt128>(limbs[i]) - other.limbs[i] - borrow;
            result.limbs[i] = static_cast<uint64_t>(wide);
            borrow = static_cast<uint64_t>(wide >> 64) & 1;
        }
        return result;
    }

    WideWord times(const WideWord& other) const
    {
        WideWord result;
        for (int i = 0; i < 4; ++i)
        {
            uint64_t carry = 0;
            for (int j = 0; i + j < 4; ++j)
            {
                const auto wide =
                    static_cast<UInt128>(limbs[i]) * other.limbs[j] + result.limbs[i + j] + carry;
                result.limbs[i + j] = static_cast<uint64_t>(wide);
                carry = static_cast<uint64_t>(wide >> 64);
            }
        }
        return result;
    }

    // Of an odd number, modulo 2^256 (Newton; each step doubles the right bits).
    WideWord inverse() const
    {
        const WideWord two = {{2, 0, 0, 0}};
        WideWord x = *this; // right in 3 bits
        for (int bits = 3; bits < 256; bits *= 2)
            x = x.times(two.minus(times(x)));
        return x;
    }
};

// Binary algorithm (Stein); gcd(0, b) is b.
inline WideWord wide_gcd(WideWord a, WideWord b)
{
    if (a.is_zero())
        return b;
    if (b.is_zero())
        return a;
    const unsigned twos_a = a.trailing_zeros();
    const unsigned twos_b = b.trailing_zeros();
    const unsigned twos = twos_a < twos_b ? twos_a : twos_b;
    a = a.shifted_right(twos_a);
    b = b.shifted_right(twos_b);
    while (!(a == b))
    {
        if (a.less(b))
        {
            const WideWord swap = a;
            a = b;
            b = swap;
        }
        a = a.minus(b);
        a = a.shifted_right(a.trailing_zeros());
    }
    WideWord power; // 2^twos
    power.limbs[twos / 64] = uint64_t{1} << (twos % 64);
    return a.times(power);
}

} // namespace basalt
