#include "base/wide_int.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

template <bool S> void negate(WideInt<S>& a)
{
    uint64_t carry = 1;
    for (auto& limb : a.limbs)
    {
        limb = ~limb + carry;
        carry = carry && limb == 0;
    }
}

int highest_bit(const uint64_t* limbs)
{
    for (int i = 3; i >= 0; --i)
        if (limbs[i])
            return i * 64 + 63 - __builtin_clzll(limbs[i]);
    return -1;
}

// Unsigned long division, bit by bit above 128 bits, native below.
void divide(const UInt256& a, const UInt256& b, UInt256& quotient, UInt256& remainder)
{
    if ((a.limbs[2] | a.limbs[3] | b.limbs[2] | b.limbs[3]) == 0)
    {
        const auto x = static_cast<UInt128>(a);
        const auto y = static_cast<UInt128>(b);
        quotient = x / y;
        remainder = x % y;
        return;
    }
    quotient = 0;
    if ((b.limbs[1] | b.limbs[2] | b.limbs[3]) == 0)
    {
        UInt128 rest = 0;
        for (int i = 3; i >= 0; --i)
        {
            const UInt128 now = (rest << 64) | a.limbs[i];
            quotient.limbs[i] = static_cast<uint64_t>(now / b.limbs[0]);
            rest = now % b.limbs[0];
        }
        remainder = rest;
        return;
    }
    remainder = 0;
    for (int bit = highest_bit(a.limbs); bit >= 0; --bit)
    {
        remainder <<= 1;
        remainder.limbs[0] |= (a.limbs[bit / 64] >> (bit % 64)) & 1;
        if (remainder >= b)
        {
            remainder -= b;
            quotient.limbs[bit / 64] |= uint64_t{1} << (bit % 64);
        }
    }
}

template <bool S> UInt256 magnitude(const WideInt<S>& a)
{
    UInt256 m;
    std::copy(a.limbs, a.limbs + 4, m.limbs);
    if (a.negative())
        negate(m);
    return m;
}

template <bool S> WideInt<S> with_sign(const UInt256& m, bool negative)
{
    WideInt<S> r;
    std::copy(m.limbs, m.limbs + 4, r.limbs);
    if (negative)
        negate(r);
    return r;
}

std::string digits(UInt256 value)
{
    if (value == UInt256(0))
        return "0";
    std::string out;
    const UInt256 chunk_size(uint64_t{10000000000000000000ull});
    while (value != UInt256(0))
    {
        UInt256 q, r;
        divide(value, chunk_size, q, r);
        uint64_t chunk = r.limbs[0];
        value = q;
        for (int i = 0; i < 19 && (chunk || value != UInt256(0)); ++i)
        {
            out.push_back(static_cast<char>('0' + chunk % 10));
            chunk /= 10;
        }
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace

template <bool S> WideInt<S> WideInt<S>::from_double(double value)
{
    const bool minus = value < 0;
    double left = std::trunc(std::fabs(value));
    UInt256 m(0);
    if (std::isfinite(left))
        for (int i = 3; i >= 0; --i)
        {
            const double unit = std::ldexp(1.0, 64 * i);
            const double top = std::min(std::floor(left / unit), 18446744073709549568.0);
            m.limbs[i] = static_cast<uint64_t>(top);
            left -= static_cast<double>(m.limbs[i]) * unit;
        }
    return with_sign<S>(m, minus);
}

template <bool S> double WideInt<S>::to_double() const
{
    const UInt256 m = magnitude(*this);
    double sum = 0;
    for (int i = 3; i >= 0; --i)
        sum += std::ldexp(static_cast<double>(m.limbs[i]), 64 * i);
    return negative() ? -sum : sum;
}

template <bool S> WideInt<S>& WideInt<S>::operator+=(const WideInt& b)
{
    UInt128 carry = 0;
    for (int i = 0; i < 4; ++i)
    {
        carry += static_cast<UInt128>(limbs[i]) + b.limbs[i];
        limbs[i] = static_cast<uint64_t>(carry);
        carry >>= 64;
    }
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator-=(const WideInt& b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; ++i)
    {
        const UInt128 d = static_cast<UInt128>(limbs[i]) - b.limbs[i] - borrow;
        limbs[i] = static_cast<uint64_t>(d);
        borrow = (d >> 64) != 0;
    }
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator*=(const WideInt& b)
{
    uint64_t out[4] = {};
    for (int i = 0; i < 4; ++i)
    {
        UInt128 carry = 0;
        for (int j = 0; i + j < 4; ++j)
        {
            carry += static_cast<UInt128>(limbs[i]) * b.limbs[j] + out[i + j];
            out[i + j] = static_cast<uint64_t>(carry);
            carry >>= 64;
        }
    }
    std::copy(out, out + 4, limbs);
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator/=(const WideInt& b)
{
    UInt256 q, r;
    divide(magnitude(*this), magnitude(b), q, r);
    return *this = with_sign<S>(q, negative() != b.negative());
}

template <bool S> WideInt<S>& WideInt<S>::operator%=(const WideInt& b)
{
    UInt256 q, r;
    divide(magnitude(*this), magnitude(b), q, r);
    return *this = with_sign<S>(r, negative());
}

template <bool S> WideInt<S>& WideInt<S>::operator<<=(int bits)
{
    const int words = bits / 64, rest = bits % 64;
    for (int i = 3; i >= 0; --i)
    {
        uint64_t v = i - words >= 0 ? limbs[i - words] << rest : 0;
        if (rest && i - words - 1 >= 0)
            v |= limbs[i - words - 1] >> (64 - rest);
        limbs[i] = v;
    }
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator>>=(int bits)
{
    const uint64_t fill = negative() ? ~uint64_t{0} : 0;
    const int words = bits / 64, rest = bits % 64;
    for (int i = 0; i < 4; ++i)
    {
        const uint64_t low = i + words < 4 ? limbs[i + words] : fill;
        const uint64_t high = i + words + 1 < 4 ? limbs[i + words + 1] : fill;
        limbs[i] = rest ? (low >> rest) | (high << (64 - rest)) : low;
    }
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator&=(const WideInt& b)
{
    for (int i = 0; i < 4; ++i)
        limbs[i] &= b.limbs[i];
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator|=(const WideInt& b)
{
    for (int i = 0; i < 4; ++i)
        limbs[i] |= b.limbs[i];
    return *this;
}

template <bool S> WideInt<S>& WideInt<S>::operator^=(const WideInt& b)
{
    for (int i = 0; i < 4; ++i)
        limbs[i] ^= b.limbs[i];
    return *this;
}

template <bool S> WideInt<S> WideInt<S>::operator-() const
{
    WideInt r = *this;
    negate(r);
    return r;
}

template <bool S> WideInt<S> WideInt<S>::operator~() const
{
    WideInt r;
    for (int i = 0; i < 4; ++i)
        r.limbs[i] = ~limbs[i];
    return r;
}

template struct WideInt<true>;
template struct WideInt<false>;

std::string to_text(const UInt256& value)
{
    return digits(value);
}

std::string to_text(const Int256& value)
{
    return (value.negative() ? "-" : "") + digits(magnitude(value));
}

std::string to_text(Int128 value)
{
    return to_text(Int256(value));
}

std::string to_text(UInt128 value)
{
    return digits(UInt256(value));
}

} // namespace basalt
