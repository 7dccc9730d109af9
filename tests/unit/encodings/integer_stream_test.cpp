#include "base/clock.h"
#include "base/hash.h"
#include "encodings/bit_packing.h"
#include "encodings/integer_stream.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

TEST(BitPacking, EveryWidthAndRangeIsAsThePlainTwinSays)
{
    SeededRandom random(1);
    for (unsigned width = 0; width <= 64; ++width)
    {
        for (const size_t count : {1, 7, 8, 100, 333})
        {
            std::vector<uint64_t> values(count);
            for (auto& value : values)
                value = width == 0 ? 0 : random.next_u64() >> (64 - width);
            std::string packed;
            pack_bits(values.data(), count, width, packed);
            ASSERT_EQ(packed.size(), packed_bytes(count, width));
            // Exactly as large as it must be, so that sanitizers see a read too far.
            const std::vector<char> exact(packed.begin(), packed.end());
            for (const size_t begin : {size_t{0}, size_t{1}, count / 2, count - 1})
            {
                if (begin >= count)
                    continue;
                std::vector<uint64_t> out(count - begin), plain(count - begin);
                unpack_bits(exact.data(), exact.size(), begin, count - begin, width, out.data());
                unpack_bits_plain(exact.data(), exact.size(), begin, count - begin, width,
                                  plain.data());
                ASSERT_EQ(out, plain) << width << " " << count << " " << begin;
                if (width <= kMaxNarrowWidth)
                {
                    std::vector<uint32_t> narrow(count - begin);
                    unpack_narrow_bits(exact.data(), exact.size(), begin, count - begin, width,
                                       narrow.data());
                    ASSERT_TRUE(std::equal(narrow.begin(), narrow.end(), plain.begin()));
                }
                ASSERT_TRUE(std::equal(out.begin(), out.end(), values.begin() + begin));
            }
        }
    }
}

std::vector<uint64_t> shape(int kind, size_t count, uint64_t seed)
{
    SeededRandom random(seed);
    std::vector<uint64_t> values(count);
    uint64_t walk = random.next_u64();
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t x = random.next_u64();
        switch (kind)
        {
        case 0: // anything
            values[i] = x;
            break;
        case 1: // small with outliers
            values[i] = x % 100 == 0 ? x : x % 2000;
            break;
        case 2: // sorted with steps of 6
            walk += 6 * (1 + x % 40);
            values[i] = walk;
            break;
        case 3: // sorted with jumps back
            walk = x % 1000 == 0 ? walk - 1000000 : walk + x % 9;
            values[i] = walk;
            break;
        case 4: // runs
            if (x % 700 == 0)
                walk = x >> 20;
            values[i] = walk;
            break;
        case 5: // few distinct, far apart
            values[i] = hash_int(x % 23 + 1);
            break;
        case 6: // negative and positive
            values[i] = x % 200 - 100;
            break;
        case 7: // constant
            values[i] = seed;
            break;
        case 8: // multiples, negative too
            values[i] = (x % 50 - 25) * 1000;
            break;
        case 10: // sequences that come again
            values[i] = hash_int((i % 331) + 7) % 700;
            break;
        case 11: // differences that come again
            walk += hash_int((i % 331) + 7) % 90000;
            values[i] = walk;
            break;
        case 12: // differences that grow
            values[i] = seed + i * i * 3 + x % 4;
            break;
        default: // low outliers
            values[i] = x % 300 == 0 ? 0 : 1000000000 + x % 512;
        }
    }
    return values;
}

TEST(IntegerStream, EveryShapeComesBackFromAnyRange)
{
    for (int kind = 0; kind < 13; ++kind)
    {
        for (const size_t count : {1, 2, 5, 63, 64, 1000, 8192, 8193, 20000, 65536})
        {
            for (const bool is_signed : {false, true})
            {
                const auto values = shape(kind, count, count + kind);
                std::string bytes;
                write_integers(values.data(), count, is_signed, bytes);
                const std::vector<char> exact(bytes.begin(), bytes.end());
                const IntegerReader reader({exact.data(), exact.size()}, count);
                std::vector<uint64_t> all(count);
                reader.read(0, count, all.data());
                ASSERT_EQ(all, values) << kind << " " << count;
                SeededRandom random(count);
                for (int i = 0; i < 20; ++i)
                {
                    const size_t begin = random.next_u64() % count;
                    const size_t some = random.next_u64() % (count - begin + 1);
                    std::vector<uint32_t> part(some);
                    reader.read_as(begin, some, part.data());
                    for (size_t j = 0; j < some; ++j)
                        ASSERT_EQ(part[j], static_cast<uint32_t>(values[begin + j]));
                    for (const uint64_t limit : {uint64_t{100}, uint64_t{70000},
                                                 uint64_t{1000000400}, uint64_t{1} << 31})
                    {
                        const bool below =
                            std::all_of(values.begin() + begin, values.begin() + begin + some,
                                        [&](uint64_t value) { return value < limit; });
                        std::vector<uint32_t> codes(some);
                        ASSERT_EQ(reader.read_below(begin, some, static_cast<uint32_t>(limit),
                                                    codes.data()),
                                  below)
                            << kind << " " << limit;
                        if (!below)
                            codes = part;
                        ASSERT_EQ(codes, part);
                    }
                }
            }
        }
    }
}

size_t size_of_shape(int kind)
{
    const auto values = shape(kind, 65536, 5);
    std::string bytes;
    write_integers(values.data(), values.size(), true, bytes);
    return bytes.size();
}

TEST(IntegerStream, IsAsSmallAsTheShapeAllows)
{
    EXPECT_LT(size_of_shape(0), 65536 * 8 + 200);
    EXPECT_LT(size_of_shape(1), 65536 * 13 / 8); // 11 bits and 1 % outliers of 64
    EXPECT_LT(size_of_shape(2), 65536 * 6 / 8 + 200);
    EXPECT_LT(size_of_shape(4), 2000);
    EXPECT_LT(size_of_shape(5), 65536 * 5 / 8 + 500);
    EXPECT_LT(size_of_shape(7), 20);
    EXPECT_LT(size_of_shape(8), 65536 * 6 / 8 + 200);
    EXPECT_LT(size_of_shape(9), 65536 * 10 / 8);
    EXPECT_LT(size_of_shape(10), 65536 / 4);
    EXPECT_LT(size_of_shape(11), 65536 / 2);
    EXPECT_LT(size_of_shape(12), 65536 * 5 / 8);
}

TEST(IntegerStream, CodesAreNumberedByFrequency)
{
    SeededRandom random(3);
    std::vector<uint32_t> codes(65536);
    for (auto& code : codes)
    {
        const uint64_t x = random.next_u64() % 1000;
        code = x < 8 ? 0 : x < 50 ? 1 : x < 300 ? 2 : 3;
    }
    std::string bytes;
    write_codes(codes.data(), codes.size(), 4, bytes);
    EXPECT_LT(bytes.size(), 65536 * 0.235);
    const IntegerReader reader(bytes, codes.size());
    std::vector<uint32_t> out(codes.size());
    reader.read_as(0, out.size(), out.data());
    EXPECT_EQ(out, codes);
}

TEST(IntegerStream, NumberedCodesComeBackAsTheirNumbers)
{
    SeededRandom random(4);
    for (const size_t count : {1, 63, 64, 20000})
        for (const uint32_t distinct : {1, 2, 5, 300})
            for (const size_t domain : {size_t{400}, 2 * kMaxIntegerDictionary})
            {
                if (distinct > count)
                    continue;
                PodVector<uint32_t> numbers(distinct), uses(distinct, 0), codes(count);
                for (uint32_t i = 0; i < distinct; ++i)
                    numbers[i] = static_cast<uint32_t>(domain) - 1 - i;
                for (size_t i = 0; i < count; ++i)
                {
                    codes[i] = i < distinct ? static_cast<uint32_t>(i)
                                            : static_cast<uint32_t>(random.next_u64() % distinct);
                    ++uses[codes[i]];
                }
                std::string bytes;
                write_numbered_codes(codes.data(), count, numbers, uses, domain, bytes);
                const IntegerReader reader(bytes, count);
                std::vector<uint32_t> out(count);
                reader.read_as(0, count, out.data());
                for (size_t i = 0; i < count; ++i)
                    ASSERT_EQ(out[i], numbers[codes[i]]);
            }
}

TEST(IntegerStream, DamagedBytesAreRefusedOrDecode)
{
    for (int kind = 0; kind < 13; ++kind)
    {
        const auto values = shape(kind, 9000, 7);
        std::string bytes;
        write_integers(values.data(), values.size(), false, bytes);
        SeededRandom random(kind);
        for (int round = 0; round < 300; ++round)
        {
            std::string damaged = bytes;
            if (round % 2)
                damaged.resize(random.next_u64() % damaged.size());
            else
                damaged[random.next_u64() % std::min<size_t>(damaged.size(), 1 + round)] ^=
                    static_cast<char>(1 << (round / 2 % 8));
            const std::vector<char> exact(damaged.begin(), damaged.end());
            try
            {
                const IntegerReader reader({exact.data(), exact.size()}, values.size());
                std::vector<uint64_t> out(values.size());
                reader.read(0, out.size(), out.data());
                reader.read(8500, 100, out.data());
            }
            catch (const Error& error)
            {
                EXPECT_TRUE(error.code() == error_codes::CORRUPTED_DATA ||
                            error.code() == error_codes::CANNOT_DECOMPRESS);
            }
        }
    }
}

} // namespace
} // namespace basalt
