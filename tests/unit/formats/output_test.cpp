#include "formats/format.h"
#include "formats/native.h"
#include "tests/unit/formats/output_expectations.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

FormatOptions options_of(std::string_view list)
{
    Settings settings;
    while (!list.empty())
    {
        const size_t end = std::min(list.find("; "), list.size());
        const std::string_view pair = list.substr(0, end);
        const size_t equals = pair.find('=');
        settings.set(pair.substr(0, equals), pair.substr(equals + 1));
        list.remove_prefix(std::min(end + 2, list.size()));
    }
    settings.set("output_format_write_statistics", "0");
    return FormatOptions::from(settings, "UTC");
}

std::string formatted(std::string_view format, const std::vector<Block>& blocks,
                      const Header& header, const FormatOptions& options,
                      const Block& totals = {}, const Block& extremes = {})
{
    std::string text;
    StringOutputBuffer out(text);
    const auto output = formats().get_output(format).output(out, options);
    output->begin(header);
    for (const Block& block : blocks)
        output->write(block);
    if (totals.rows())
        output->totals(totals);
    if (extremes.rows())
        output->extremes(extremes);
    output->finish({});
    out.finish();
    return text;
}

void check(const std::vector<OutputExpectation>& list)
{
    for (const OutputExpectation& expectation : list)
    {
        std::vector<Block> blocks;
        MemoryInputBuffer in(expectation.native.view);
        while (auto block = read_native_block(in))
            blocks.push_back(std::move(*block));
        ASSERT_FALSE(blocks.empty());
        const FormatOptions options = options_of(expectation.settings.view);
        const Header header = blocks[0].header();
        for (const auto& c : expectation.cases)
        {
            SCOPED_TRACE(c.format.view);
            EXPECT_EQ(formatted(c.format.view, blocks, header, options), c.text.view);
            // The same with every row in a block of its own.
            std::vector<Block> rows;
            for (const Block& block : blocks)
                for (size_t row = 0; row < block.rows(); ++row)
                    rows.push_back(block.slice(row, 1));
            EXPECT_EQ(formatted(c.format.view, rows, header, options), c.text.view);
        }
        EXPECT_EQ(formatted("Native", blocks, header, options), expectation.native.view);
    }
}

TEST(Output, EveryTypeInEveryFormat) { check(output_expectations_1()); }
TEST(Output, EscapesInEveryFormat) { check(output_expectations_2()); }
TEST(Output, ForPeople) { check(output_expectations_3()); }
TEST(Output, Settings) { check(output_expectations_4()); }

NamedColumn numbers(const char* name, std::initializer_list<uint64_t> values)
{
    const auto column = std::make_shared<VectorColumn<uint64_t>>();
    for (const uint64_t value : values)
        column->data().push_back(value);
    return {column, simple_type(TypeId::UInt64), name};
}

TEST(Output, TotalsAndExtremes)
{
    const Block rows({numbers("k", {0, 1}), numbers("c", {2, 2})});
    const Block totals({numbers("k", {0}), numbers("c", {4})});
    const Block extremes({numbers("k", {0, 1}), numbers("c", {2, 2})});
    const FormatOptions options = options_of("");
    const auto text = [&](const char* format)
    { return formatted(format, {rows}, rows.header(), options, totals, extremes); };
    EXPECT_EQ(text("TSV"), "0\t2\n1\t2\n\n0\t4\n\n0\t2\n1\t2\n");
    EXPECT_EQ(text("CSV"), "0,2\n1,2\n\n0,4\n\n0,2\n1,2\n");
    EXPECT_EQ(text("Values"), "(0,2),(1,2)");
    EXPECT_EQ(text("PrettyCompact"), "   ┌─k─┬─c─┐\n"
                                     "1. │ 0 │ 2 │\n"
                                     "2. │ 1 │ 2 │\n"
                                     "   └───┴───┘\n"
                                     "\nTotals:\n"
                                     "   ┌─k─┬─c─┐\n"
                                     "1. │ 0 │ 4 │\n"
                                     "   └───┴───┘\n"
                                     "\nExtremes:\n"
                                     "   ┌─k─┬─c─┐\n"
                                     "1. │ 0 │ 2 │\n"
                                     "2. │ 1 │ 2 │\n"
                                     "   └───┴───┘\n");
    EXPECT_EQ(text("Vertical"), "Row 1:\n──────\nk: 0\nc: 2\n\nRow 2:\n──────\nk: 1\nc: 2\n"
                                "\n\nTotals:\n───────\nk: 0\nc: 4\n"
                                "\nMin:\n────\nk: 0\nc: 2\n"
                                "\nMax:\n────\nk: 1\nc: 2\n");
    const std::string json = text("JSON");
    EXPECT_NE(json.find("\t],\n\n\t\"totals\":\n\t{\n\t\t\"k\": 0,\n\t\t\"c\": 4\n\t},\n\n"
                        "\t\"extremes\":\n\t{\n\t\t\"min\":\n\t\t{\n\t\t\t\"k\": 0,\n"
                        "\t\t\t\"c\": 2\n\t\t},\n\t\t\"max\":\n\t\t{\n\t\t\t\"k\": 1,\n"
                        "\t\t\t\"c\": 2\n\t\t}\n\t},\n\n\t\"rows\": 2\n}\n"),
              std::string::npos)
        << json;
    EXPECT_NE(text("JSONCompact")
                  .find("\t\"totals\": [0, 4],\n\n\t\"extremes\":\n\t{\n\t\t\"min\": [0, 2],\n"
                        "\t\t\"max\": [1, 2]\n\t},\n\n\t\"rows\": 2\n}\n"),
              std::string::npos);
    EXPECT_NE(text("XML").find("\t</data>\n\t<totals>\n\t\t<k>0</k>\n\t\t<c>4</c>\n\t</totals>\n"
                               "\t<extremes>\n\t\t<min>\n\t\t\t<k>0</k>\n\t\t\t<c>2</c>\n\t\t</min>\n"),
              std::string::npos);
    EXPECT_EQ(text("JSONEachRow"), "{\"k\":0,\"c\":2}\n{\"k\":1,\"c\":2}\n");
}

TEST(Output, WithoutRows)
{
    const Header header{{"number", simple_type(TypeId::UInt64)}};
    const FormatOptions options = options_of("");
    const auto text = [&](const char* format) { return formatted(format, {}, header, options); };
    for (const char* format : {"PrettyCompact", "Pretty", "PrettySpace", "Vertical", "Values",
                               "JSONEachRow", "TSV", "CSV", "Native", "RowBinary", "Null"})
        EXPECT_EQ(text(format), "") << format;
    EXPECT_EQ(text("TSVWithNames"), "number\n");
    EXPECT_EQ(text("CSVWithNames"), "\"number\"\n");
    EXPECT_EQ(text("JSONColumns"), "{\n\t\"number\": []\n}\n");
    EXPECT_EQ(text("JSONCompactColumns"), "[\n\n]\n");
    EXPECT_EQ(text("JSONObjectEachRow"), "{\n\n}\n");
    EXPECT_EQ(text("Markdown"), "| number |\n|-:|\n");
    EXPECT_EQ(text("SQLInsert"), ";\n");
    EXPECT_EQ(text("RowBinaryWithNamesAndTypes"), "\x01\x06number\x06UInt64");
    EXPECT_EQ(text("JSON"), "{\n\t\"meta\":\n\t[\n\t\t{\n\t\t\t\"name\": \"number\",\n"
                            "\t\t\t\"type\": \"UInt64\"\n\t\t}\n\t],\n\n\t\"data\":\n\t[\n\n\t],\n\n"
                            "\t\"rows\": 0\n}\n");
    EXPECT_EQ(text("JSONColumnsWithMetadata"),
              "{\n\t\"meta\":\n\t[\n\t\t{\n\t\t\t\"name\": \"number\",\n"
              "\t\t\t\"type\": \"UInt64\"\n\t\t}\n\t],\n\n\t\"data\":\n\t{\n\n\t},\n\n"
              "\t\"rows\": 0\n}\n");
}

TEST(Output, StatisticsAndLimit)
{
    const Block rows({numbers("k", {7})});
    std::string text;
    StringOutputBuffer out(text);
    const FormatOptions options = FormatOptions::from(Settings(), "UTC");
    const auto output = formats().get_output("JSONCompact").output(out, options);
    output->begin(rows.header());
    output->write(rows);
    ResultStatistics statistics;
    statistics.elapsed_s = 0.25;
    statistics.rows_read = 10;
    statistics.bytes_read = 80;
    statistics.rows_before_limit = 5;
    output->finish(statistics);
    out.finish();
    EXPECT_TRUE(text.ends_with(
        "\t\"rows\": 1,\n\n\t\"rows_before_limit_at_least\": 5,\n\n\t\"statistics\":\n\t{\n"
        "\t\t\"elapsed\": 0.25,\n\t\t\"rows_read\": 10,\n\t\t\"bytes_read\": 80\n\t}\n}\n"))
        << text;
}

TEST(Output, PrettyShowsFirstAndLastRowsOfManyBlocks)
{
    const Header header{{"n", simple_type(TypeId::UInt64)}};
    std::vector<Block> blocks;
    for (uint64_t i = 0; i < 300; ++i)
        blocks.push_back(Block({numbers("n", {i * 10, i * 10 + 1, i * 10 + 2, i * 10 + 3,
                                              i * 10 + 4, i * 10 + 5, i * 10 + 6, i * 10 + 7,
                                              i * 10 + 8, i * 10 + 9})}));
    const std::string text = formatted("PrettyCompact", blocks, header, options_of(""));
    EXPECT_NE(text.find(" 500. │  499 │\n      ─ ─ ─ ─ \n2501. │ 2500 │\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("3000. │ 2999 │\n      └────n─┘\nShowed 1000 out of 3000 rows.\n"));
}

TEST(Output, DictionaryAndConstantColumns)
{
    const TypePtr text_type = simple_type(TypeId::String);
    const auto words = std::make_shared<StringColumn>();
    words->append("a");
    words->append("b");
    const Block block(
        {{std::make_shared<DictionaryColumn>(words, PodVector<uint32_t>{1, 0, 1}), text_type, "d"},
         {make_constant(text_type, Value(std::string("c")), 3), text_type, "c"}});
    const FormatOptions options = options_of("");
    EXPECT_EQ(formatted("TSV", {block}, block.header(), options), "b\tc\na\tc\nb\tc\n");
    std::string native;
    StringOutputBuffer out(native);
    write_native_block(block, out);
    out.finish();
    MemoryInputBuffer in(native);
    const auto back = read_native_block(in);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(formatted("TSV", {*back}, block.header(), options), "b\tc\na\tc\nb\tc\n");
}

TEST(Native, ProtocolRevisions)
{
    const Block block({{make_constant(type_from_name("DateTime('Asia/Tokyo')"), uint64_t{5}, 2),
                        type_from_name("DateTime('Asia/Tokyo')"), "t"}});
    for (const uint64_t revision : {uint64_t{0}, uint64_t{54337}, uint64_t{54460}})
    {
        std::string bytes;
        StringOutputBuffer out(bytes);
        write_native_block(block, out, revision);
        out.finish();
        MemoryInputBuffer in(bytes);
        const auto back = read_native_block(in, revision);
        ASSERT_TRUE(back.has_value());
        EXPECT_TRUE(in.eof());
        EXPECT_EQ(back->rows(), 2u);
        EXPECT_EQ((*back)[0].type->name(), revision ? "DateTime('Asia/Tokyo')" : "DateTime");
        for (size_t size = 1; size < bytes.size(); ++size)
        {
            MemoryInputBuffer cut(std::string_view(bytes).substr(0, size));
            EXPECT_THROW(read_native_block(cut, revision), Error);
        }
    }
}

TEST(Registry, NamesInAnyCase)
{
    EXPECT_NE(formats().find("jsoneachrow"), nullptr);
    EXPECT_EQ(formats().find("NoSuch"), nullptr);
    EXPECT_THROW(formats().get_output("NoSuch"), Error);
    EXPECT_THROW(formats().get_input("Pretty"), Error);
    EXPECT_THROW(formats().get_output("JSONAsString"), Error);
    EXPECT_GT(formats().entries().size(), 60u);
}

} // namespace
} // namespace basalt
