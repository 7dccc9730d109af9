#pragma once

// Numbers and strings as ClickHouse's protocol and binary formats write them: little-endian fixed
// integers, LEB128 varints of at most 64 bits, strings as varint length and bytes.

#include "base/unaligned.h"
#include "io/buffer.h"

#include <bit>
#include <type_traits>

namespace basalt
{

inline constexpr size_t kMaxVarintBytes = 10;
// Largest string read_string() accepts unless told otherwise.
inline constexpr uint64_t kMaxBinaryStringBytes = 1ull << 30;

// Puts 1 to 10 bytes at `to` and returns the end.
inline char* put_varint(uint64_t value, char* to)
{
    while (value >= 0x80)
    {
        *to++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *to++ = static_cast<char>(value);
    return to;
}

constexpr size_t varint_size(uint64_t value)
{
    return value == 0 ? 1 : (static_cast<size_t>(std::bit_width(value)) + 6) / 7;
}

// Reads from [from, end); nullptr if it is cut off or longer than 64 bits.
inline const char* get_varint(uint64_t& value, const char* from, const char* end)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && from != end; shift += 7)
    {
        const auto byte = static_cast<unsigned char>(*from++);
        if (shift == 63 && byte > 1)
            return nullptr;
        result |= static_cast<uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
        {
            value = result;
            return from;
        }
    }
    return nullptr;
}

inline void write_varint(OutputBuffer& out, uint64_t value)
{
    char* start = out.reserve(kMaxVarintBytes);
    out.advance(static_cast<size_t>(put_varint(value, start) - start));
}

// Throws ATTEMPT_TO_READ_AFTER_EOF or, past 64 bits, INCORRECT_DATA.
uint64_t read_varint_slow(InputBuffer& in);

inline uint64_t read_varint(InputBuffer& in)
{
    uint64_t value = 0;
    if (const char* next = get_varint(value, in.position(), in.end())) [[likely]]
    {
        in.set_position(next);
        return value;
    }
    return read_varint_slow(in);
}

template <typename T> inline void write_fixed(OutputBuffer& out, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.write(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T> inline T read_fixed(InputBuffer& in)
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    in.read_exact(reinterpret_cast<char*>(&value), sizeof(T));
    return value;
}

inline void write_string(OutputBuffer& out, std::string_view text)
{
    write_varint(out, text.size());
    out.write(text);
}

// TOO_LARGE_STRING_SIZE past the limit. Memory grows only as bytes arrive.
std::string read_string(InputBuffer& in, uint64_t max_bytes = kMaxBinaryStringBytes);

} // namespace basalt
