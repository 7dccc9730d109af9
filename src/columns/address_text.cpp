#include "columns/address_text.h"

#include "columns/number_text.h"

#include <cstring>

namespace basalt
{

namespace
{

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

char* put_hex_word(char* to, uint32_t word)
{
    bool started = false;
    for (int shift = 12; shift >= 0; shift -= 4)
    {
        const uint32_t digit = (word >> shift) & 15;
        started = started || digit != 0 || shift == 0;
        if (started)
            *to++ = "0123456789abcdef"[digit];
    }
    return to;
}

std::string excerpt_of_address(const TextCursor& cursor)
{
    return std::string(cursor.rest().substr(0, std::min<size_t>(cursor.left(), 45)));
}

} // namespace

char* put_uuid(char* to, UInt128 value)
{
    for (int i = 0; i < 32; ++i)
    {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            *to++ = '-';
        *to++ = "0123456789abcdef"[static_cast<uint32_t>(value >> (124 - 4 * i)) & 15];
    }
    return to;
}

char* put_ipv4(char* to, uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        to = put_digits(to, (address >> shift) & 255);
        if (shift)
            *to++ = '.';
    }
    return to;
}

char* put_ipv6(char* to, const char* bytes)
{
    uint32_t words[8];
    for (int i = 0; i < 8; ++i)
        words[i] = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i * 2])) << 8 |
                   static_cast<unsigned char>(bytes[i * 2 + 1]);
    int best = -1;
    int best_length = 1; // a single zero word is not shortened
    for (int i = 0; i < 8;)
    {
        int length = 0;
        while (i + length < 8 && words[i + length] == 0)
            ++length;
        if (length > best_length)
        {
            best = i;
            best_length = length;
        }
        i += length ? length : 1;
    }
    for (int i = 0; i < 8;)
    {
        if (i == best)
        {
            *to++ = ':';
            if (i == 0)
                *to++ = ':';
            i += best_length;
            if (i == 8 && best != 0)
                *to++ = ':';
            continue;
        }
        if (i != 0 && i != best + best_length)
            *to++ = ':';
        else if (i != 0 && best != 0)
            *to++ = ':';
        // ::a.b.c.d and ::ffff:a.b.c.d
        if (i == 6 && best == 0 && (best_length == 6 || (best_length == 5 && words[5] == 0xFFFF)))
            return put_ipv4(to, words[6] << 16 | words[7]);
        to = put_hex_word(to, words[i]);
        ++i;
    }
    return to;
}

bool parse_uuid(TextCursor& cursor, UInt128& value)
{
    const auto fail = [&](std::string_view why)
    {
        return cursor.fail(error_codes::CANNOT_PARSE_UUID,
                           cursor.quiet ? std::string() : std::string(why));
    };
    const bool dashes = cursor.left() > 8 && cursor.pos[8] == '-';
    const size_t size = dashes ? kUuidTextBytes : 32;
    if (cursor.left() < size)
        return fail("Cannot parse uuid " + std::string(cursor.rest()));
    UInt128 result = 0;
    for (size_t i = 0; i < size; ++i)
    {
        const char c = cursor.pos[i];
        if (dashes && (i == 8 || i == 13 || i == 18 || i == 23))
        {
            if (c != '-')
                return fail("Cannot parse uuid " + std::string(cursor.rest().substr(0, size)));
            continue;
        }
        const int digit = hex_digit(c);
        if (digit < 0)
            return fail("Cannot parse UUID from String: invalid format, expected 32 or 36 "
                        "hexadecimal digits with dashes at positions 8, 13, 18, 23");
        result = result << 4 | static_cast<unsigned>(digit);
    }
    value = result;
    cursor.pos += size;
    return true;
}

namespace
{

// Without a message; leaves the position where it was on failure.
bool take_ipv4(TextCursor& cursor, uint32_t& address)
{
    const char* p = cursor.pos;
    uint32_t result = 0;
    for (int octet = 0; octet < 4; ++octet)
    {
        if (octet > 0)
        {
            if (p == cursor.end || *p != '.')
                return false;
            ++p;
        }
        uint32_t value = 0;
        int digits = 0;
        for (; p != cursor.end && digits < 3 && *p >= '0' && *p <= '9'; ++p, ++digits)
            value = value * 10 + static_cast<uint32_t>(*p - '0');
        if (digits == 0 || value > 255)
            return false;
        result = result << 8 | value;
    }
    address = result;
    cursor.pos = p;
    return true;
}

} // namespace

bool parse_ipv4(TextCursor& cursor, uint32_t& address)
{
    if (take_ipv4(cursor, address))
        return true;
    return cursor.fail(error_codes::CANNOT_PARSE_IPV4,
                       cursor.quiet ? std::string()
                                    : "Cannot parse IPv4 " + excerpt_of_address(cursor));
}

bool parse_ipv6(TextCursor& cursor, char* bytes)
{
    const auto fail = [&]
    {
        return cursor.fail(error_codes::CANNOT_PARSE_IPV6,
                           cursor.quiet ? std::string()
                                        : "Cannot parse IPv6 " + excerpt_of_address(cursor));
    };
    uint16_t words[8] = {};
    int count = 0;
    int gap = -1; // where :: stands
    const char* const start = cursor.pos;
    uint32_t address;
    if (take_ipv4(cursor, address))
    {
        words[5] = 0xFFFF;
        words[6] = static_cast<uint16_t>(address >> 16);
        words[7] = static_cast<uint16_t>(address);
        count = 8;
    }
    else
    {
        if (cursor.skip_word("::"))
            gap = 0;
        while (count < 8)
        {
            // A dotted form may end the address.
            if (count <= 6 && (count > 0 || gap == 0) && take_ipv4(cursor, address))
            {
                words[count++] = static_cast<uint16_t>(address >> 16);
                words[count++] = static_cast<uint16_t>(address);
                break;
            }
            uint32_t word = 0;
            int digits = 0;
            while (!cursor.at_end() && digits < 4 && hex_digit(*cursor.pos) >= 0)
            {
                word = word << 4 | static_cast<uint32_t>(hex_digit(*cursor.pos++));
                ++digits;
            }
            if (digits == 0)
                break;
            words[count++] = static_cast<uint16_t>(word);
            if (count == 8)
                break;
            if (gap < 0 && cursor.skip_word("::"))
                gap = count;
            else if (!cursor.skip(':'))
                break;
        }
        if (cursor.pos != start && cursor.pos[-1] == ':' && gap != count)
            --cursor.pos; // a colon that belongs to what follows
        if (gap < 0 ? count != 8 : count > 7)
        {
            cursor.pos = start;
            return fail();
        }
    }
    std::memset(bytes, 0, 16);
    const auto put = [&](int at, uint16_t word)
    {
        bytes[at * 2] = static_cast<char>(word >> 8);
        bytes[at * 2 + 1] = static_cast<char>(word);
    };
    const int head = gap < 0 ? count : gap;
    for (int i = 0; i < head; ++i)
        put(i, words[i]);
    for (int i = head; i < count; ++i)
        put(8 - count + i, words[i]);
    return true;
}

} // namespace basalt
