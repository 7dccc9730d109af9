#include "codecs/foreign_hash.h"

#include "tests/unit/codecs/hash_input.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

TEST(ForeignHash, EveryLengthAsClickHouse)
{
    EXPECT_EQ(fold_prefixes(farm_hash64), 0x2449d2f8a16a6296ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return metro_hash64(p, n); }),
              0xbee2458af3770141ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return murmur_hash2_32(p, n); }),
              0x29f7bfcebcf26af3ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return murmur_hash2_64(p, n); }),
              0xd04abd2ec3c6083cull);
    EXPECT_EQ(fold_prefixes(gcc_murmur_hash), 0x70c24df7a77f38c6ull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return murmur_hash3_32(p, n); }),
              0xaa9081b681c2733aull);
    EXPECT_EQ(fold_prefixes(murmur_hash3_64), 0x65288b656f94776cull);
    EXPECT_EQ(fold_prefixes([](const char* p, size_t n) { return murmur_hash3_128(p, n); }),
              0xbceb255a43217140ull);
    EXPECT_EQ(fold_prefixes(kafka_murmur_hash), 0x2f47f2376c41f217ull);
    EXPECT_EQ(fold_prefixes(java_hash), 0x53367a3eae578d78ull);
    EXPECT_EQ(fold_prefixes(hive_hash), 0xe1b33aacae578d78ull);
    EXPECT_EQ(fold_prefixes(wy_hash64), 0x11e7c41dc30161b4ull);
}

TEST(ForeignHash, IntegersAsClickHouse)
{
    EXPECT_EQ(int_hash32(1), 1343103100u);
    EXPECT_EQ(int_hash32(12345678901234), 3189984052u);
    const uint64_t one = 1;
    const auto* bytes = reinterpret_cast<const char*>(&one);
    EXPECT_EQ(murmur_hash2_64(bytes, 8), 10357027354812746030ull);
    EXPECT_EQ(murmur_hash2_64(bytes, 1), 12725806677685968135ull);
    EXPECT_EQ(xx_hash64(bytes, 8), 11468921228449061269ull);
    EXPECT_EQ(xx_hash64(bytes, 1), 9962287286179718960ull);
}

TEST(ForeignHash, CombineAsClickHouse)
{
    EXPECT_EQ(city_hash64_combine(farm_hash64("a", 1), farm_hash64("b", 1)),
              13764019092918827821ull);
    EXPECT_EQ(murmur_combine64(murmur_hash2_64("a", 1), murmur_hash2_64("b", 1)),
              6575459576158992452ull);
    EXPECT_EQ(murmur_combine64(murmur_hash3_64("a", 1), murmur_hash3_64("b", 1)),
              18305627054227103971ull);
    EXPECT_EQ(murmur_combine32(murmur_hash3_32("a", 1), murmur_hash3_32("b", 1)), 914284213u);
    EXPECT_EQ(city_hash64_combine(metro_hash64("a", 1), metro_hash64("b", 1)),
              14769050804864331851ull);
    EXPECT_EQ(city_hash64_combine(xx_hash64("a", 1), xx_hash64("b", 1)), 14756808377901732262ull);
    EXPECT_EQ(city_hash64_combine(xxh3_64("a", 1), xxh3_64("b", 1)), 3189474376958980599ull);
    EXPECT_EQ(murmur_combine32(murmur_hash2_32("a", 1), murmur_hash2_32("b", 1)), 2171431463u);
    EXPECT_EQ(murmur_combine32(xx_hash32("a", 1), xx_hash32("b", 1)), 1353805580u);
    EXPECT_EQ(murmur_combine32(kafka_murmur_hash("a", 1), kafka_murmur_hash("b", 1)), 499604128u);
    EXPECT_EQ(murmur_combine64(gcc_murmur_hash("a", 1), gcc_murmur_hash("b", 1)),
              17950787203324252190ull);
    EXPECT_EQ(hash_pair_combine64(wy_hash64, wy_hash64("a", 1), wy_hash64("b", 1)),
              12848606071337434745ull);
    const Hash128 both[] = {murmur_hash3_128("a", 1), murmur_hash3_128("b", 1)};
    // hex(murmurHash3_128('a', 'b')) = AE1329B79BAB34F991E2EC6715F7F92F
    EXPECT_EQ(murmur_hash3_128(reinterpret_cast<const char*>(both), sizeof(both)),
              (Hash128{0xF934AB9BB72913AEull, 0x2FF9F71567ECE291ull}));
}

TEST(ForeignHash, ArraysAsClickHouse)
{
    EXPECT_EQ(int_hash64(0), 4761183170873013810ull); // cityHash64([])
    EXPECT_EQ(city_hash64_combine(int_hash64(1), city_hash64("a")), 3281168119317583073ull);
    EXPECT_EQ(sip_hash64_combine(int_hash64(1), sip_hash64_int(uint8_t{1})),
              3227352515976414518ull);
}

TEST(ForeignHash, JavaUtf16)
{
    EXPECT_EQ(java_hash_utf16le("a\0b\0", 4), 'a' * 31 + 'b');
    EXPECT_EQ(java_hash("ab", 2), 'a' * 31 + 'b');
}

} // namespace
} // namespace basalt
