#include "base/like_pattern.h"
#include "encodings/page_format.h"
#include "tests/unit/encodings/one_part.h"
#include "tests/unit/encodings/template_lines.h"

#include <gtest/gtest.h>

#include <numeric>

namespace basalt
{
namespace
{

using Kind = PagePredicate::Kind;

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text)
    {
        if (c == '%' || c == '_' || c == '\\')
            out.push_back('\\');
        out.push_back(c);
    }
    return out;
}

// % and _ stay what they are in patterns.
std::string unescaped(std::string piece)
{
    std::erase(piece, '\\');
    return piece;
}

// A pattern from pieces of a line, sometimes with a piece changed, in the other case, or longer
// than the line.
std::string pattern_from(std::string_view line, SeededRandom& random)
{
    const auto below = [&](size_t n) { return n ? random.next_u64() % n : 0; };
    std::string pattern;
    if (below(40) == 0)
        return below(2) ? "" : "%" + escaped(line) + escaped(line) + "%";
    const size_t pieces = 1 + below(3);
    size_t at = below(3) ? below(line.size() + 1) : 0;
    if (at || below(2))
        pattern = "%";
    for (size_t i = 0; i < pieces && at <= line.size(); ++i)
    {
        const size_t size = below(3) ? below(12) : below(line.size() - at + 1);
        std::string piece(line.substr(at, size));
        if (below(5) == 0 && !piece.empty())
            piece[below(piece.size())] ^= 1;
        if (below(8) == 0)
            for (char& c : piece)
                c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
        pattern += below(10) ? escaped(piece) : unescaped(piece);
        at += size;
        if (at >= line.size() && below(2))
            return pattern;
        pattern += below(20) ? "%" : "_";
        at += below(6);
    }
    return pattern;
}

void expect_likes(const EncodedPage& page, const StringColumn& column, uint64_t seed, int rounds)
{
    SeededRandom random(seed);
    size_t hits = 0;
    for (int round = 0; round < rounds; ++round)
    {
        const std::string pattern =
            pattern_from(column.at(random.next_u64() % column.size()), random);
        size_t begin = 0;
        size_t count = column.size();
        if (round % 3 == 0)
        {
            begin = random.next_u64() % count;
            count = random.next_u64() % (count - begin) + 1;
        }
        for (const Kind kind : {Kind::Like, Kind::NotLike, Kind::ILike, Kind::NotILike})
        {
            const bool fold = kind == Kind::ILike || kind == Kind::NotILike;
            const bool negated = kind == Kind::NotLike || kind == Kind::NotILike;
            std::vector<uint8_t> mask(count, 7);
            if (!page.evaluate({kind, {Value(pattern)}}, begin, count, mask.data()))
                continue;
            const LikePattern judge(pattern, fold);
            for (size_t i = 0; i < count; ++i)
            {
                ASSERT_EQ(mask[i], judge.matches(column.at(begin + i)) != negated)
                    << pattern << " on " << column.at(begin + i);
                hits += mask[i];
            }
            const auto counted = page.count_matching({kind, {Value(pattern)}}, begin, count);
            const size_t matching = std::accumulate(mask.begin(), mask.end(), size_t{0});
            ASSERT_EQ(counted.value_or(matching), matching) << pattern;
        }
        const std::string equal(column.at(random.next_u64() % column.size()));
        std::vector<uint8_t> mask(count, 7);
        ASSERT_TRUE(page.evaluate({Kind::In, {Value(equal), Value(pattern)}}, begin, count,
                                  mask.data()));
        for (size_t i = 0; i < count; ++i)
            ASSERT_EQ(mask[i], column.at(begin + i) == equal || column.at(begin + i) == pattern);
    }
    EXPECT_GT(hits, 0u);
}

TEST(TemplateLike, SaysWhatTheLinesSay)
{
    const auto type = type_from_name("String");
    const auto logs = lines_of(9000, 1, log_line);
    const OnePart part(type, "", 512, {logs});
    ASSERT_EQ(PageHead::read(part.pages[0]).encoding, PageEncoding::Templates);
    expect_likes(*part.open(0), column_as<StringColumn>(*logs), 2, 150);
}

TEST(TemplateLike, SaysWhatOddLinesSay)
{
    const auto type = type_from_name("String");
    for (uint64_t seed = 0; seed < 6; ++seed)
    {
        const auto mixed = lines_of(3000, seed,
                                    [](SeededRandom& random) {
                                        const uint64_t kind = random.next_u64() % 6;
                                        return kind < 2   ? log_line(random)
                                               : kind < 4 ? service_line(random)
                                                          : odd_line(random);
                                    });
        const OnePart part(type, "", 512, {mixed});
        if (PageHead::read(part.pages[0]).encoding == PageEncoding::Templates)
            expect_likes(*part.open(0), column_as<StringColumn>(*mixed), seed, 60);
    }
}

TEST(TemplateLike, SaysWhatRealLookingLinesSay)
{
    const auto type = type_from_name("String");
    for (const auto line : {nginx_line, syslog_line, json_line, service_line})
    {
        const auto logs = lines_of(6000, 5, line);
        const OnePart part(type, "", 512, {logs});
        ASSERT_EQ(PageHead::read(part.pages[0]).encoding, PageEncoding::Templates);
        const auto page = part.open(0);
        const auto& column = column_as<StringColumn>(*logs);
        expect_likes(*page, column, 6, 80);
        for (const size_t bytes : {1, 7, 20, 60, 1000})
        {
            const ColumnPtr prefix = to_flat(page->decode_prefix(100, 5000, bytes));
            ASSERT_EQ(prefix->size(), 5000u);
            for (size_t i = 0; i < prefix->size(); ++i)
                ASSERT_EQ(column_as<StringColumn>(*prefix).at(i).substr(0, bytes),
                          column.at(100 + i).substr(0, bytes));
        }
    }
}

// Every needle of some lengths of some lines, so that it falls on texts, slots and their borders.
TEST(TemplateLike, FindsNeedlesWhereverTheyStand)
{
    const auto type = type_from_name("String");
    for (const auto line : {nginx_line, syslog_line, json_line, log_line, service_line})
    {
        const auto logs = lines_of(2000, 8, line);
        const auto& column = column_as<StringColumn>(*logs);
        const OnePart part(type, "", 512, {logs});
        ASSERT_EQ(PageHead::read(part.pages[0]).encoding, PageEncoding::Templates);
        const auto page = part.open(0);
        std::vector<uint8_t> mask(column.size());
        for (size_t row = 0; row < 3; ++row)
            for (const size_t size : {1, 3, 9, 25, 70})
                for (size_t at = 0; at + size <= column.at(row).size(); at += 1 + size / 4)
                {
                    const std::string_view needle = column.at(row).substr(at, size);
                    const PagePredicate like{Kind::Like, {Value("%" + escaped(needle) + "%")}};
                    ASSERT_TRUE(page->evaluate(like, 0, column.size(), mask.data()));
                    size_t hits = 0;
                    for (size_t i = 0; i < column.size(); ++i)
                    {
                        const bool holds = column.at(i).find(needle) != std::string_view::npos;
                        ASSERT_EQ(mask[i], holds) << needle << " in " << column.at(i);
                        hits += holds;
                    }
                    const auto counted = page->count_matching(like, 0, column.size());
                    ASSERT_EQ(counted.value_or(hits), hits) << needle;
                }
    }
}

TEST(TemplateLike, LooksAtColumnsBesideIt)
{
    const Header header = {{"message", type_from_name("String")},
                           {"trace_id", type_from_name("String")},
                           {"duration", type_from_name("Float32")}};
    SeededRandom random(9);
    auto message = std::make_shared<StringColumn>();
    auto trace = std::make_shared<StringColumn>();
    auto duration = std::make_shared<VectorColumn<float>>();
    for (size_t i = 0; i < 9000; ++i)
    {
        const uint64_t tenths = random.next_u64() % 3000;
        std::string text = std::to_string(tenths / 10);
        if (tenths % 10)
            text += "." + std::to_string(tenths % 10);
        trace->append(hex_digits(random, 32));
        duration->data().push_back(static_cast<float>(static_cast<double>(tenths) / 10));
        message->append((random.next_u64() % 4 ? "GET /a in " : "POST /b took ") + text +
                        "ms trace_id=" + std::string(trace->at(i)));
    }
    auto encoder = make_part_encoder(header, std::vector<ColumnEncodingOptions>(3), 8192);
    const auto pages = encoder->encode(Block({{message, header[0].type, "message"},
                                              {trace, header[1].type, "trace_id"},
                                              {duration, header[2].type, "duration"}}));
    const auto decoder = make_part_decoder(header, encoder->finish(), 8192);
    std::vector<EncodedPagePtr> siblings;
    for (const size_t column : decoder->siblings(0))
        siblings.push_back(decoder->open_page(column, {pages[column].bytes, nullptr}, {}));
    ASSERT_EQ(siblings.size(), 2u);
    const auto page = decoder->open_page(0, {pages[0].bytes, nullptr}, siblings);
    expect_likes(*page, *message, 4, 200);
    std::vector<uint8_t> mask(message->size());
    for (size_t size = 1; size < 50; ++size)
    {
        const std::string_view line = message->at(size);
        const std::string needle(line.substr(line.size() - std::min(line.size(), 20 + size), size));
        ASSERT_TRUE(page->evaluate({Kind::Like, {Value("%" + needle + "%")}}, 0, mask.size(),
                                   mask.data()));
        for (size_t i = 0; i < mask.size(); ++i)
            ASSERT_EQ(mask[i], message->at(i).find(needle) != std::string_view::npos) << needle;
    }
}

} // namespace
} // namespace basalt
