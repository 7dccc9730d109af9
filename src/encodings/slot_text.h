#pragma once

// How the texts of slots are read and written. A text is taken only in the form that writing
// gives back: no "-0", no "+5", no number of more than kMaxSlotDigits digits.

#include "base/unaligned.h"
#include "encodings/hex_text.h"
#include "encodings/text_template.h"

#include <array>
#include <cstring>
#include <string_view>

namespace basalt::inline encodings
{

inline constexpr unsigned kMaxSlotDigits = 18;
inline constexpr unsigned kMaxSlotDecimals = 9; // digits after the point

inline bool is_digit_byte(char c)
{
    return static_cast<unsigned char>(c - '0') <= 9;
}

// What a byte may be part of.
enum ByteClass : uint8_t
{
    kWordByte = 1,
    kPathByte = 2,  // words too
    kQueryByte = 4, // of a path behind a question mark; words too
    kPathEnd = 8,   // no path ends with it
};
inline constexpr std::array<uint8_t, 256> kByteClasses = []
{
    std::array<uint8_t, 256> classes{};
    for (size_t c = 0; c < 256; ++c)
    {
        const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                             (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        classes[c] = is_word ? kWordByte | kPathByte | kQueryByte : 0;
    }
    for (const char c : {'.', '/', '-', '$', '@', '~', '+', '%', '#', ':', '?'})
        classes[static_cast<size_t>(c)] |= kPathByte | kQueryByte;
    for (const char c : {'&', '=', ',', '*', ';', '[', ']', '!'})
        classes[static_cast<size_t>(c)] |= kQueryByte;
    for (const char c : {'.', ':', '-', '?', ',', ';', '!', ']'})
        classes[static_cast<size_t>(c)] |= kPathEnd;
    return classes;
}();

inline bool is_word_byte(char c)
{
    return kByteClasses[static_cast<unsigned char>(c)] & kWordByte;
}

// A value of an Integer, Decimal, Hex or Ipv4 slot.
struct SlotNumber
{
    int64_t value = 0;
    // Integer: 0, or the number of digits when the first of several is 0.
    // Decimal: digits after the point (0: no point). Hex: digits.
    uint8_t form = 0;
};

// Each returns the end of the text, or nullptr when there is no such text at `at`.

inline const char* read_digits(const char* at, const char* end, uint64_t& value)
{
    const char* const limit = end - at > kMaxSlotDigits + 1 ? at + kMaxSlotDigits + 1 : end;
    uint64_t sum = 0;
    for (; at < limit; ++at)
    {
        const auto digit = static_cast<unsigned char>(*at - '0');
        if (digit > 9)
            break;
        sum = sum * 10 + digit;
    }
    value = sum;
    return at;
}

inline const char* parse_integer(const char* at, const char* end, SlotNumber& number)
{
    const bool negative = at < end && *at == '-';
    const char* const digits = at + negative;
    uint64_t value = 0;
    const char* const stop = read_digits(digits, end, value);
    const auto count = static_cast<size_t>(stop - digits);
    if (count == 0 || count > kMaxSlotDigits || (negative && *digits == '0'))
        return nullptr;
    number.form = *digits == '0' && count > 1 ? static_cast<uint8_t>(count) : 0;
    number.value = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
    return stop;
}

inline const char* parse_decimal(const char* at, const char* end, SlotNumber& number)
{
    const bool negative = at < end && *at == '-';
    const char* const digits = at + negative;
    uint64_t value = 0;
    const char* stop = read_digits(digits, end, value);
    const auto count = static_cast<size_t>(stop - digits);
    if (count == 0 || count > kMaxSlotDigits || (*digits == '0' && count > 1))
        return nullptr;
    number.form = 0;
    if (end - stop > 1 && *stop == '.' && is_digit_byte(stop[1]))
    {
        const char* const fraction = stop + 1;
        for (stop = fraction; stop < end && is_digit_byte(*stop); ++stop)
        {
            if (static_cast<size_t>(stop - fraction) >= kMaxSlotDecimals)
                return nullptr;
            value = value * 10 + static_cast<unsigned char>(*stop - '0');
        }
        number.form = static_cast<uint8_t>(stop - fraction);
        if (count + number.form > kMaxSlotDigits)
            return nullptr;
    }
    if (negative && value == 0)
        return nullptr;
    number.value = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
    return stop;
}

// At most kMaxHexNumberDigits digits; a longer run is no match.
inline const char* parse_hex_number(const char* at, const char* end, HexCase letters,
                                    SlotNumber& number)
{
    uint64_t value = 0;
    const char* stop = at;
    for (; stop < end; ++stop)
    {
        const int digit = hex_digit(*stop, letters);
        if (digit < 0)
            break;
        if (stop - at == 16)
            return nullptr;
        value = value << 4 | static_cast<uint64_t>(digit);
    }
    if (stop == at)
        return nullptr;
    number.value = static_cast<int64_t>(value);
    number.form = static_cast<uint8_t>(stop - at);
    return stop;
}

inline const char* parse_ipv4(const char* at, const char* end, SlotNumber& number)
{
    uint32_t address = 0;
    for (int i = 0; i < 4; ++i)
    {
        if (i && (at == end || *at++ != '.'))
            return nullptr;
        const char* const begin = at;
        uint32_t part = 0;
        while (at < end && at - begin < 3 && is_digit_byte(*at))
            part = part * 10 + static_cast<uint32_t>(*at++ - '0');
        if (at == begin || part > 255 || (*begin == '0' && at - begin > 1))
            return nullptr;
        address = address << 8 | part;
    }
    if (at < end && is_digit_byte(*at))
        return nullptr;
    number.value = address;
    number.form = 0;
    return at;
}

inline bool is_uuid(const char* at, const char* end)
{
    if (end - at < 36 || at[8] != '-' || at[13] != '-' || at[18] != '-' || at[23] != '-')
        return false;
    return hex_run(at, 8, HexCase::Lower) == 8 && hex_run(at + 9, 4, HexCase::Lower) == 4 &&
           hex_run(at + 14, 4, HexCase::Lower) == 4 && hex_run(at + 19, 4, HexCase::Lower) == 4 &&
           hex_run(at + 24, 12, HexCase::Lower) == 12;
}

inline const char* end_of_word(const char* at, const char* end)
{
    while (at < end && is_word_byte(*at))
        ++at;
    return at;
}

// Names, paths, addresses of the web: the longest run of word bytes and of signs that join them,
// some only after a question mark, without signs at its end that close a sentence or a key.
inline const char* end_of_path(const char* at, const char* end)
{
    uint8_t wanted = kPathByte;
    const char* stop = at;
    for (; stop < end && kByteClasses[static_cast<unsigned char>(*stop)] & wanted; ++stop)
        if (*stop == '?')
            wanted = kQueryByte;
    while (stop > at && kByteClasses[static_cast<unsigned char>(stop[-1])] & kPathEnd)
        --stop;
    return stop;
}

// Writing. Each returns the end of what it wrote; up to 32 bytes from `out` may be overwritten.

inline constexpr char kDigitPairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

inline unsigned digits_of_number(uint64_t value)
{
    static constexpr uint64_t kPowers[] = {0,
                                           10,
                                           100,
                                           1000,
                                           10000,
                                           100000,
                                           1000000,
                                           10000000,
                                           100000000,
                                           1000000000,
                                           10000000000,
                                           100000000000,
                                           1000000000000,
                                           10000000000000,
                                           100000000000000,
                                           1000000000000000,
                                           10000000000000000,
                                           100000000000000000,
                                           1000000000000000000,
                                           10000000000000000000ull};
    const unsigned bits = 64 - static_cast<unsigned>(__builtin_clzll(value | 1));
    const unsigned guess = bits * 1233 >> 12;
    return guess + (value >= kPowers[guess]);
}

// Exactly `count` digits, the highest first.
inline void write_fixed_digits(uint64_t value, unsigned count, char* out)
{
    char* at = out + count;
    while (count >= 2)
    {
        at -= 2;
        std::memcpy(at, kDigitPairs + value % 100 * 2, 2);
        value /= 100;
        count -= 2;
    }
    if (count)
        at[-1] = static_cast<char>('0' + value % 10);
}

inline char* write_number(uint64_t value, char* out)
{
    if (value < 10)
    {
        *out = static_cast<char>('0' + value);
        return out + 1;
    }
    const unsigned count = digits_of_number(value);
    write_fixed_digits(value, count, out);
    return out + count;
}

inline uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// width: least number of digits, 0 and 1 for none.
inline char* write_integer(int64_t value, unsigned width, char* out)
{
    if (value < 0)
        *out++ = '-';
    const uint64_t digits = magnitude(value);
    if (width < 2)
        return write_number(digits, out);
    const unsigned count = digits_of_number(digits);
    if (count > width)
        width = count;
    write_fixed_digits(digits, width, out);
    return out + width;
}

// value / 10^decimals with exactly that many digits after the point.
inline char* write_decimal(int64_t value, unsigned decimals, uint64_t power, char* out)
{
    if (decimals == 0)
        return write_integer(value, 0, out);
    if (value < 0)
        *out++ = '-';
    const uint64_t digits = magnitude(value);
    out = write_number(digits / power, out);
    *out++ = '.';
    write_fixed_digits(digits % power, decimals, out);
    return out + decimals;
}

// The same without zeros at the end of the fraction, and no point where nothing is left.
inline char* write_shortest_decimal(int64_t value, unsigned decimals, uint64_t power, char* out)
{
    if (decimals == 1) // by far the most frequent
    {
        if (value < 0)
            *out++ = '-';
        const uint64_t digits = magnitude(value);
        out = write_number(digits / 10, out);
        const uint64_t last = digits % 10;
        out[0] = '.';
        out[1] = static_cast<char>('0' + last);
        return out + (last ? 2 : 0);
    }
    while (decimals && value % 10 == 0)
    {
        value /= 10;
        power /= 10;
        --decimals;
    }
    return write_decimal(value, decimals, power, out);
}

inline char* write_hex_number(uint64_t value, unsigned digits, HexCase letters, char* out)
{
    char bytes[8];
    store(bytes, __builtin_bswap64(digits == 0 ? 0 : value << (64 - 4 * digits)));
    write_hex(bytes, 8, letters, out);
    return out + digits;
}

inline char* write_ipv4(uint32_t address, char* out)
{
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        out = write_number(address >> shift & 255, out);
        *out++ = '.';
    }
    return out - 1;
}

inline uint64_t integer_power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

// A form that was read, made one that can be written.
inline uint8_t slot_form(SlotKind kind, uint64_t form)
{
    const uint64_t limit = kind == SlotKind::Decimal  ? kMaxSlotDecimals
                           : kind == SlotKind::Integer ? kMaxSlotDigits
                                                       : kMaxHexNumberDigits;
    return static_cast<uint8_t>(form < limit ? form : limit);
}

// A value of a slot that keeps numbers; power: 10^form of Decimals.
inline char* write_slot_number(SlotKind kind, int64_t value, unsigned form, uint64_t power,
                               char* out)
{
    switch (kind)
    {
    case SlotKind::Integer:
        return write_integer(value, form, out);
    case SlotKind::Decimal:
        return write_decimal(value, form, power, out);
    case SlotKind::HexLower:
        return write_hex_number(static_cast<uint64_t>(value), form, HexCase::Lower, out);
    case SlotKind::HexUpper:
        return write_hex_number(static_cast<uint64_t>(value), form, HexCase::Upper, out);
    default:
        return write_ipv4(static_cast<uint32_t>(value), out);
    }
}

} // namespace basalt::encodings
