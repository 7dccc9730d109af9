#include "codecs/foreign_hash.h"

namespace basalt
{

int32_t java_hash(const char* data, size_t size)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < size; ++i)
        hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(data[i]));
    return static_cast<int32_t>(hash);
}

int32_t java_hash_utf16le(const char* data, size_t size)
{
    uint32_t hash = 0;
    for (size_t i = 0; i + 1 < size; i += 2)
        hash = 31 * hash + load<uint16_t>(data + i);
    return static_cast<int32_t>(hash);
}

int32_t hive_hash(const char* data, size_t size)
{
    return java_hash(data, size) & INT32_MAX;
}

// Wang's 64-to-32-bit mix with rotations in place of its shifts, salted.
uint32_t int_hash32(uint64_t x)
{
    x ^= 0x75d9543de018bf45ull;
    x = ~x + (x << 18);
    x ^= std::rotr(x, 31);
    x *= 21;
    x ^= std::rotr(x, 11);
    x += x << 6;
    x ^= std::rotr(x, 22);
    return static_cast<uint32_t>(x);
}

namespace
{

constexpr uint64_t kWySecret[] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull,
                                  0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull};

uint64_t wy_mix(uint64_t a, uint64_t b)
{
    const UInt128 product = static_cast<UInt128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

} // namespace

uint64_t wy_hash64(const char* p, size_t size)
{
    const auto word = [](const char* q) { return load<uint64_t>(q); };
    const auto half = [](const char* q) { return uint64_t{load<uint32_t>(q)}; };
    const auto byte = [](const char* q) { return uint64_t{static_cast<uint8_t>(*q)}; };
    uint64_t seed = kWySecret[0];
    uint64_t a = 0;
    uint64_t b = 0;
    if (size <= 16)
    {
        if (size >= 4)
        {
            const size_t step = size >> 3 << 2;
            a = half(p) << 32 | half(p + step);
            b = half(p + size - 4) << 32 | half(p + size - 4 - step);
        }
        else if (size > 0)
            a = byte(p) << 16 | byte(p + (size >> 1)) << 8 | byte(p + size - 1);
    }
    else
    {
        size_t left = size;
        if (left > 48)
        {
            uint64_t seed1 = seed;
            uint64_t seed2 = seed;
            for (; left > 48; p += 48, left -= 48)
            {
                seed = wy_mix(word(p) ^ kWySecret[1], word(p + 8) ^ seed);
                seed1 = wy_mix(word(p + 16) ^ kWySecret[2], word(p + 24) ^ seed1);
                seed2 = wy_mix(word(p + 32) ^ kWySecret[3], word(p + 40) ^ seed2);
            }
            seed ^= seed1 ^ seed2;
        }
        for (; left > 16; p += 16, left -= 16)
            seed = wy_mix(word(p) ^ kWySecret[1], word(p + 8) ^ seed);
        a = word(p + left - 16);
        b = word(p + left - 8);
    }
    return wy_mix(kWySecret[1] ^ size, wy_mix(a ^ kWySecret[1], b ^ seed));
}

} // namespace basalt
