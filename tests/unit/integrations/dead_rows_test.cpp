#include "base/error.h"
#include "integrations/postgres/dead_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace basalt;
using namespace basalt::pg;

TEST(DeadRows, AgreesWithASetOverManyVersions)
{
    std::mt19937_64 random(7);
    DeadRows rows;
    std::set<uint64_t> expected;
    for (int round = 0; round < 200; ++round)
    {
        std::vector<uint64_t> some;
        for (int i = 0; i < 50; ++i)
            some.push_back(random() % 300'000);
        const DeadRows before = rows;
        const size_t count_before = expected.size();
        rows = rows.with(ranges_of(some));
        expected.insert(some.begin(), some.end());
        ASSERT_EQ(rows.count(), expected.size());
        ASSERT_EQ(before.count(), count_before); // versions do not change
    }
    for (uint64_t row = 0; row < 300'000; ++row)
        ASSERT_EQ(rows.contains(row), expected.contains(row)) << row;

    std::string bytes;
    rows.append_to(bytes);
    std::string_view rest = bytes;
    const DeadRows back = DeadRows::take(rest);
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(back.count(), rows.count());
    for (uint64_t row = 0; row < 300'000; ++row)
        ASSERT_EQ(back.contains(row), expected.contains(row)) << row;
    for (size_t cut = 0; cut < bytes.size(); cut += 97)
    {
        std::string_view part = std::string_view(bytes).substr(0, cut);
        EXPECT_THROW(DeadRows::take(part), Error) << cut;
    }
}

TEST(DeadRows, WholeChunksAreShared)
{
    const DeadRows rows = DeadRows().with({{10, 40 * DeadRows::kChunkRows + 5}});
    EXPECT_EQ(rows.count(), 40 * DeadRows::kChunkRows - 5);
    EXPECT_LT(rows.byte_size(), size_t{3} * 9000);
    EXPECT_FALSE(rows.contains(9));
    EXPECT_TRUE(rows.contains(10));
    EXPECT_TRUE(rows.contains(40 * DeadRows::kChunkRows + 4));
    EXPECT_FALSE(rows.contains(40 * DeadRows::kChunkRows + 5));
    EXPECT_TRUE(rows.all_alive(50 * DeadRows::kChunkRows, 60 * DeadRows::kChunkRows));
    EXPECT_FALSE(rows.all_alive(0, 1));
    const DeadRows fewer = rows.without({0, 2 * DeadRows::kChunkRows});
    EXPECT_EQ(fewer.count(), 38 * DeadRows::kChunkRows + 5);
    EXPECT_FALSE(fewer.contains(11));
    EXPECT_TRUE(fewer.contains(2 * DeadRows::kChunkRows));
}

TEST(DeadRows, RangesOfNumbers)
{
    const std::vector<RowRange> ranges = ranges_of({5, 3, 4, 4, 9});
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[0], (RowRange{3, 6}));
    EXPECT_EQ(ranges[1], (RowRange{9, 10}));
}
