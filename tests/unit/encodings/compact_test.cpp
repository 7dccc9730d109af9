#include "base/clock.h"
#include "columns/row_gatherer.h"
#include "encodings/compact_pages.h"
#include "encodings/hex_column.h"
#include "encodings/text_compactor.h"
#include "tests/unit/encodings/template_lines.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

Header header_of_test()
{
    return {{"duration", type_from_name("Float32")},
            {"message", type_from_name("String")},
            {"trace", type_from_name("String")},
            {"pod", type_from_name("String")},
            {"noise", type_from_name("String")}};
}

// Lines that hold the trace and the duration of their row, and others.
Block rows_of_test(SeededRandom& random, size_t rows, unsigned odd)
{
    auto duration = std::make_shared<VectorColumn<float>>();
    auto message = std::make_shared<StringColumn>();
    auto trace = std::make_shared<StringColumn>();
    auto pod = std::make_shared<StringColumn>();
    auto noise = std::make_shared<StringColumn>();
    for (size_t i = 0; i < rows; ++i)
    {
        const uint64_t x = random.next_u64();
        const uint64_t tenths = x % 5000;
        duration->data().push_back(static_cast<float>(tenths) / 10.0F);
        trace->append(hex_digits(random, 32));
        pod->append("pod-" + std::to_string(x % 7));
        std::string number = std::to_string(tenths / 10);
        if (tenths % 10)
            number += "." + std::to_string(tenths % 10);
        if (odd && x % odd == 0)
            message->append(i % 3 ? log_line(random) : std::string("00.0 -0 ") + number);
        else if (x % 11 == 0)
            message->append("upstream timeout after " + std::to_string(x % 30000) + "ms trace=" +
                            std::string(trace->at(i)));
        else
            message->append("GET /api/" + std::to_string(x % 4) + " took " + number +
                            "ms trace=" + std::string(trace->at(i)));
        std::string bytes;
        for (size_t k = 0; k < x % 9; ++k)
            bytes.push_back(static_cast<char>(random.next_u64()));
        noise->append(bytes);
    }
    const Header header = header_of_test();
    return Block({{duration, header[0].type, "duration"},
                  {message, header[1].type, "message"},
                  {trace, header[2].type, "trace"},
                  {pod, header[3].type, "pod"},
                  {noise, header[4].type, "noise"}});
}

// A part of several pages, and what it must give back.
struct Part
{
    std::vector<Block> expected;
    std::vector<std::vector<std::string>> pages; // by page, column
    std::vector<std::vector<EncodedColumnPage>> facts;
    std::shared_ptr<const PartDecoder> decoder;
    std::unique_ptr<PartEncoder> encoder;

    Part()
        : encoder(make_part_encoder(header_of_test(), std::vector<ColumnEncodingOptions>(5), 8192))
    {
    }
    void add(const Block& rows, const Block& values)
    {
        auto encoded = encoder->encode(rows);
        auto& bytes = pages.emplace_back();
        for (auto& one : encoded)
            bytes.push_back(one.bytes);
        facts.push_back(std::move(encoded));
        expected.push_back(values);
    }
    void finish() { decoder = make_part_decoder(header_of_test(), encoder->finish(), 8192); }
    EncodedPagePtr open(size_t page, size_t column) const
    {
        std::vector<EncodedPagePtr> siblings;
        for (const size_t sibling : decoder->siblings(column))
            siblings.push_back(open(page, sibling));
        return decoder->open_page(column, {pages[page][column], nullptr}, siblings);
    }
    void check() const
    {
        for (size_t page = 0; page < pages.size(); ++page)
            for (size_t column = 0; column < 5; ++column)
            {
                const ColumnPtr read =
                    to_flat(open(page, column)->decode(0, expected[page].rows()));
                const ColumnPtr wanted = to_flat(expected[page][column].column);
                ASSERT_EQ(read->size(), wanted->size());
                for (size_t row = 0; row < wanted->size(); ++row)
                {
                    ASSERT_EQ(read->value_at(row), wanted->value_at(row))
                        << page << " " << column << " " << row;
                    const PageStatistics& facts_of = facts[page][column].statistics;
                    if (column && facts_of.min)
                    {
                        ASSERT_LE(facts_of.min->get<std::string>(),
                                  wanted->value_at(row).get<std::string>());
                        ASSERT_GE(facts_of.max->get<std::string>(),
                                  wanted->value_at(row).get<std::string>());
                    }
                }
            }
    }
};

RowRefs shuffled(SeededRandom& random, size_t blocks, size_t rows)
{
    RowRefs refs;
    for (uint32_t b = 0; b < blocks; ++b)
        for (uint32_t row = 0; row < rows; ++row)
            refs.push_back({b, row});
    for (size_t i = refs.size(); i > 1; --i)
        std::swap(refs[i - 1], refs[random.next_u64() % i]);
    return refs;
}

class CompactTest : public testing::TestWithParam<unsigned>
{
};

TEST_P(CompactTest, KeepsRowsThroughInsertAndMerge)
{
    SeededRandom random(GetParam() + 1);
    constexpr size_t kBlocks = 3, kRows = 9000;
    TextCompactor compactor(header_of_test(), {true, true, true, true, true});
    std::vector<Block> values, compact;
    for (size_t i = 0; i < kBlocks; ++i)
    {
        // The second has decimals of another scale in its lines; the last is not compacted.
        values.push_back(rows_of_test(random, kRows, i == 1 ? 2 : GetParam()));
        compact.push_back(i + 1 < kBlocks ? compactor.compact(values[i]) : values[i]);
    }
    EXPECT_TRUE(is_compact(*compact[0][1].column));
    EXPECT_TRUE(is_compact(*compact[0][2].column));
    EXPECT_EQ(compact[0][3].column->form(), ColumnForm::Dictionary);
    EXPECT_FALSE(is_compact(*compact[0][4].column));

    // As a bulk insert: gathered, and written page by page.
    const RowRefs refs = shuffled(random, kBlocks, kRows);
    const RowGatherer from(compact), wanted(values);
    Part parts[2];
    constexpr size_t kPage = 12000;
    for (size_t begin = 0; begin < refs.size(); begin += kPage)
    {
        const size_t count = std::min(kPage, refs.size() - begin);
        parts[begin / kPage % 2].add(from.take(refs.data() + begin, count),
                                     wanted.take(refs.data() + begin, count));
    }
    for (auto& part : parts)
    {
        part.finish();
        part.check();
    }

    // As a merge: pages read compact in pieces, gathered, written again.
    std::vector<TemplateListPtr> lists(5);
    for (auto& list : lists)
        list = make_template_list();
    std::vector<Block> pieces, piece_values;
    for (const auto& part : parts)
        for (size_t column = 0; column < 5; ++column)
        {
            CompactPages pages(lists[column]);
            size_t piece = &part == &parts[0] ? 0 : 4;
            for (size_t page = 0; page < part.pages.size(); ++page)
            {
                const size_t rows = part.expected[page].rows();
                const EncodedPagePtr opened = part.open(page, column);
                for (const size_t begin : {size_t{0}, size_t{1000}})
                {
                    const size_t count = begin ? rows - begin : 1000;
                    if (pieces.size() <= piece)
                    {
                        pieces.emplace_back();
                        piece_values.push_back(part.expected[page].slice(begin, count));
                    }
                    const NamedType type = header_of_test()[column];
                    pieces[piece].add({pages.decode(*opened, begin, count), type.type, type.name});
                    ++piece;
                }
            }
        }
    EXPECT_TRUE(is_compact(*pieces[0][1].column));
    RowRefs all;
    for (uint32_t row = 0; row < 11000; ++row)
        for (uint32_t piece = 0; piece < pieces.size(); ++piece)
            if (row < pieces[piece].rows())
                all.push_back({piece, row});
    const RowGatherer merged(pieces), merged_values(piece_values);
    Part result;
    result.add(merged.take(all.data(), all.size()), merged_values.take(all.data(), all.size()));
    result.finish();
    result.check();
    // Sizes are those of the texts.
    Part plain;
    plain.add(merged_values.take(all.data(), all.size()), Block());
    for (size_t column = 0; column < 5; ++column)
        EXPECT_EQ(plain.facts[0][column].uncompressed_bytes,
                  result.facts[0][column].uncompressed_bytes);
}

INSTANTIATE_TEST_SUITE_P(Oddities, CompactTest, testing::Values(0u, 3u, 20u, 500u));

TEST(HexColumn, GivesTextsBack)
{
    SeededRandom random(5);
    auto texts = std::make_shared<StringColumn>();
    for (size_t i = 0; i < 300; ++i)
        texts->append(hex_digits(random, 16));
    const auto digits = HexColumn::of(*texts);
    ASSERT_TRUE(digits);
    const ColumnPtr part = digits->slice(7, 100)->to_flat();
    for (size_t i = 0; i < 100; ++i)
        EXPECT_EQ(column_as<StringColumn>(*part).at(i), texts->at(i + 7));
    // With texts of another form all become texts.
    auto others = std::make_shared<StringColumn>();
    others->append("no digits");
    Columns columns = {digits, others};
    unify_compact(columns);
    EXPECT_EQ(columns[0]->form(), ColumnForm::String);
    texts->append("0123456789abcdeF");
    EXPECT_FALSE(HexColumn::of(*texts));
}

} // namespace
} // namespace basalt
