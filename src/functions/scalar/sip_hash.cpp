// sipHash64, sipHash128 and their keyed and reference forms.

#include "codecs/foreign_hash.h"
#include "functions/any_hash.h"

namespace basalt
{

namespace
{

struct Sip64
{
    using Hash = uint64_t;
    uint64_t key0 = 0;
    uint64_t key1 = 0;
    Hash of_bytes(const char* data, size_t size) const { return sip_hash64(data, size, key0, key1); }
    template <class U> Hash of_number(U value) const { return sip_hash64_int(value, key0, key1); }
    Hash of_length(uint64_t length) const { return int_hash64(length); }
    Hash combine(Hash a, Hash b) const { return sip_hash64_combine(a, b, key0, key1); }
};

struct Sip128
{
    using Hash = Hash128;
    uint64_t key0 = 0;
    uint64_t key1 = 0;
    Hash of_bytes(const char* data, size_t size) const
    {
        return sip_hash128(data, size, key0, key1);
    }
    template <class U> Hash of_number(U value) const { return sip_hash128_int(value, key0, key1); }
    Hash of_length(uint64_t length) const { return {int_hash32(length), 0}; }
    Hash combine(Hash a, Hash b) const { return sip_hash128_combine(a, b, key0, key1); }
};

struct Sip128Reference
{
    using Hash = Hash128;
    uint64_t key0 = 0;
    uint64_t key1 = 0;
    Hash of_bytes(const char* data, size_t size) const
    {
        return sip_hash128_reference(data, size, key0, key1);
    }
    template <class U> Hash of_number(U value) const
    {
        return of_bytes(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    Hash of_length(uint64_t length) const { return {int_hash32(length), 0}; }
    Hash combine(Hash a, Hash b) const
    {
        const Hash128 both[] = {a, b};
        return of_bytes(reinterpret_cast<const char*>(both), sizeof(both));
    }
};

} // namespace

#define BASALT_KEYED(NAME, ALGORITHM)                                                              \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<KeyedHash<ALGORITHM>>(NAME); });

void register_sip_hash(ScalarRegistry& registry)
{
    registry.add("sipHash64",
                 [](const QueryContext&) { return make_any_hash<Sip64>("sipHash64"); });
    registry.add("sipHash128",
                 [](const QueryContext&) { return make_any_hash<Sip128>("sipHash128"); });
    registry.add("sipHash128Reference", [](const QueryContext&)
                 { return make_any_hash<Sip128Reference>("sipHash128Reference"); });
    BASALT_KEYED("sipHash64Keyed", Sip64)
    BASALT_KEYED("sipHash128Keyed", Sip128)
    BASALT_KEYED("sipHash128ReferenceKeyed", Sip128Reference)
}

#undef BASALT_KEYED

} // namespace basalt
