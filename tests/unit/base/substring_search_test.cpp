#include "base/substring_search.h"

#include "base/pod_vector.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt
{
namespace
{

TEST(SubstringSearch, EqualsItsPlainTwin)
{
    std::mt19937_64 random(7);
    for (int round = 0; round < 20000; ++round)
    {
        const size_t size = random() % 200;
        std::string text(size, 'a');
        for (char& c : text)
            c = "abABc \xC3\x80"[random() % 8];
        std::string needle;
        if (size > 0 && random() % 2)
        {
            const size_t from = random() % size;
            needle = text.substr(from, random() % (size - from) + 1);
        }
        else
            for (size_t i = random() % 6; i > 0; --i)
                needle += "abAB"[random() % 4];
        const bool fold = random() % 2;
        const SubstringSearcher searcher(needle, fold);
        const char* begin = text.data();
        const char* end = begin + text.size();
        ASSERT_EQ(searcher.find(begin, end) - begin, searcher.find_plain(begin, end) - begin)
            << text << " / " << needle;
        if (!fold)
        {
            ASSERT_EQ(searcher.find(text), text.find(needle)) << text << " / " << needle;
        }
    }
}

TEST(SubstringSearch, MarksRowsAndNeverCrossesThem)
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 2000; ++round)
    {
        PodVector<char> chars;
        PodVector<uint64_t> offsets;
        const size_t rows = random() % 50;
        for (size_t i = 0; i < rows; ++i)
        {
            for (size_t n = random() % 12; n > 0; --n)
                chars.push_back("ab "[random() % 3]);
            offsets.push_back(chars.size());
        }
        std::string needle;
        for (size_t i = random() % 4; i > 0; --i)
            needle += "ab "[random() % 3];
        PodVector<uint8_t> hits(rows, 7);
        SubstringSearcher(needle).mark_rows(chars.data(), offsets.data(), rows, hits.data());
        size_t begin = 0;
        for (size_t i = 0; i < rows; ++i)
        {
            const std::string_view row(chars.data() + begin, offsets[i] - begin);
            ASSERT_EQ(hits[i] != 0, row.find(needle) != row.npos);
            begin = offsets[i];
        }
    }
}

} // namespace
} // namespace basalt
