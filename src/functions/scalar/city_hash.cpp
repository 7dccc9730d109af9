// cityHash64, farmHash64, farmFingerprint64, metroHash64, xxHash64, xxh3: mostly combined as
// CityHash does.

#include "codecs/foreign_hash.h"
#include "functions/any_hash.h"

namespace basalt
{

namespace
{

template <uint64_t (*kBytes)(const char*, size_t)> struct MixingHash
{
    using Hash = uint64_t;
    static Hash of_bytes(const char* data, size_t size) { return kBytes(data, size); }
    template <class U> static Hash of_number(U value) { return int_hash64(value); }
    static Hash of_length(uint64_t length) { return int_hash64(length); }
    static Hash combine(Hash a, Hash b) { return city_hash64_combine(a, b); }
};

// FarmHash's own way to mix two hashes, its fingerprint of 128 bits.
struct FingerprintHash : MixingHash<farm_hash64>
{
    static Hash combine(Hash low, Hash high)
    {
        constexpr uint64_t kMul = 0x9ddfea08eb382d69ull;
        uint64_t a = (low ^ high) * kMul;
        a ^= a >> 47;
        uint64_t b = (high ^ a) * kMul;
        b = (b ^ (b >> 44)) * kMul;
        return (b ^ (b >> 41)) * kMul;
    }
};

// Numbers are hashed as their bytes.
template <uint64_t (*kBytes)(const char*, size_t)> struct BytesHash
{
    using Hash = uint64_t;
    static Hash of_bytes(const char* data, size_t size) { return kBytes(data, size); }
    template <class U> static Hash of_number(U value)
    {
        return kBytes(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    static Hash of_length(uint64_t length) { return int_hash64(length); }
    static Hash combine(Hash a, Hash b) { return city_hash64_combine(a, b); }
};

uint64_t metro(const char* data, size_t size)
{
    return metro_hash64(data, size);
}

} // namespace

#define BASALT_HASH(NAME, ...)                                                                     \
    registry.add(NAME, [](const QueryContext&) { return make_any_hash<__VA_ARGS__>(NAME); });

void register_city_hash(ScalarRegistry& registry)
{
    BASALT_HASH("cityHash64", MixingHash<city_hash64>)
    BASALT_HASH("farmHash64", MixingHash<farm_hash64>)
    BASALT_HASH("farmFingerprint64", FingerprintHash)
    BASALT_HASH("metroHash64", MixingHash<metro>)
    BASALT_HASH("xxHash64", BytesHash<xx_hash64>)
    BASALT_HASH("xxh3", BytesHash<xxh3_64>)
}

#undef BASALT_HASH

} // namespace basalt
