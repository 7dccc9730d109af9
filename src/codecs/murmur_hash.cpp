#include "codecs/foreign_hash.h"

namespace basalt
{

namespace
{

// The last 1 to 7 bytes, little-endian.
uint64_t load_tail(const char* data, size_t size)
{
    uint64_t word = 0;
    std::memcpy(&word, data, size);
    return word;
}

uint64_t finish3(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

} // namespace

uint32_t murmur_hash2_32(const char* data, size_t size, uint32_t seed)
{
    constexpr uint32_t kMul = 0x5bd1e995;
    uint32_t hash = seed ^ static_cast<uint32_t>(size);
    for (; size >= 4; data += 4, size -= 4)
    {
        uint32_t k = load<uint32_t>(data) * kMul;
        k = (k ^ (k >> 24)) * kMul;
        hash = hash * kMul ^ k;
    }
    if (size > 0)
        hash = (hash ^ static_cast<uint32_t>(load_tail(data, size))) * kMul;
    hash = (hash ^ (hash >> 13)) * kMul;
    return hash ^ (hash >> 15);
}

uint64_t murmur_hash2_64(const char* data, size_t size, uint64_t seed)
{
    constexpr uint64_t kMul = 0xc6a4a7935bd1e995ull;
    uint64_t hash = seed ^ (size * kMul);
    for (; size >= 8; data += 8, size -= 8)
    {
        uint64_t k = load<uint64_t>(data) * kMul;
        k = (k ^ (k >> 47)) * kMul;
        hash = (hash ^ k) * kMul;
    }
    if (size > 0)
        hash = (hash ^ load_tail(data, size)) * kMul;
    hash = (hash ^ (hash >> 47)) * kMul;
    return hash ^ (hash >> 47);
}

uint64_t gcc_murmur_hash(const char* data, size_t size)
{
    // libstdc++'s seed; the algorithm is MurmurHash64A.
    return murmur_hash2_64(data, size, 0xc70f6907);
}

uint32_t kafka_murmur_hash(const char* data, size_t size)
{
    return murmur_hash2_32(data, size, 0x9747b28c) & INT32_MAX;
}

uint32_t murmur_hash3_32(const char* data, size_t size, uint32_t seed)
{
    const auto mix = [](uint32_t k) { return std::rotl(k * 0xcc9e2d51, 15) * 0x1b873593; };
    uint32_t hash = seed;
    const auto length = static_cast<uint32_t>(size);
    for (; size >= 4; data += 4, size -= 4)
        hash = std::rotl(hash ^ mix(load<uint32_t>(data)), 13) * 5 + 0xe6546b64;
    if (size > 0)
        hash ^= mix(static_cast<uint32_t>(load_tail(data, size)));
    hash ^= length;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
    return hash ^ (hash >> 16);
}

Hash128 murmur_hash3_128(const char* data, size_t size, uint32_t seed)
{
    constexpr uint64_t c1 = 0x87c37b91114253d5ull;
    constexpr uint64_t c2 = 0x4cf5ad432745937full;
    const auto mix1 = [](uint64_t k) { return std::rotl(k * c1, 31) * c2; };
    const auto mix2 = [](uint64_t k) { return std::rotl(k * c2, 33) * c1; };
    uint64_t h1 = seed;
    uint64_t h2 = seed;
    const uint64_t length = size;
    for (; size >= 16; data += 16, size -= 16)
    {
        h1 = (std::rotl(h1 ^ mix1(load<uint64_t>(data)), 27) + h2) * 5 + 0x52dce729;
        h2 = (std::rotl(h2 ^ mix2(load<uint64_t>(data + 8)), 31) + h1) * 5 + 0x38495ab5;
    }
    if (size > 8)
        h2 ^= mix2(load_tail(data + 8, size - 8));
    if (size > 0)
        h1 ^= mix1(load_tail(data, size < 8 ? size : 8));
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish3(h1);
    h2 = finish3(h2);
    h1 += h2;
    h2 += h1;
    return {h1, h2};
}

uint64_t murmur_hash3_64(const char* data, size_t size)
{
    const Hash128 hash = murmur_hash3_128(data, size);
    return hash.low ^ hash.high;
}

} // namespace basalt
