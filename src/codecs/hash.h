#pragma once

// The hash functions of ClickHouse's SQL and file formats over bytes and integers. Every function
// gives the numbers that ClickHouse 26.7 gives; tests compare all lengths from 0 to 300.
// Lesser-used ones (murmur, farm, metro, java …) stand in codecs/foreign_hash.h.
//
// How ClickHouse's SQL functions use them (learnt from its answers):
//   integers, Date, DateTime, Enum, Float32/64, Bool, IPv4: cityHash64 and the other
//     CityHash/Farm/Metro-family functions mix the value's bits, zero-extended to 64, with
//     city_hash64_int (= intHash64); sipHash64/128 hash the value's own little-endian bytes
//     (1, 2, 4 or 8 of them);
//   Int128/256, UInt128/256, decimals, DateTime64, UUID, IPv6, String, FixedString: the bytes;
//   several arguments or the elements of a tuple: hash of the first, then combine() with each next.
// Threads: pure functions.

#include "base/int_types.h"
#include "base/unaligned.h"

#include <bit>
#include <string_view>

namespace basalt
{

struct Hash128
{
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const Hash128&) const = default;
};

// CityHash 1.0.2 (Pike and Alakuijala, Google 2011). Later versions give other numbers.

uint64_t city_hash64(const char* data, size_t size);
inline uint64_t city_hash64(std::string_view text)
{
    return city_hash64(text.data(), text.size());
}
// The checksum of ClickHouse's compressed frames.
Hash128 city_hash128(const char* data, size_t size);

// ClickHouse's intHash64 (the finalizer of MurmurHash3, salted) and cityHash64 of an integer.
inline uint64_t int_hash64(uint64_t x)
{
    x ^= 0x4cf2d2baae6da887ull;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}
inline uint64_t city_hash64_int(uint64_t x)
{
    return int_hash64(x);
}

// CityHash's Hash128to64. cityHash64(a, b, c) = combine(combine(h(a), h(b)), h(c)).
inline uint64_t city_hash64_combine(uint64_t h1, uint64_t h2)
{
    constexpr uint64_t kMul = 0x9ddfea08eb382d69ull;
    uint64_t a = (h1 ^ h2) * kMul;
    a ^= a >> 47;
    uint64_t b = (h2 ^ a) * kMul;
    b ^= b >> 47;
    return b * kMul;
}

// SipHash-2-4 (Aumasson and Bernstein 2012), key 0 unless given.

class SipHash
{
public:
    explicit SipHash(uint64_t key0 = 0, uint64_t key1 = 0)
        : v0_(0x736f6d6570736575ull ^ key0), v1_(0x646f72616e646f6dull ^ key1),
          v2_(0x6c7967656e657261ull ^ key0), v3_(0x7465646279746573ull ^ key1)
    {
    }

    void update_word(uint64_t word)
    {
        v3_ ^= word;
        round();
        round();
        v0_ ^= word;
    }
    // `tail` holds the last size % 8 bytes, little-endian; `size` is the length of everything.
    void finish(uint64_t tail, uint64_t size)
    {
        update_word(tail | (size << 56));
        v2_ ^= 0xff;
        round();
        round();
        round();
        round();
    }
    uint64_t result64() const { return v0_ ^ v1_ ^ v2_ ^ v3_; }
    // ClickHouse's sipHash128: not the published 128-bit variant, but halves of the 64-bit one.
    Hash128 result128() const { return {v0_ ^ v1_, v2_ ^ v3_}; }

    // Whole words, then finish().
    void hash_all(const char* data, size_t size)
    {
        const char* end = data + (size & ~size_t{7});
        for (const char* p = data; p != end; p += 8)
            update_word(load<uint64_t>(p));
        uint64_t tail = 0;
        if (size & 7)
            std::memcpy(&tail, end, size & 7);
        finish(tail, size);
    }

private:
    void round()
    {
        v0_ += v1_;
        v1_ = std::rotl(v1_, 13) ^ v0_;
        v0_ = std::rotl(v0_, 32);
        v2_ += v3_;
        v3_ = std::rotl(v3_, 16) ^ v2_;
        v0_ += v3_;
        v3_ = std::rotl(v3_, 21) ^ v0_;
        v2_ += v1_;
        v1_ = std::rotl(v1_, 17) ^ v2_;
        v2_ = std::rotl(v2_, 32);
    }

    uint64_t v0_, v1_, v2_, v3_;
};

inline uint64_t sip_hash64(const char* data, size_t size, uint64_t key0 = 0, uint64_t key1 = 0)
{
    SipHash state(key0, key1);
    state.hash_all(data, size);
    return state.result64();
}
inline uint64_t sip_hash64(std::string_view text)
{
    return sip_hash64(text.data(), text.size());
}

inline Hash128 sip_hash128(const char* data, size_t size, uint64_t key0 = 0, uint64_t key1 = 0)
{
    SipHash state(key0, key1);
    state.hash_all(data, size);
    return state.result128();
}
inline Hash128 sip_hash128(std::string_view text)
{
    return sip_hash128(text.data(), text.size());
}

// The published 128-bit variant (ClickHouse's sipHash128Reference).
Hash128 sip_hash128_reference(const char* data, size_t size, uint64_t key0 = 0, uint64_t key1 = 0);

// sipHash64 and sipHash128 of an integer: its little-endian bytes.
template <typename T> inline uint64_t sip_hash64_int(T value, uint64_t key0 = 0, uint64_t key1 = 0)
{
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    SipHash state(key0, key1);
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    if constexpr (sizeof(T) == 8)
    {
        state.update_word(word);
        word = 0;
    }
    state.finish(word, sizeof(T));
    return state.result64();
}
template <typename T> inline Hash128 sip_hash128_int(T value, uint64_t key0 = 0, uint64_t key1 = 0)
{
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    SipHash state(key0, key1);
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    if constexpr (sizeof(T) == 8)
    {
        state.update_word(word);
        word = 0;
    }
    state.finish(word, sizeof(T));
    return state.result128();
}

// sipHash64(a, b): SipHash of the two hashes' bytes, one after the other; the same for 128 bits.
inline uint64_t sip_hash64_combine(uint64_t h1, uint64_t h2, uint64_t key0 = 0, uint64_t key1 = 0)
{
    SipHash state(key0, key1);
    state.update_word(h1);
    state.update_word(h2);
    state.finish(0, 16);
    return state.result64();
}
inline Hash128 sip_hash128_combine(Hash128 h1, Hash128 h2, uint64_t key0 = 0, uint64_t key1 = 0)
{
    SipHash state(key0, key1);
    state.update_word(h1.low);
    state.update_word(h1.high);
    state.update_word(h2.low);
    state.update_word(h2.high);
    state.finish(0, 32);
    return state.result128();
}

// xxHash (Collet), seed 0, through libxxhash.
uint32_t xx_hash32(const char* data, size_t size);
uint64_t xx_hash64(const char* data, size_t size);
uint64_t xxh3_64(const char* data, size_t size);
Hash128 xxh3_128(const char* data, size_t size);

// Castagnoli polynomial, as iSCSI and ext4 use it; `seed` is the CRC of what went before.
uint32_t crc32c(const char* data, size_t size, uint32_t seed = 0);
// ClickHouse's CRC32 (zlib's) and, neither of them inverted, CRC32IEEE and CRC64 (ECMA-182).
uint32_t crc32(const char* data, size_t size);
uint32_t crc32_ieee(const char* data, size_t size);
uint64_t crc64(const char* data, size_t size);

} // namespace basalt
