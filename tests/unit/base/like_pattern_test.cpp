#include "base/like_pattern.h"

#include "base/error.h"
#include "base/pod_vector.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt
{
namespace
{

// The slow twin: recursion over pattern and value.
bool slow_like(std::string_view pattern, std::string_view value)
{
    if (pattern.empty())
        return value.empty();
    if (pattern[0] == '%')
    {
        for (size_t i = 0; i <= value.size(); ++i)
            if (slow_like(pattern.substr(1), value.substr(i)))
                return true;
        return false;
    }
    if (value.empty())
        return false;
    if (pattern[0] == '_')
        return slow_like(pattern.substr(1), value.substr(1));
    if (pattern[0] == '\\' && pattern.size() > 1 &&
        (pattern[1] == '%' || pattern[1] == '_' || pattern[1] == '\\'))
        pattern.remove_prefix(1);
    return pattern[0] == value[0] && slow_like(pattern.substr(1), value.substr(1));
}

TEST(LikePattern, EqualsItsSlowTwin)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 50000; ++round)
    {
        std::string pattern;
        for (size_t i = random() % 7; i > 0; --i)
            pattern += "ab%_%\\"[random() % 5];
        PodVector<char> chars;
        PodVector<uint64_t> offsets;
        std::vector<std::string> values;
        for (size_t i = random() % 5; i > 0; --i)
        {
            std::string value;
            for (size_t j = random() % 9; j > 0; --j)
                value += "ab%_"[random() % 4 % (j % 3 + 2)];
            chars.append(value.data(), value.size());
            offsets.push_back(chars.size());
            values.push_back(value);
        }
        PodVector<uint8_t> hits(values.size(), 9);
        const LikePattern like(pattern);
        like.mark_rows(chars.data(), offsets.data(), values.size(), hits.data());
        for (size_t i = 0; i < values.size(); ++i)
        {
            ASSERT_EQ(like.matches(values[i]), slow_like(pattern, values[i]))
                << pattern << " / " << values[i];
            ASSERT_EQ(hits[i] != 0, like.matches(values[i])) << pattern << " / " << values[i];
        }
    }
}

TEST(LikePattern, KnowsItsKind)
{
    using Kind = LikePattern::Kind;
    EXPECT_EQ(LikePattern("%").kind(), Kind::Everything);
    EXPECT_EQ(LikePattern("%%").kind(), Kind::Everything);
    EXPECT_EQ(LikePattern("").kind(), Kind::Equals);
    EXPECT_EQ(LikePattern("abc").kind(), Kind::Equals);
    EXPECT_EQ(LikePattern("abc%").kind(), Kind::Prefix);
    EXPECT_EQ(LikePattern("%abc").kind(), Kind::Suffix);
    EXPECT_EQ(LikePattern("%abc%").kind(), Kind::Contains);
    EXPECT_EQ(LikePattern("a_c").kind(), Kind::General);
    EXPECT_EQ(LikePattern("%a\\%b%").text(), "a%b");
    EXPECT_EQ(LikePattern("%a\\xb%").text(), "a\\xb");
    EXPECT_EQ(LikePattern("ab_c%").prefix(), "ab");
    EXPECT_EQ(LikePattern("%ab%c_d").required_texts(),
              (std::vector<std::string_view>{"ab", "c", "d"}));
    EXPECT_THROW(LikePattern("abc\\"), Error);
}

TEST(LikePattern, FoldsCaseAndCountsCodePoints)
{
    EXPECT_TRUE(LikePattern("%LoG%", true).matches("catalog"));
    EXPECT_TRUE(LikePattern("C_TA%", true).matches("cAtalog"));
    EXPECT_FALSE(LikePattern("%LoG%").matches("catalog"));
    EXPECT_TRUE(LikePattern("_").matches("\xD0\xBF"));
    EXPECT_FALSE(LikePattern("__").matches("\xD0\xBF"));
    EXPECT_TRUE(LikePattern("%_b").matches("\xD0\xBF" "b"));
}

} // namespace
} // namespace basalt
