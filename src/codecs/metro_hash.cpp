#include "codecs/foreign_hash.h"

namespace basalt
{

uint64_t metro_hash64(const char* data, size_t size, uint64_t seed)
{
    constexpr uint64_t k0 = 0xC83A91E1;
    constexpr uint64_t k1 = 0x8648DBDB;
    constexpr uint64_t k2 = 0x7BDEC03B;
    constexpr uint64_t k3 = 0x2F5870A5;
    const char* end = data + size;
    const auto left = [&] { return end - data; };
    const auto next = [&]<typename T>(T)
    {
        const T value = load<T>(data);
        data += sizeof(T);
        return static_cast<uint64_t>(value);
    };
    uint64_t hash = (seed + k2) * k0 + size;
    if (left() >= 32)
    {
        uint64_t v0 = hash;
        uint64_t v1 = hash;
        uint64_t v2 = hash;
        uint64_t v3 = hash;
        do
        {
            v0 += next(uint64_t{}) * k0;
            v0 = std::rotr(v0, 29) + v2;
            v1 += next(uint64_t{}) * k1;
            v1 = std::rotr(v1, 29) + v3;
            v2 += next(uint64_t{}) * k2;
            v2 = std::rotr(v2, 29) + v0;
            v3 += next(uint64_t{}) * k3;
            v3 = std::rotr(v3, 29) + v1;
        } while (left() >= 32);
        v2 ^= std::rotr((v0 + v3) * k0 + v1, 33) * k1;
        v3 ^= std::rotr((v1 + v2) * k1 + v0, 33) * k0;
        v0 ^= std::rotr((v0 + v2) * k0 + v3, 33) * k1;
        v1 ^= std::rotr((v1 + v3) * k1 + v2, 33) * k0;
        hash += v0 ^ v1;
    }
    if (left() >= 16)
    {
        uint64_t v0 = hash + next(uint64_t{}) * k0;
        v0 = std::rotr(v0, 33) * k1;
        uint64_t v1 = hash + next(uint64_t{}) * k1;
        v1 = std::rotr(v1, 33) * k2;
        v0 ^= std::rotr(v0 * k0, 35) + v1;
        v1 ^= std::rotr(v1 * k3, 35) + v0;
        hash += v1;
    }
    if (left() >= 8)
    {
        hash += next(uint64_t{}) * k3;
        hash ^= std::rotr(hash, 33) * k1;
    }
    if (left() >= 4)
    {
        hash += next(uint32_t{}) * k3;
        hash ^= std::rotr(hash, 15) * k1;
    }
    if (left() >= 2)
    {
        hash += next(uint16_t{}) * k3;
        hash ^= std::rotr(hash, 13) * k1;
    }
    if (left() >= 1)
    {
        hash += next(uint8_t{}) * k3;
        hash ^= std::rotr(hash, 25) * k1;
    }
    hash ^= std::rotr(hash, 33);
    hash *= k0;
    return hash ^ std::rotr(hash, 33);
}

} // namespace basalt
