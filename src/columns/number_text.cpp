#include "columns/number_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace basalt
{

const char kDigitPairs[201] = "00010203040506070809"
                              "10111213141516171819"
                              "20212223242526272829"
                              "30313233343536373839"
                              "40414243444546474849"
                              "50515253545556575859"
                              "60616263646566676869"
                              "70717273747576777879"
                              "80818283848586878889"
                              "90919293949596979899";

namespace
{

constexpr uint64_t kTenTo19 = 10000000000000000000ull;
// 2^256 has 78 digits.
constexpr size_t kMaxIntegerBytes = 80;

uint32_t count_digits(uint64_t value)
{
    uint32_t digits = 1;
    for (;;)
    {
        if (value < 10)
            return digits;
        if (value < 100)
            return digits + 1;
        if (value < 1000)
            return digits + 2;
        if (value < 10000)
            return digits + 3;
        value /= 10000;
        digits += 4;
    }
}

char* put_19_digits(char* to, uint64_t value)
{
    for (int i = 18; i > 0; i -= 2)
    {
        put_two_digits(to + i - 1, static_cast<uint32_t>(value % 100));
        value /= 100;
    }
    to[0] = static_cast<char>('0' + value);
    return to + 19;
}

char* put_wide(char* to, UInt256 value)
{
    uint64_t pieces[5];
    int count = 0;
    const UInt256 base(kTenTo19);
    while ((value.limbs[1] | value.limbs[2] | value.limbs[3]) != 0)
    {
        const UInt256 quotient = value / base;
        pieces[count++] = (value - quotient * base).limbs[0];
        value = quotient;
    }
    uint64_t low = value.limbs[0];
    if (low >= kTenTo19)
    {
        pieces[count++] = low - kTenTo19;
        low = 1;
    }
    to = put_digits(to, low);
    while (count > 0)
        to = put_19_digits(to, pieces[--count]);
    return to;
}

char* put_unsigned(char* to, UInt128 value)
{
    if (value >> 64 == 0)
        return put_digits(to, static_cast<uint64_t>(value));
    return put_wide(to, UInt256(value));
}

// digits: no leading or trailing zeros; value = 0.d1d2d3… * 10^point.
char* put_float_digits(char* to, const char* digits, int count, int point)
{
    constexpr int kLowestPlainPoint = -5; // 0.000001
    constexpr int kHighestPlainPoint = 21;
    if (point >= kLowestPlainPoint && point <= kHighestPlainPoint)
    {
        if (point <= 0)
        {
            *to++ = '0';
            *to++ = '.';
            std::memset(to, '0', static_cast<size_t>(-point));
            to += -point;
            std::memcpy(to, digits, static_cast<size_t>(count));
            return to + count;
        }
        if (count <= point)
        {
            std::memcpy(to, digits, static_cast<size_t>(count));
            std::memset(to + count, '0', static_cast<size_t>(point - count));
            return to + point;
        }
        std::memcpy(to, digits, static_cast<size_t>(point));
        to[point] = '.';
        std::memcpy(to + point + 1, digits + point, static_cast<size_t>(count - point));
        return to + count + 1;
    }
    *to++ = digits[0];
    if (count > 1)
    {
        *to++ = '.';
        std::memcpy(to, digits + 1, static_cast<size_t>(count - 1));
        to += count - 1;
    }
    *to++ = 'e';
    int exponent = point - 1;
    if (exponent < 0)
    {
        *to++ = '-';
        exponent = -exponent;
    }
    return put_digits(to, static_cast<uint64_t>(exponent));
}

template <class T> void write_float(OutputBuffer& out, T value)
{
    char* const start = out.reserve(64);
    char* to = start;
    if (!std::isfinite(value))
    {
        if (std::isnan(value))
            out.write("nan");
        else
            out.write(value < 0 ? "-inf" : "inf");
        return;
    }
    if (std::signbit(value))
    {
        *to++ = '-';
        value = -value;
    }
    // Whole numbers whose digits are all significant need no search for the shortest form.
    constexpr T kExactLimit = sizeof(T) == 8 ? T(9007199254740992) : T(16777216);
    if (value < kExactLimit && value == static_cast<T>(static_cast<uint64_t>(value)))
    {
        to = put_digits(to, static_cast<uint64_t>(value));
        out.advance(static_cast<size_t>(to - start));
        return;
    }
    char text[40];
    const char* const end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
    // d[.ddd]e±XX
    const char* e = end - 1;
    while (*e != 'e')
        --e;
    char digits[24];
    int count = 0;
    for (const char* p = text; p != e; ++p)
        if (*p != '.')
            digits[count++] = *p;
    int exponent = 0;
    for (const char* p = e + 2; p != end; ++p)
        exponent = exponent * 10 + (*p - '0');
    if (e[1] == '-')
        exponent = -exponent;
    to = put_float_digits(to, digits, count, exponent + 1);
    out.advance(static_cast<size_t>(to - start));
}

} // namespace

char* put_digits(char* to, uint64_t value)
{
    const uint32_t digits = count_digits(value);
    char* at = to + digits;
    while (value >= 100)
    {
        at -= 2;
        put_two_digits(at, static_cast<uint32_t>(value % 100));
        value /= 100;
    }
    if (value >= 10)
        put_two_digits(at - 2, static_cast<uint32_t>(value));
    else
        at[-1] = static_cast<char>('0' + value);
    return to + digits;
}

void write_number(OutputBuffer& out, uint64_t value)
{
    char* to = out.reserve(24);
    out.advance(static_cast<size_t>(put_digits(to, value) - to));
}

void write_number(OutputBuffer& out, int64_t value)
{
    char* const start = out.reserve(24);
    char* to = start;
    uint64_t magnitude = static_cast<uint64_t>(value);
    if (value < 0)
    {
        *to++ = '-';
        magnitude = 0 - magnitude;
    }
    out.advance(static_cast<size_t>(put_digits(to, magnitude) - start));
}

void write_number(OutputBuffer& out, UInt128 value)
{
    char* to = out.reserve(kMaxIntegerBytes);
    out.advance(static_cast<size_t>(put_unsigned(to, value) - to));
}

void write_number(OutputBuffer& out, Int128 value)
{
    char* const start = out.reserve(kMaxIntegerBytes);
    char* to = start;
    auto magnitude = static_cast<UInt128>(value);
    if (value < 0)
    {
        *to++ = '-';
        magnitude = 0 - magnitude;
    }
    out.advance(static_cast<size_t>(put_unsigned(to, magnitude) - start));
}

void write_number(OutputBuffer& out, const UInt256& value)
{
    char* to = out.reserve(kMaxIntegerBytes);
    out.advance(static_cast<size_t>(put_wide(to, value) - to));
}

void write_number(OutputBuffer& out, const Int256& value)
{
    char* const start = out.reserve(kMaxIntegerBytes);
    char* to = start;
    if (value.negative())
        *to++ = '-';
    to = put_wide(to, UInt256(value.negative() ? -value : value));
    out.advance(static_cast<size_t>(to - start));
}

void write_number(OutputBuffer& out, double value) { write_float(out, value); }
void write_number(OutputBuffer& out, float value) { write_float(out, value); }

const Int256& power_of_ten_256(uint32_t power)
{
    static const auto& table = []() -> const Int256(&)[77]
    {
        static Int256 powers[77];
        powers[0] = 1;
        for (int i = 1; i < 77; ++i)
            powers[i] = powers[i - 1] * Int256(10);
        return powers;
    }();
    BASALT_DCHECK(power < 77);
    return table[power];
}

namespace
{

// digits: the mantissa's, without sign; writes them with the point `scale` places from the end.
void write_scaled_digits(OutputBuffer& out, bool negative, const char* digits, size_t count,
                         uint32_t scale, bool trailing_zeros)
{
    if (!trailing_zeros)
    {
        while (scale > 0 && count > 0 && digits[count - 1] == '0')
        {
            --scale;
            --count;
        }
    }
    if (count == 0)
        scale = 0;
    char* const start = out.reserve(kMaxIntegerBytes * 2);
    char* to = start;
    if (negative)
        *to++ = '-';
    if (count > scale)
    {
        std::memcpy(to, digits, count - scale);
        to += count - scale;
        digits += count - scale;
        count = scale;
    }
    else
        *to++ = '0';
    if (scale > 0)
    {
        *to++ = '.';
        std::memset(to, '0', scale - count);
        to += scale - count;
        std::memcpy(to, digits, count);
        to += count;
    }
    out.advance(static_cast<size_t>(to - start));
}

} // namespace

void write_decimal(OutputBuffer& out, int64_t mantissa, uint32_t scale, bool trailing_zeros)
{
    char digits[24];
    const auto bits = static_cast<uint64_t>(mantissa);
    const uint64_t magnitude = mantissa < 0 ? 0 - bits : bits;
    const char* end = put_digits(digits, magnitude);
    if (magnitude == 0 && !trailing_zeros)
        scale = 0;
    write_scaled_digits(out, mantissa < 0, digits, static_cast<size_t>(end - digits), scale,
                        trailing_zeros);
}

void write_decimal(OutputBuffer& out, const Int256& mantissa, uint32_t scale, bool trailing_zeros)
{
    char digits[kMaxIntegerBytes];
    const bool negative = mantissa.negative();
    const UInt256 magnitude(negative ? -mantissa : mantissa);
    const char* end = put_wide(digits, magnitude);
    if (magnitude == UInt256(0u) && !trailing_zeros)
        scale = 0;
    write_scaled_digits(out, negative, digits, static_cast<size_t>(end - digits), scale,
                        trailing_zeros);
}

} // namespace basalt
