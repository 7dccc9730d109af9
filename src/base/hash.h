#pragma once

// 64-bit hashes for tables in memory. Not stable between versions, never stored.
// Strings: multiply-and-fold of 16 bytes at a time, after the idea of wyhash (Wang Yi, public
// domain). Integers: two multiply-xorshift rounds.

#include "base/int_types.h"
#include "base/unaligned.h"

namespace basalt
{

inline uint64_t hash_int(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

// Adds the hash x of one more value to h. combine_hash(0, x) is x.
inline uint64_t combine_hash(uint64_t h, uint64_t x)
{
    return (h ^ (h >> 29)) * 0x9fb21c651e98df25ull + x;
}

inline uint64_t fold_multiply(uint64_t a, uint64_t b)
{
    const UInt128 product = static_cast<UInt128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_bytes(const char* data, size_t size, uint64_t seed = 0x8ebc6af09c88c6e3ull)
{
    constexpr uint64_t k1 = 0xa0761d6478bd642full;
    constexpr uint64_t k2 = 0xe7037ed1a0b428dbull;
    uint64_t h = seed ^ k1;
    uint64_t a = 0;
    uint64_t b = 0;
    if (size >= 8)
    {
        size_t left = size;
        const char* at = data;
        while (left > 16)
        {
            h = fold_multiply(load<uint64_t>(at) ^ k2, load<uint64_t>(at + 8) ^ h);
            at += 16;
            left -= 16;
        }
        // The last 16 bytes, or for 8 to 15 bytes two words that overlap.
        a = load<uint64_t>(size >= 16 ? data + size - 16 : data);
        b = load<uint64_t>(data + size - 8);
    }
    else if (size >= 4)
    {
        a = load<uint32_t>(data);
        b = load<uint32_t>(data + size - 4);
    }
    else if (size > 0)
    {
        a = static_cast<uint8_t>(data[0]);
        b = static_cast<uint64_t>(static_cast<uint8_t>(data[size / 2])) << 8 |
            static_cast<uint8_t>(data[size - 1]);
    }
    return fold_multiply(fold_multiply(a ^ k2, b ^ h) ^ k1, size ^ k2);
}

} // namespace basalt
