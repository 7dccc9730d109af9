#include "codecs/hash.h"

#include "codecs/xxh3_avx2.h"

#include <array>
#include <xxhash.h>

namespace basalt
{

Hash128 sip_hash128_reference(const char* data, size_t size, uint64_t key0, uint64_t key1)
{
    uint64_t v0 = 0x736f6d6570736575ull ^ key0;
    uint64_t v1 = 0x646f72616e646f6dull ^ key1 ^ 0xee;
    uint64_t v2 = 0x6c7967656e657261ull ^ key0;
    uint64_t v3 = 0x7465646279746573ull ^ key1;
    const auto rounds = [&](int n)
    {
        for (; n > 0; --n)
        {
            v0 += v1;
            v1 = std::rotl(v1, 13) ^ v0;
            v0 = std::rotl(v0, 32);
            v2 += v3;
            v3 = std::rotl(v3, 16) ^ v2;
            v0 += v3;
            v3 = std::rotl(v3, 21) ^ v0;
            v2 += v1;
            v1 = std::rotl(v1, 17) ^ v2;
            v2 = std::rotl(v2, 32);
        }
    };
    const auto add = [&](uint64_t word)
    {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    };
    const size_t whole = size & ~size_t{7};
    for (size_t i = 0; i < whole; i += 8)
        add(load<uint64_t>(data + i));
    uint64_t tail = 0;
    if (size & 7)
        std::memcpy(&tail, data + whole, size & 7);
    add(tail | (uint64_t{size} << 56));
    v2 ^= 0xee;
    rounds(4);
    const uint64_t low = v0 ^ v1 ^ v2 ^ v3;
    v1 ^= 0xdd;
    rounds(4);
    return {low, v0 ^ v1 ^ v2 ^ v3};
}

uint32_t xx_hash32(const char* data, size_t size)
{
    return XXH32(data, size, 0);
}
uint64_t xx_hash64(const char* data, size_t size)
{
    return XXH64(data, size, 0);
}
uint64_t xxh3_64(const char* data, size_t size)
{
    constexpr size_t kLeastLong = 1024; // shorter ones gain nothing
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    return size >= kLeastLong && has_avx2 ? xxh3_64_avx2(data, size) : XXH3_64bits(data, size);
}

Hash128 xxh3_128(const char* data, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return {hash.low64, hash.high64};
}

namespace
{

// Reflected CRC, one table entry per byte.
template <typename Word> constexpr std::array<Word, 256> crc_table(Word reflected_polynomial)
{
    std::array<Word, 256> table{};
    for (unsigned i = 0; i < 256; ++i)
    {
        Word crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) ? reflected_polynomial : Word{0});
        table[i] = crc;
    }
    return table;
}

template <typename Word>
Word crc_of(const std::array<Word, 256>& table, Word crc, const char* data, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        crc = table[static_cast<uint8_t>(crc) ^ static_cast<uint8_t>(data[i])] ^ (crc >> 8);
    return crc;
}

constexpr auto kCrc32Table = crc_table<uint32_t>(0xEDB88320u);
constexpr auto kCrc64Table = crc_table<uint64_t>(0xC96C5795D7870F42ull);

} // namespace

uint32_t crc32(const char* data, size_t size)
{
    return ~crc_of<uint32_t>(kCrc32Table, ~0u, data, size);
}

uint32_t crc32_ieee(const char* data, size_t size)
{
    return crc_of<uint32_t>(kCrc32Table, 0, data, size);
}

uint64_t crc64(const char* data, size_t size)
{
    return crc_of<uint64_t>(kCrc64Table, 0, data, size);
}

// The instruction is part of x86-64-v2, the least we run on; elsewhere a table.
uint32_t crc32c(const char* data, size_t size, uint32_t seed)
{
#if defined(__SSE4_2__)
    uint64_t crc = ~seed;
    for (; size >= 8; size -= 8, data += 8)
        crc = __builtin_ia32_crc32di(crc, load<uint64_t>(data));
    auto narrow = static_cast<uint32_t>(crc);
    for (; size > 0; --size, ++data)
        narrow = __builtin_ia32_crc32qi(narrow, static_cast<uint8_t>(*data));
    return ~narrow;
#else
    static constexpr auto kTable = crc_table<uint32_t>(0x82F63B78u);
    return ~crc_of<uint32_t>(kTable, ~seed, data, size);
#endif
}

} // namespace basalt
