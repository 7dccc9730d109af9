#include "codecs/hash.h"

#include "tests/unit/codecs/hash_input.h"

#include <gtest/gtest.h>
#include <xxhash.h>

namespace basalt
{
namespace
{

TEST(Hash, EveryLengthAsClickHouse)
{
    EXPECT_EQ(city_hash64(""), 11160318154034397263ull);
    EXPECT_EQ(city_hash64("abc"), 4220206313085259313ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return city_hash64(p, n); }),
              0xb4656ba1e1106942ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return sip_hash64(p, n); }),
              0xb99308bc9b76f309ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return sip_hash128(p, n); }),
              0x26c6dfdb88fa93d9ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return sip_hash128_reference(p, n); }),
              0xc76ca1066ff5d519ull);
    EXPECT_EQ(fold_prefixes(xx_hash32), 0x75bdb9abccc95070ull);
    EXPECT_EQ(fold_prefixes(xx_hash64), 0x690b3ad8617553eaull);
    EXPECT_EQ(fold_prefixes(xxh3_64), 0x27d938bbca7b9e61ull);
    EXPECT_EQ(fold_prefixes(xxh3_128), 0x9896265904e2e8baull);
    EXPECT_EQ(fold_prefixes(crc32), 0xd453c585239ba940ull);
    EXPECT_EQ(fold_prefixes(crc32_ieee), 0xdf7b4b937b9ea305ull);
    EXPECT_EQ(fold_prefixes(crc64), 0x517aeed18f685f7eull);
}

// Long inputs take another way where the processor allows it.
TEST(Hash, LongInputsAsTheLibrary)
{
    std::string bytes;
    for (uint64_t i = 0; bytes.size() < (1 << 17) + 64; ++i)
        bytes += std::to_string(city_hash64_int(i));
    for (const size_t size : {1000, 1023, 1024, 1025, 1088, 2048, 4095, 8191, 65537, 1 << 17})
        for (const size_t begin : {0, 1, 31})
            EXPECT_EQ(xxh3_64(bytes.data() + begin, size), XXH3_64bits(bytes.data() + begin, size))
                << size;
}

TEST(Hash, IntegersAsClickHouse)
{
    EXPECT_EQ(city_hash64_int(1), 10577349846663553072ull);
    EXPECT_EQ(city_hash64_int(~0ull), 14600443904207254319ull);
    EXPECT_EQ(city_hash64_int(0xFF), 8055013221972926055ull); // of Int8 -1
    EXPECT_EQ(city_hash64_int(std::bit_cast<uint64_t>(1.0)), 6233777482909279950ull);
    EXPECT_EQ(sip_hash64_int(uint8_t{1}), 7385293435322750976ull);
    EXPECT_EQ(sip_hash64_int(uint64_t{1}), 9224715256000962398ull);
    EXPECT_EQ(sip_hash64_int(1.5), 12174397082705264768ull);
    for (const uint64_t x : {0ull, 1ull, 0x0123456789abcdefull, ~0ull})
    {
        EXPECT_EQ(sip_hash64_int(x), sip_hash64(reinterpret_cast<const char*>(&x), 8));
        EXPECT_EQ(sip_hash128_int(x), sip_hash128(reinterpret_cast<const char*>(&x), 8));
        const auto y = static_cast<uint16_t>(x);
        EXPECT_EQ(sip_hash64_int(y), sip_hash64(reinterpret_cast<const char*>(&y), 2));
        EXPECT_EQ(sip_hash128_int(y), sip_hash128(reinterpret_cast<const char*>(&y), 2));
    }
}

TEST(Hash, CombineAsClickHouse)
{
    const uint64_t a = city_hash64("a");
    const uint64_t ab = city_hash64_combine(a, city_hash64("b"));
    EXPECT_EQ(ab, 7468329322676821011ull);
    EXPECT_EQ(city_hash64_combine(ab, city_hash64("c")), 9684406651005280037ull);
    EXPECT_EQ(city_hash64_combine(city_hash64_int(1), city_hash64_int(2)), 463667963421364848ull);
    EXPECT_EQ(sip_hash64_combine(sip_hash64("a"), sip_hash64("b")), 1193743241355087095ull);
    EXPECT_EQ(sip_hash64_combine(sip_hash64_int(uint64_t{1}), sip_hash64("b")),
              15083876475397637354ull);
    // hex(sipHash128('a', 'b')) = 7B64E9F103295C192F07A59FCA5D7252
    const Hash128 both = sip_hash128_combine(sip_hash128("a"), sip_hash128("b"));
    EXPECT_EQ(both.low, 0x195C2903F1E9647Bull);
    EXPECT_EQ(both.high, 0x52725DCA9FA5072Full);
}

TEST(Hash, Crc32c)
{
    EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
    EXPECT_EQ(crc32c("6789", 4, crc32c("12345", 5)), 0xE3069283u);
    EXPECT_EQ(crc32c("", 0), 0u);
    const std::string zeros(32, '\0');
    EXPECT_EQ(crc32c(zeros.data(), zeros.size()), 0x8A9136AAu);
}

} // namespace
} // namespace basalt
