#pragma once

// UTF-8 by lead byte: invalid bytes count as one code point each, as ClickHouse counts them.

#include "base/int_types.h"

#include <string_view>

namespace basalt
{

// Bytes that do not continue another.
inline size_t utf8_length(std::string_view text)
{
    size_t count = 0;
    for (const char c : text)
        count += static_cast<signed char>(c) > -65; // not 10xxxxxx
    return count;
}

inline bool utf8_is_continuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Bytes that a lead byte announces: 1 … 4 (1 for a byte that leads nothing).
inline size_t utf8_sequence_length(char lead)
{
    const auto c = static_cast<unsigned char>(lead);
    return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 1;
}

// The byte position after `count` code points from `at`; text.size() at most.
inline size_t utf8_advance(std::string_view text, size_t at, size_t count)
{
    while (count > 0 && at < text.size())
    {
        at += utf8_sequence_length(text[at]);
        --count;
    }
    return at < text.size() ? at : text.size();
}

inline constexpr uint32_t kUtf8Invalid = 0xFFFFFFFF;

// The code point at `at`, strictly decoded (no overlong forms, no surrogates), and its length in
// bytes; kUtf8Invalid and length 1 otherwise.
uint32_t utf8_decode(std::string_view text, size_t at, size_t& length);
// Writes at most 4 bytes; returns how many.
size_t utf8_encode(uint32_t code_point, char* out);
bool utf8_valid(std::string_view text);

} // namespace basalt
