#pragma once

// Values of `width` bits (0 … 64) back to back, the first in the lowest bits of the first byte.
// Value i stands at bit i * width, so any range can be read.

#include "base/int_types.h"

#include <string>

namespace basalt::inline encodings
{

inline size_t packed_bytes(size_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

// Appends packed_bytes(count, width) bytes. Bits above the width are ignored.
void pack_bits(const uint64_t* values, size_t count, unsigned width, std::string& out);

// Reads values [begin, begin + count). [packed, packed + size) holds them all (the caller has
// checked); nothing outside of it is read.
void unpack_bits(const char* packed, size_t size, size_t begin, size_t count, unsigned width,
                 uint64_t* out);

// The same into 32-bit values; width <= kMaxNarrowWidth.
inline constexpr unsigned kMaxNarrowWidth = 25;
void unpack_narrow_bits(const char* packed, size_t size, size_t begin, size_t count,
                        unsigned width, uint32_t* out);

// The twin that judges unpack_bits.
void unpack_bits_plain(const char* packed, size_t size, size_t begin, size_t count, unsigned width,
                       uint64_t* out);

} // namespace basalt::encodings
