#pragma once

// 256-bit integers in two's complement, four 64-bit limbs, least significant first. Arithmetic
// wraps. Division by zero is the caller's to exclude.

#include "base/int_types.h"

#include <compare>
#include <string>
#include <type_traits>

namespace basalt
{

template <bool kSigned> struct WideInt
{
    uint64_t limbs[4];

    WideInt() = default;
    template <class T>
        requires std::is_arithmetic_v<T> || std::is_same_v<T, Int128> || std::is_same_v<T, UInt128>
    constexpr WideInt(T value)
    {
        if constexpr (std::is_floating_point_v<T>)
            *this = from_double(static_cast<double>(value));
        else
        {
            constexpr bool is_negative_possible = T(-1) < T(0);
            const uint64_t fill = is_negative_possible && value < T(0) ? ~uint64_t{0} : 0;
            if constexpr (sizeof(T) == 16)
            {
                limbs[0] = static_cast<uint64_t>(value);
                limbs[1] = static_cast<uint64_t>(static_cast<UInt128>(value) >> 64);
            }
            else
            {
                limbs[0] = static_cast<uint64_t>(value);
                limbs[1] = fill;
            }
            limbs[2] = fill;
            limbs[3] = fill;
        }
    }
    constexpr explicit WideInt(const WideInt<!kSigned>& other)
    {
        for (int i = 0; i < 4; ++i)
            limbs[i] = other.limbs[i];
    }

    static WideInt from_double(double value);
    double to_double() const;

    constexpr bool negative() const { return kSigned && (limbs[3] >> 63) != 0; }

    template <class T>
        requires std::is_arithmetic_v<T> || std::is_same_v<T, Int128> || std::is_same_v<T, UInt128>
    explicit operator T() const
    {
        if constexpr (std::is_same_v<T, bool>)
            return (limbs[0] | limbs[1] | limbs[2] | limbs[3]) != 0;
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(to_double());
        else if constexpr (sizeof(T) == 16)
            return static_cast<T>((static_cast<UInt128>(limbs[1]) << 64) | limbs[0]);
        else
            return static_cast<T>(limbs[0]);
    }

    WideInt& operator+=(const WideInt& b);
    WideInt& operator-=(const WideInt& b);
    WideInt& operator*=(const WideInt& b);
    WideInt& operator/=(const WideInt& b); // truncates towards zero
    WideInt& operator%=(const WideInt& b); // sign of the dividend
    WideInt& operator<<=(int bits);
    WideInt& operator>>=(int bits); // arithmetic when signed
    WideInt& operator&=(const WideInt& b);
    WideInt& operator|=(const WideInt& b);
    WideInt& operator^=(const WideInt& b);
    WideInt operator-() const;
    WideInt operator~() const;

    friend WideInt operator+(WideInt a, const WideInt& b) { return a += b; }
    friend WideInt operator-(WideInt a, const WideInt& b) { return a -= b; }
    friend WideInt operator*(WideInt a, const WideInt& b) { return a *= b; }
    friend WideInt operator/(WideInt a, const WideInt& b) { return a /= b; }
    friend WideInt operator%(WideInt a, const WideInt& b) { return a %= b; }
    friend WideInt operator&(WideInt a, const WideInt& b) { return a &= b; }
    friend WideInt operator|(WideInt a, const WideInt& b) { return a |= b; }
    friend WideInt operator^(WideInt a, const WideInt& b) { return a ^= b; }
    friend WideInt operator<<(WideInt a, int bits) { return a <<= bits; }
    friend WideInt operator>>(WideInt a, int bits) { return a >>= bits; }

    friend bool operator==(const WideInt& a, const WideInt& b)
    {
        return a.limbs[0] == b.limbs[0] && a.limbs[1] == b.limbs[1] && a.limbs[2] == b.limbs[2] &&
               a.limbs[3] == b.limbs[3];
    }
    friend std::strong_ordering operator<=>(const WideInt& a, const WideInt& b)
    {
        if (a.negative() != b.negative())
            return a.negative() ? std::strong_ordering::less : std::strong_ordering::greater;
        for (int i = 3; i >= 0; --i)
            if (a.limbs[i] != b.limbs[i])
                return a.limbs[i] < b.limbs[i] ? std::strong_ordering::less
                                               : std::strong_ordering::greater;
        return std::strong_ordering::equal;
    }
};

using Int256 = WideInt<true>;
using UInt256 = WideInt<false>;

std::string to_text(const Int256& value);
std::string to_text(const UInt256& value);
std::string to_text(Int128 value);
std::string to_text(UInt128 value);

extern template struct WideInt<true>;
extern template struct WideInt<false>;

} // namespace basalt
