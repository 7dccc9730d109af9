#include "storage/log/tokens.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <thread>

namespace basalt
{
namespace
{

DeduplicationToken token_of(const std::string& table, const std::string& text, int64_t unix_s = 0,
                            bool by_content = false)
{
    return {table, by_content, token_key(text), unix_s, {}};
}

TEST(Tokens, OnlyTheLastOfATableAreKept)
{
    TokenRegistry tokens(3, 100);
    for (const char* text : {"a", "b", "c", "d"})
        tokens.keep(token_of("t", text));
    EXPECT_FALSE(tokens.knows({.table_uuid = "t", .text = "a"}, 0));
    for (const char* text : {"b", "c", "d"})
        EXPECT_TRUE(tokens.knows({.table_uuid = "t", .text = text}, 0)) << text;
    EXPECT_EQ(tokens.size(), 3u);
}

TEST(Tokens, PastTheLimitOfAllTheLargestTableLosesItsOldest)
{
    TokenRegistry tokens(10, 4);
    for (const char* text : {"a", "b", "c"})
        tokens.keep(token_of("large", text));
    tokens.keep(token_of("small", "a"));
    tokens.keep(token_of("small", "b"));
    EXPECT_FALSE(tokens.knows({.table_uuid = "large", .text = "a"}, 0));
    EXPECT_TRUE(tokens.knows({.table_uuid = "large", .text = "b"}, 0));
    EXPECT_TRUE(tokens.knows({.table_uuid = "small", .text = "a"}, 0));
    EXPECT_EQ(tokens.size(), 4u);
}

TEST(Tokens, EndWithTheirLifetime)
{
    TokenRegistry tokens;
    tokens.keep(token_of("t", "a", 1000));
    EXPECT_TRUE(tokens.knows({.table_uuid = "t", .text = "a"}, 1000 + kTokenLifetime_s - 1));
    EXPECT_FALSE(tokens.knows({.table_uuid = "t", .text = "a"}, 1000 + kTokenLifetime_s));
    tokens.keep(token_of("t", "b", 2000));
    tokens.forget_older(1500);
    EXPECT_EQ(tokens.size(), 1u);
    EXPECT_EQ(tokens.all().size(), 1u);
    tokens.forget_older(5000);
    EXPECT_EQ(tokens.size(), 0u);
}

TEST(Tokens, AWindowCountsTokensOfItsKind)
{
    TokenRegistry tokens;
    tokens.keep(token_of("t", "a", 0, true));
    tokens.keep(token_of("t", "b", 0, true));
    tokens.keep(token_of("t", "named"));
    const TokenClaim claim{.table_uuid = "t", .text = "a", .by_content = true, .window = 2};
    EXPECT_TRUE(tokens.knows(claim, 0));
    tokens.keep(token_of("t", "c", 0, true));
    EXPECT_FALSE(tokens.knows(claim, 0));
    // Again inside the window, once.
    EXPECT_TRUE(tokens.claim(claim, 5));
    tokens.keep(token_of("t", "a", 5, true));
    EXPECT_TRUE(tokens.knows(claim, 5));
    EXPECT_EQ(tokens.size(), 4u);
    EXPECT_EQ(tokens.all().size(), 4u);
}

TEST(Tokens, WhoComesSecondWaitsForTheFirst)
{
    for (const bool first_commits : {true, false})
    {
        TokenRegistry tokens;
        const TokenClaim claim{.table_uuid = "t", .text = "a"};
        ASSERT_TRUE(tokens.claim(claim, 0));
        std::atomic<bool> answered{false};
        bool answer = false;
        std::thread second(
            [&]
            {
                answer = tokens.claim(claim, 0);
                answered = true;
            });
        EXPECT_FALSE(answered);
        if (first_commits)
            tokens.keep(token_of("t", "a"));
        else
            tokens.give_up(token_of("t", "a"));
        second.join();
        EXPECT_EQ(answer, !first_commits);
    }
}

TEST(Tokens, WaitingEndsWhenTheWaiterIsCancelled)
{
    TokenRegistry tokens;
    ASSERT_TRUE(tokens.claim({.table_uuid = "t", .text = "a"}, 0));
    EXPECT_THROW(tokens.claim({.table_uuid = "t",
                               .text = "a",
                               .while_waiting = [] { throw Error(error_codes::ABORTED, "left"); }},
                              0),
                 Error);
}

} // namespace
} // namespace basalt
