#pragma once

// Hexadecimal digits of one case to bytes and back, 16 at a time with SSSE3 (part of x86-64-v2).

#include <cstddef>
#include <cstdint>

namespace basalt::inline encodings
{

enum class HexCase : uint8_t // numbers on disk
{
    Lower = 0,
    Upper = 1,
};

// `digits` (even) digits become digits / 2 bytes; false when one is no digit of this case, then
// `out` holds anything. Reads and writes nothing outside.
bool parse_hex(const char* text, size_t digits, HexCase letters, char* out);
// The inverse: 2 * bytes digits.
void write_hex(const char* bytes, size_t count, HexCase letters, char* out);

// Plain twins.
bool parse_hex_plain(const char* text, size_t digits, HexCase letters, char* out);
void write_hex_plain(const char* bytes, size_t count, HexCase letters, char* out);

// How many characters from `text` on are digits of this case, at most `limit`.
size_t hex_run(const char* text, size_t limit, HexCase letters);

// -1 for no digit of this case.
inline int hex_digit(char c, HexCase letters)
{
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit <= 9)
        return digit;
    const auto letter = static_cast<unsigned char>(c - (letters == HexCase::Lower ? 'a' : 'A'));
    return letter <= 5 ? letter + 10 : -1;
}

} // namespace basalt::encodings
