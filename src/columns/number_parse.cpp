#include "columns/number_text.h"

#include <fast_float/fast_float.h>
#include <fmt/core.h>
#include <limits>
#include <type_traits>

namespace basalt
{

namespace
{

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

template <class T> struct Unsigned
{
    using type = std::make_unsigned_t<T>;
};
template <> struct Unsigned<Int128>
{
    using type = UInt128;
};
template <> struct Unsigned<UInt128>
{
    using type = UInt128;
};
template <> struct Unsigned<Int256>
{
    using type = UInt256;
};
template <> struct Unsigned<UInt256>
{
    using type = UInt256;
};
// Small types are gathered in 64 bits and cut at the end, which wraps the same way.
template <class T>
using Gather = std::conditional_t<(sizeof(T) <= 8), uint64_t, typename Unsigned<T>::type>;

template <class T> constexpr bool kIsSigned = std::is_signed_v<T>;
template <> constexpr bool kIsSigned<Int128> = true;
template <> constexpr bool kIsSigned<Int256> = true;

// Appends the digits that stand here.
template <class G> void gather_digits(TextCursor& cursor, G& value)
{
    if constexpr (sizeof(G) > 8)
    {
        // Eighteen digits at a time in 64 bits: wide multiplications are dear.
        while (!cursor.at_end() && is_digit(*cursor.pos))
        {
            uint64_t piece = 0;
            uint64_t scale = 1;
            for (int i = 0; i < 18 && !cursor.at_end() && is_digit(*cursor.pos); ++i, ++cursor.pos)
            {
                piece = piece * 10 + static_cast<uint64_t>(*cursor.pos - '0');
                scale *= 10;
            }
            value = value * G(scale) + G(piece);
        }
    }
    else
    {
        const char* pos = cursor.pos;
        for (; pos != cursor.end && is_digit(*pos); ++pos)
            value = value * 10 + static_cast<uint64_t>(*pos - '0');
        cursor.pos = pos;
    }
}

template <class T> T finish_integer(Gather<T> gathered, bool negative)
{
    using G = Gather<T>;
    if (negative)
        gathered = G(0u) - gathered;
    return static_cast<T>(gathered);
}

template <class T> bool parse_sign(TextCursor& cursor, bool& negative)
{
    negative = false;
    if (cursor.at_end() || (*cursor.pos != '-' && *cursor.pos != '+'))
        return true;
    if (*cursor.pos == '-')
    {
        if (!kIsSigned<T>)
            return cursor.fail(error_codes::CANNOT_PARSE_NUMBER,
                               "Unsigned type must not contain '-' symbol");
        negative = true;
    }
    ++cursor.pos;
    if (!cursor.at_end() && (*cursor.pos == '-' || *cursor.pos == '+'))
        return cursor.fail(error_codes::CANNOT_PARSE_NUMBER,
                           "Cannot parse number with multiple sign (+/-) characters");
    if (cursor.at_end() || !is_digit(*cursor.pos))
        return cursor.fail(error_codes::CANNOT_PARSE_NUMBER,
                           "Cannot parse number with a sign character but without any numeric "
                           "character");
    return true;
}

bool is_float_byte(char c)
{
    return is_digit(c) || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

template <class T> bool parse_float_of(TextCursor& cursor, T& value)
{
    const char* begin = cursor.pos;
    if (begin != cursor.end && *begin == '+')
        ++begin;
    const auto [end, status] = fast_float::from_chars(begin, cursor.end, value);
    const bool signed_twice = begin != cursor.pos && begin != cursor.end && *begin == '-';
    // A result past the range is infinity or zero, as in the peer.
    const bool parsed = (status == std::errc() || status == std::errc::result_out_of_range) &&
                        !signed_twice && end != begin;
    if (!parsed || (end != cursor.end && (*end | 0x20) == 'e'))
    {
        const char* to = cursor.pos;
        while (to != cursor.end && is_float_byte(*to))
            ++to;
        return cursor.fail(error_codes::CANNOT_PARSE_NUMBER,
                           cursor.quiet ? std::string()
                                        : "Cannot read floating point value here: " +
                                              std::string(cursor.pos, to));
    }
    cursor.pos = end;
    return true;
}

} // namespace

template <class T> bool parse_integer(TextCursor& cursor, T& value)
{
    if (cursor.at_end())
        return cursor.fail_end();
    bool negative;
    if (!parse_sign<T>(cursor, negative))
        return false;
    Gather<T> gathered = Gather<T>(0u);
    gather_digits(cursor, gathered);
    value = finish_integer<T>(gathered, negative);
    return true;
}

template <class T> bool parse_integer_tsv(TextCursor& cursor, T& value)
{
    if (cursor.at_end())
        return cursor.fail_end();
    bool negative = false;
    if constexpr (kIsSigned<T>)
    {
        if (*cursor.pos == '-')
        {
            negative = true;
            ++cursor.pos;
        }
    }
    Gather<T> gathered = Gather<T>(0u);
    if (!cursor.skip('0'))
        gather_digits(cursor, gathered);
    value = finish_integer<T>(gathered, negative);
    return true;
}

template <class T> bool parse_integer_checked(TextCursor& cursor, T& value)
{
    if (cursor.at_end())
        return cursor.fail_end();
    bool negative;
    if (!parse_sign<T>(cursor, negative))
        return false;
    if (cursor.at_end() || !is_digit(*cursor.pos))
        return cursor.fail(error_codes::CANNOT_PARSE_NUMBER, "Cannot parse number: no digits");
    const char* const digits = cursor.pos;
    UInt256 gathered(0u);
    while (!cursor.at_end() && *cursor.pos == '0')
        ++cursor.pos;
    const char* const significant = cursor.pos;
    gather_digits(cursor, gathered);
    value = finish_integer<T>(static_cast<Gather<T>>(gathered), negative);
    // Up to 77 digits are below 2^256; a 78th can only be judged by its leading ones.
    const auto count = static_cast<size_t>(cursor.pos - significant);
    bool fits = count < 78;
    if (count == 78)
        fits = std::string_view(significant, 78) <=
               "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    if (fits)
    {
        // Compare with the magnitude that the value stands for.
        UInt256 magnitude;
        if constexpr (std::is_same_v<T, UInt256>)
            magnitude = value;
        else
        {
            const Int256 wide(value);
            magnitude = UInt256(negative ? -wide : wide);
            if ((negative && wide > Int256(0)) || (!negative && wide < Int256(0)))
                fits = false;
        }
        fits = fits && magnitude == gathered;
    }
    if (fits)
        return true;
    return cursor.fail(error_codes::ARGUMENT_OUT_OF_BOUND,
                       cursor.quiet ? std::string()
                                    : fmt::format("Number {} is out of range",
                                                  std::string_view(digits, static_cast<size_t>(
                                                                               cursor.pos - digits))));
}

#define BASALT_INSTANTIATE(T)                                                                      \
    template bool parse_integer<T>(TextCursor&, T&);                                               \
    template bool parse_integer_tsv<T>(TextCursor&, T&);                                           \
    template bool parse_integer_checked<T>(TextCursor&, T&);
BASALT_INSTANTIATE(uint8_t)
BASALT_INSTANTIATE(uint16_t)
BASALT_INSTANTIATE(uint32_t)
BASALT_INSTANTIATE(uint64_t)
BASALT_INSTANTIATE(UInt128)
BASALT_INSTANTIATE(UInt256)
BASALT_INSTANTIATE(int8_t)
BASALT_INSTANTIATE(int16_t)
BASALT_INSTANTIATE(int32_t)
BASALT_INSTANTIATE(int64_t)
BASALT_INSTANTIATE(Int128)
BASALT_INSTANTIATE(Int256)
#undef BASALT_INSTANTIATE

bool parse_float(TextCursor& cursor, double& value) { return parse_float_of(cursor, value); }
bool parse_float(TextCursor& cursor, float& value) { return parse_float_of(cursor, value); }

bool parse_decimal(TextCursor& cursor, uint32_t precision, uint32_t scale, Int256& mantissa,
                   bool digits_optional)
{
    if (cursor.at_end() && !digits_optional)
        return cursor.fail_end();
    bool negative = false;
    if (!cursor.at_end() && (*cursor.pos == '-' || *cursor.pos == '+'))
        negative = *cursor.pos++ == '-';

    // Significant digits are kept up to the precision; those of the fraction past it are dropped
    // later anyway, those before the point are an overflow.
    constexpr uint32_t kMaxDigits = 76;
    char digits[kMaxDigits];
    uint32_t count = 0;
    int64_t exponent = 0; // value = digits * 10^exponent
    uint64_t dropped_integer_digits = 0;
    bool after_point = false;
    bool any = false;
    while (!cursor.at_end())
    {
        const char c = *cursor.pos;
        if (is_digit(c))
        {
            any = true;
            if (count == 0 && c == '0')
            {
                if (after_point)
                    --exponent;
            }
            else if (count < kMaxDigits)
            {
                digits[count++] = c;
                if (after_point)
                    --exponent;
            }
            else if (!after_point)
            {
                ++exponent;
                ++dropped_integer_digits;
            }
        }
        else if (c == '.' && !after_point)
            after_point = true;
        else
            break;
        ++cursor.pos;
    }
    if (any && !cursor.at_end() && (*cursor.pos == 'e' || *cursor.pos == 'E'))
    {
        ++cursor.pos;
        int32_t written = 0;
        if (cursor.at_end() || !(is_digit(*cursor.pos) || *cursor.pos == '-' || *cursor.pos == '+'))
            return cursor.fail(error_codes::CANNOT_PARSE_NUMBER,
                               "Cannot parse decimal: no digits in the exponent");
        const bool down = *cursor.pos == '-';
        if (down || *cursor.pos == '+')
            ++cursor.pos;
        if (!parse_integer_checked(cursor, written))
            return false;
        exponent += down ? -int64_t{written} : int64_t{written};
    }
    while (count > 0 && digits[count - 1] == '0' && exponent < 0)
    {
        --count;
        ++exponent;
    }

    const auto too_big = [&]
    {
        if (cursor.quiet)
            return cursor.fail(error_codes::ARGUMENT_OUT_OF_BOUND, "");
        return cursor.fail(
            error_codes::ARGUMENT_OUT_OF_BOUND,
            fmt::format("Decimal value is too big: {} digits were read: '{}'e{}. Expected to read "
                        "decimal with scale {} and precision {}",
                        count, std::string_view(digits, count), exponent, scale, precision));
    };
    mantissa = Int256(0);
    if (count == 0)
        return true;
    if (dropped_integer_digits > 0)
        return too_big();
    // Digits that stay once the value is written with `scale` fraction digits.
    const int64_t stay = int64_t{count} + exponent + scale;
    if (stay <= 0)
        return true;
    if (stay > precision)
        return too_big();
    const auto used = static_cast<uint32_t>(std::min<int64_t>(count, stay));
    for (uint32_t i = 0; i < used;)
    {
        int64_t piece = 0;
        const uint32_t n = std::min<uint32_t>(18, used - i);
        for (uint32_t j = 0; j < n; ++j)
            piece = piece * 10 + (digits[i + j] - '0');
        mantissa = mantissa * Int256(kPowersOfTen64[n]) + Int256(piece);
        i += n;
    }
    if (stay > used)
        mantissa = mantissa * power_of_ten_256(static_cast<uint32_t>(stay - used));
    if (negative)
        mantissa = -mantissa;
    return true;
}

} // namespace basalt
