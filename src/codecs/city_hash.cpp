#include "codecs/hash.h"

#include <utility>

namespace basalt
{

namespace
{

constexpr uint64_t k0 = 0xc3a5c85c97cb3127ull;
constexpr uint64_t k1 = 0xb492b66fbe98f273ull;
constexpr uint64_t k2 = 0x9ae16a3b2f90404full;
constexpr uint64_t k3 = 0xc949d7c7509e6557ull;

uint64_t word(const char* p)
{
    return load<uint64_t>(p);
}
uint64_t shift_mix(uint64_t x)
{
    return x ^ (x >> 47);
}
uint64_t mix16(uint64_t u, uint64_t v)
{
    return city_hash64_combine(u, v);
}

uint64_t hash_to_16(const char* s, size_t size)
{
    if (size > 8)
    {
        const uint64_t a = word(s);
        const uint64_t b = word(s + size - 8);
        return mix16(a, std::rotr(b + size, static_cast<int>(size))) ^ b;
    }
    if (size >= 4)
    {
        const uint64_t a = load<uint32_t>(s);
        return mix16(size + (a << 3), load<uint32_t>(s + size - 4));
    }
    if (size > 0)
    {
        const auto first = static_cast<uint8_t>(s[0]);
        const auto middle = static_cast<uint8_t>(s[size >> 1]);
        const auto last = static_cast<uint8_t>(s[size - 1]);
        const uint32_t y = first + (uint32_t{middle} << 8);
        const uint32_t z = static_cast<uint32_t>(size) + (uint32_t{last} << 2);
        return shift_mix(y * k2 ^ z * k3) * k2;
    }
    return k2;
}

uint64_t hash_to_32(const char* s, size_t size)
{
    const uint64_t a = word(s) * k1;
    const uint64_t b = word(s + 8);
    const uint64_t c = word(s + size - 8) * k2;
    const uint64_t d = word(s + size - 16) * k0;
    return mix16(std::rotr(a - b, 43) + std::rotr(c, 30) + d, a + std::rotr(b ^ k3, 20) - c + size);
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

uint64_t hash_to_64(const char* s, size_t size)
{
    uint64_t z = word(s + 24);
    uint64_t a = word(s) + (size + word(s + size - 16)) * k0;
    uint64_t b = std::rotr(a + z, 52);
    uint64_t c = std::rotr(a, 37);
    a += word(s + 8);
    c += std::rotr(a, 7);
    a += word(s + 16);
    const uint64_t vf = a + z;
    const uint64_t vs = b + std::rotr(a, 31) + c;
    a = word(s + 16) + word(s + size - 32);
    z = word(s + size - 8);
    b = std::rotr(a + z, 52);
    c = std::rotr(a, 37);
    a += word(s + size - 24);
    c += std::rotr(a, 7);
    a += word(s + size - 16);
    const uint64_t wf = a + z;
    const uint64_t ws = b + std::rotr(a, 31) + c;
    const uint64_t r = shift_mix((vf + ws) * k2 + (wf + vs) * k0);
    return shift_mix(r * k0 + vs) * k2;
}

// The state that both the 64-bit and the 128-bit function turn over 64 bytes at a time.
struct Wheel
{
    uint64_t x, y, z;
    Pair v, w;

    void turn(const char* s)
    {
        x = std::rotr(x + y + v.first + word(s + 16), 37) * k1;
        y = std::rotr(y + v.second + word(s + 48), 42) * k1;
        x ^= w.second;
        y ^= v.first;
        z = std::rotr(z ^ w.first, 33);
        v = weak_hash32(s, v.second * k1, x + w.first);
        w = weak_hash32(s + 32, z + w.second, y);
        std::swap(z, x);
    }
};

Hash128 city_murmur(const char* s, size_t size, Hash128 seed)
{
    uint64_t a = seed.low;
    uint64_t b = seed.high;
    uint64_t c = 0;
    uint64_t d = 0;
    if (size <= 16)
    {
        a = shift_mix(a * k1) * k1;
        c = b * k1 + hash_to_16(s, size);
        d = shift_mix(a + (size >= 8 ? word(s) : c));
    }
    else
    {
        c = mix16(word(s + size - 8) + k1, a);
        d = mix16(b + size, c + word(s + size - 16));
        a += d;
        for (auto left = static_cast<int64_t>(size) - 16; left > 0; left -= 16, s += 16)
        {
            a ^= shift_mix(word(s) * k1) * k1;
            a *= k1;
            b ^= a;
            c ^= shift_mix(word(s + 8) * k1) * k1;
            c *= k1;
            d ^= c;
        }
    }
    a = mix16(a, c);
    b = mix16(d, b);
    return {a ^ b, mix16(b, a)};
}

Hash128 hash128_with_seed(const char* s, size_t size, Hash128 seed)
{
    if (size < 128)
        return city_murmur(s, size, seed);
    Wheel state{};
    state.x = seed.low;
    state.y = seed.high;
    state.z = size * k1;
    state.v.first = std::rotr(state.y ^ k1, 49) * k1 + word(s);
    state.v.second = std::rotr(state.v.first, 42) * k1 + word(s + 8);
    state.w.first = std::rotr(state.y + state.z, 35) * k1 + state.x;
    state.w.second = std::rotr(state.x + word(s + 88), 53) * k1;
    for (; size >= 128; size -= 128, s += 128)
    {
        state.turn(s);
        state.turn(s + 64);
    }
    auto [x, y, z, v, w] = state;
    y += std::rotr(w.first, 37) * k0 + z;
    x += std::rotr(v.first + z, 49) * k0;
    for (size_t done = 0; done < size;)
    {
        done += 32;
        // Reaches back into the block before when fewer than 32 bytes are left.
        const char* p = s + size - done;
        y = std::rotr(y - x, 42) * k0 + v.second;
        w.first += word(p + 16);
        x = std::rotr(x, 49) * k0 + w.first;
        w.first += v.first;
        v = weak_hash32(p, v.first, v.second);
    }
    x = mix16(x, v.first);
    y = mix16(y, w.first);
    return {mix16(x + v.second, w.second) + y, mix16(x + w.second, y + v.second)};
}

} // namespace

uint64_t city_hash64(const char* data, size_t size)
{
    if (size <= 16)
        return hash_to_16(data, size);
    if (size <= 32)
        return hash_to_32(data, size);
    if (size <= 64)
        return hash_to_64(data, size);
    Wheel state{};
    state.x = word(data);
    state.y = word(data + size - 16) ^ k1;
    state.z = word(data + size - 56) ^ k0;
    state.v = weak_hash32(data + size - 64, size, state.y);
    state.w = weak_hash32(data + size - 32, size * k1, k0);
    state.z += shift_mix(state.v.second) * k1;
    state.x = std::rotr(state.z + state.x, 39) * k1;
    state.y = std::rotr(state.y, 33) * k1;
    for (const char* end = data + ((size - 1) & ~size_t{63}); data != end; data += 64)
        state.turn(data);
    return mix16(mix16(state.v.first, state.w.first) + shift_mix(state.y) * k1 + state.z,
                 mix16(state.v.second, state.w.second) + state.x);
}

Hash128 city_hash128(const char* data, size_t size)
{
    if (size >= 16)
        return hash128_with_seed(data + 16, size - 16, {word(data) ^ k3, word(data + 8)});
    if (size >= 8)
        return hash128_with_seed(data, 0, {word(data) ^ (size * k0), word(data + size - 8) ^ k1});
    return hash128_with_seed(data, size, {k0, k1});
}

} // namespace basalt
