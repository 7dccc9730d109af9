#include "codecs/foreign_hash.h"

#include <utility>

namespace basalt
{

namespace
{

constexpr uint64_t k0 = 0xc3a5c85c97cb3127ull;
constexpr uint64_t k1 = 0xb492b66fbe98f273ull;
constexpr uint64_t k2 = 0x9ae16a3b2f90404full;

uint64_t word(const char* p)
{
    return load<uint64_t>(p);
}
uint64_t shift_mix(uint64_t x)
{
    return x ^ (x >> 47);
}

uint64_t mix16(uint64_t u, uint64_t v, uint64_t mul)
{
    const uint64_t a = shift_mix((u ^ v) * mul);
    return shift_mix((v ^ a) * mul) * mul;
}

uint64_t hash_to_16(const char* s, size_t size)
{
    const uint64_t mul = k2 + size * 2;
    if (size >= 8)
    {
        const uint64_t a = word(s) + k2;
        const uint64_t b = word(s + size - 8);
        const uint64_t c = std::rotr(b, 37) * mul + a;
        const uint64_t d = (std::rotr(a, 25) + b) * mul;
        return mix16(c, d, mul);
    }
    if (size >= 4)
    {
        const uint64_t a = load<uint32_t>(s);
        return mix16(size + (a << 3), load<uint32_t>(s + size - 4), mul);
    }
    if (size > 0)
    {
        const auto first = static_cast<uint8_t>(s[0]);
        const auto middle = static_cast<uint8_t>(s[size >> 1]);
        const auto last = static_cast<uint8_t>(s[size - 1]);
        const uint32_t y = first + (uint32_t{middle} << 8);
        const uint32_t z = static_cast<uint32_t>(size) + (uint32_t{last} << 2);
        return shift_mix(y * k2 ^ z * k0) * k2;
    }
    return k2;
}

uint64_t hash_to_32(const char* s, size_t size)
{
    const uint64_t mul = k2 + size * 2;
    const uint64_t a = word(s) * k1;
    const uint64_t b = word(s + 8);
    const uint64_t c = word(s + size - 8) * mul;
    const uint64_t d = word(s + size - 16) * k2;
    return mix16(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, mul);
}

// 32 bytes of a longer text.
uint64_t hash_32_of(const char* s, uint64_t mul, uint64_t seed0 = 0, uint64_t seed1 = 0)
{
    const uint64_t a = word(s) * k1;
    const uint64_t b = word(s + 8);
    const uint64_t c = word(s + 24) * mul;
    const uint64_t d = word(s + 16) * k2;
    const uint64_t u = std::rotr(a + b, 43) + std::rotr(c, 30) + d + seed0;
    const uint64_t v = a + std::rotr(b + k2, 18) + c + seed1;
    return shift_mix((v ^ shift_mix((u ^ v) * mul)) * mul);
}

uint64_t hash_to_64(const char* s, size_t size)
{
    const uint64_t mul0 = k2 - 30;
    const uint64_t mul1 = k2 - 30 + 2 * size;
    const uint64_t h0 = hash_32_of(s, mul0);
    const uint64_t h1 = hash_32_of(s + size - 32, mul1);
    return (h1 * mul1 + h0) * mul1;
}

uint64_t hash_to_96(const char* s, size_t size)
{
    const uint64_t mul0 = k2 - 114;
    const uint64_t mul1 = k2 - 114 + 2 * size;
    const uint64_t h0 = hash_32_of(s, mul0);
    const uint64_t h1 = hash_32_of(s + 32, mul1);
    const uint64_t h2 = hash_32_of(s + size - 32, mul1, h0, h1);
    return (h2 * 9 + (h0 >> 17) + (h1 >> 21)) * mul1;
}

struct Pair
{
    uint64_t first;
    uint64_t second;
};

Pair weak_hash32(const char* s, uint64_t a, uint64_t b)
{
    a += word(s);
    b = std::rotr(b + a + word(s + 24), 21);
    const uint64_t c = a;
    a += word(s + 8);
    a += word(s + 16);
    b += std::rotr(a, 44);
    return {a + word(s + 24), b + c};
}

constexpr uint64_t kSeed = 81;

uint64_t hash_to_256(const char* s, size_t size)
{
    uint64_t x = kSeed * k2 + word(s);
    uint64_t y = kSeed * k1 + 113;
    uint64_t z = shift_mix(y * k2 + 113) * k2;
    Pair v{0, 0};
    Pair w{0, 0};
    const size_t tail = (size - 1) & 63;
    const char* end = s + (size - 1) / 64 * 64;
    for (; s != end; s += 64)
    {
        x = std::rotr(x + y + v.first + word(s + 8), 37) * k1;
        y = std::rotr(y + v.second + word(s + 48), 42) * k1;
        x ^= w.second;
        y += v.first + word(s + 40);
        z = std::rotr(z + w.first, 33) * k1;
        v = weak_hash32(s, v.second * k1, x + w.first);
        w = weak_hash32(s + 32, z + w.second, y + word(s + 16));
        std::swap(z, x);
    }
    const uint64_t mul = k1 + ((z & 0xff) << 1);
    s = end + tail - 63; // the last 64 bytes, some of them again
    w.first += tail;
    v.first += w.first;
    w.first += v.first;
    x = std::rotr(x + y + v.first + word(s + 8), 37) * mul;
    y = std::rotr(y + v.second + word(s + 48), 42) * mul;
    x ^= w.second * 9;
    y += v.first * 9 + word(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = weak_hash32(s, v.second * mul, x + w.first);
    w = weak_hash32(s + 32, z + w.second, y + word(s + 16));
    std::swap(z, x);
    return mix16(mix16(v.first, w.first, mul) + shift_mix(y) * k0 + z,
                 mix16(v.second, w.second, mul) + x, mul);
}

uint64_t turn_mix(uint64_t x, uint64_t y, uint64_t mul, int turn)
{
    const uint64_t a = shift_mix((x ^ y) * mul);
    return std::rotr((y ^ a) * mul, turn) * mul;
}

uint64_t hash_long(const char* s, size_t size)
{
    uint64_t x = kSeed;
    uint64_t y = 113;
    uint64_t z = shift_mix(y * k2) * k2;
    Pair v{kSeed, 0};
    Pair w{0, 0};
    uint64_t u = x - z;
    x *= k2;
    const uint64_t mul = k2 + (u & 0x82);
    const size_t tail = (size - 1) & 63;
    const char* end = s + (size - 1) / 64 * 64;
    for (; s != end; s += 64)
    {
        const uint64_t a0 = word(s);
        const uint64_t a1 = word(s + 8);
        const uint64_t a2 = word(s + 16);
        const uint64_t a3 = word(s + 24);
        const uint64_t a4 = word(s + 32);
        const uint64_t a5 = word(s + 40);
        const uint64_t a6 = word(s + 48);
        const uint64_t a7 = word(s + 56);
        x += a0 + a1;
        y += a2;
        z += a3;
        v.first += a4;
        v.second += a5 + a1;
        w.first += a6;
        w.second += a7;
        x = std::rotr(x, 26) * 9;
        y = std::rotr(y, 29);
        z *= mul;
        v.first = std::rotr(v.first, 33);
        v.second = std::rotr(v.second, 30);
        w.first = (w.first ^ x) * 9;
        z = std::rotr(z, 32) + w.second;
        w.second += z;
        z *= 9;
        std::swap(u, y);
        z += a0 + a6;
        v.first += a2;
        v.second += a3;
        w.first += a4;
        w.second += a5 + a6;
        x += a1;
        y += a7;
        y += v.first;
        v.first += x - y;
        v.second += w.first;
        w.first += v.second;
        w.second += x - y;
        x += w.second;
        w.second = std::rotr(w.second, 34);
        std::swap(u, z);
    }
    s = end + tail - 63;
    u *= 9;
    v.second = std::rotr(v.second, 28);
    v.first = std::rotr(v.first, 20);
    w.first += tail;
    u += y;
    y += u;
    x = std::rotr(y - x + v.first + word(s + 8), 37) * mul;
    y = std::rotr(y ^ v.second ^ word(s + 48), 42) * mul;
    x ^= w.second * 9;
    y += v.first + word(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = weak_hash32(s, v.second * mul, x + w.first);
    w = weak_hash32(s + 32, z + w.second, y + word(s + 16));
    return turn_mix(mix16(v.first + x, w.first ^ y, mul) + z - u,
                    turn_mix(v.second + y, w.second + z, k2, 30) ^ x, k2, 31);
}

} // namespace

uint64_t farm_hash64(const char* data, size_t size)
{
    if (size <= 16)
        return hash_to_16(data, size);
    if (size <= 32)
        return hash_to_32(data, size);
    if (size <= 64)
        return hash_to_64(data, size);
    if (size <= 96)
        return hash_to_96(data, size);
    return size <= 256 ? hash_to_256(data, size) : hash_long(data, size);
}

} // namespace basalt
