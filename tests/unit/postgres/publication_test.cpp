#include "postgres/publication.h"

#include <gtest/gtest.h>

using namespace basalt::pg;

TEST(XidSnapshot, SeesWhatHadEnded)
{
    const auto snapshot = XidSnapshot::parse("10:20:10,14");
    ASSERT_TRUE(snapshot);
    EXPECT_TRUE(snapshot->sees(9));
    EXPECT_FALSE(snapshot->sees(10));
    EXPECT_TRUE(snapshot->sees(11));
    EXPECT_FALSE(snapshot->sees(14));
    EXPECT_TRUE(snapshot->sees(19));
    EXPECT_FALSE(snapshot->sees(20));
    EXPECT_EQ(snapshot->text(), "10:20:10,14");
    EXPECT_EQ(XidSnapshot::parse("7:7:")->text(), "7:7:");
}

TEST(XidSnapshot, KnowsTheEpoch)
{
    // 2^32 + 5: transactions just below belong to the epoch before.
    const auto snapshot = XidSnapshot::parse("4294967301:4294967301:");
    ASSERT_TRUE(snapshot);
    EXPECT_TRUE(snapshot->sees(4));
    EXPECT_FALSE(snapshot->sees(5));
    EXPECT_TRUE(snapshot->sees(4294967295u));
    // The next epoch begins behind the snapshot.
    const auto late = XidSnapshot::parse("4294967290:4294967290:");
    EXPECT_FALSE(late->sees(3));
    EXPECT_TRUE(late->sees(4294967289u));
}

TEST(XidSnapshot, RefusesOtherTexts)
{
    for (const char* text : {"", "1", "1:2", "a:b:", "1:2:x", "1:2:3;4"})
        EXPECT_FALSE(XidSnapshot::parse(text)) << text;
}
