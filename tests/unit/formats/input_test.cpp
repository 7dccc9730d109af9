#include "formats/format.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

Header header_of(const std::string& structure)
{
    const TypePtr type = type_from_name("Tuple(" + structure + ")");
    const auto& tuple = type_as<TupleType>(type);
    Header header;
    for (size_t i = 0; i < tuple.elements().size(); ++i)
        header.push_back({tuple.names()[i], tuple.elements()[i]});
    return header;
}

FormatOptions options_of(std::initializer_list<std::pair<const char*, const char*>> changes)
{
    Settings settings;
    for (const auto& [name, value] : changes)
        settings.set(name, value);
    return FormatOptions::from(settings, "UTC");
}

using Changes = std::initializer_list<std::pair<const char*, const char*>>;

std::string read_pieces(const char* format, const std::string& structure, std::string_view data,
                        const FormatOptions& options, size_t piece, size_t block_rows)
{
    const Header header = header_of(structure);
    std::string text;
    StringOutputBuffer out(text);
    size_t at = 0;
    CallbackInputBuffer in(
        [&](char* to, size_t size)
        {
            const size_t n = std::min({size, piece, data.size() - at});
            std::memcpy(to, data.data() + at, n);
            at += n;
            return n;
        },
        16);
    try
    {
        const auto input = formats().get_input(format).input(in, {header, options, {}});
        const auto output = formats().get_output("TSV").output(out, options);
        output->begin(header);
        for (;;)
        {
            const InputBlock read = input->read(block_rows);
            EXPECT_EQ(read.block.width(), header.size());
            for (size_t i = 0; i < read.omitted.size(); ++i)
            {
                EXPECT_TRUE(read.omitted[i].empty() ||
                            read.omitted[i].size() == read.block.rows());
            }
            if (read.block.rows() == 0)
                break;
            output->write(read.block);
            // What was omitted is told after the rows of a block.
            std::string marks;
            for (size_t row = 0; row < read.block.rows(); ++row)
                for (size_t i = 0; i < read.omitted.size(); ++i)
                    if (!read.omitted[i].empty() && read.omitted[i][row])
                        marks += header[i].name;
            if (!marks.empty())
                out.write("~" + marks + "\n");
        }
        output->finish({});
    }
    catch (const Error& error)
    {
        out.finish();
        return text + "Code: " + std::to_string(error.code());
    }
    out.finish();
    return text;
}

// The rows as TSV, after each row "~" and the columns that it omitted. Read in several ways, which
// must agree.
std::string read(const char* format, const std::string& structure, std::string_view data,
                 Changes changes = {})
{
    const FormatOptions options = options_of(changes);
    const std::string whole = read_pieces(format, structure, data, options, SIZE_MAX, 1);
    for (const size_t piece : {1, 3, 7})
        EXPECT_EQ(read_pieces(format, structure, data, options, piece, 1), whole)
            << format << " in pieces of " << piece;
    return whole;
}

constexpr const char* kTwo = "a UInt8, b String";

TEST(TabSeparatedInput, Rows)
{
    EXPECT_EQ(read("TSV", kTwo, "1\tx\n2\ty\n"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\n2\ty"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("TSV", kTwo, ""), "");
    EXPECT_EQ(read("TSV", "a Array(UInt8), b Map(String,UInt8), c Tuple(UInt8,String)",
                   "[1,2]\t{'a':1}\t(1,'x')\n"),
              "[1,2]\t{'a':1}\t(1,'x')\n");
    EXPECT_EQ(read("TSV", "a String", "a\\tb\\nc\\\\\na\\\nb\n"), "a\\tb\\nc\\\\\na\\nb\n");
    EXPECT_EQ(read("TSV", "a UInt8, b Nullable(String)", "\\N\t\\N\n"), "0\t\\N\n~a\n");
    EXPECT_EQ(read("TSV", "a Date, b String", "\t\n", {{"input_format_tsv_empty_as_default", "1"}}),
              "1970-01-01\t\n~ab\n");
}

TEST(TabSeparatedInput, BadRows)
{
    EXPECT_EQ(read("TSV", kTwo, "1\tx\n2\n"), "1\tx\nCode: 27");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\tz\n"), "Code: 27");
    EXPECT_EQ(read("TSV", kTwo, "q\tx\n"), "Code: 27");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\r\n2\ty\r\n"), "Code: 117");
    EXPECT_EQ(read("TSV", kTwo, "\n"), "Code: 27");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\r\n2\ty\r\n", {{"input_format_tsv_crlf_end_of_line", "1"}}),
              "1\tx\n2\ty\n");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\n\n\n", {{"input_format_tsv_skip_trailing_empty_lines", "1"}}),
              "1\tx\n");
    EXPECT_EQ(read("TSV", kTwo, "skip me\n1\tx\n", {{"input_format_tsv_skip_first_lines", "1"}}),
              "1\tx\n");
    EXPECT_EQ(read("TSV", kTwo, "1\n2\ty\n3\tz\tw\n",
                   {{"input_format_tsv_allow_variable_number_of_columns", "1"}}),
              "1\t\n~b\n2\ty\n3\tz\n");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\nq\ty\n3\tz\n", {{"input_format_allow_errors_num", "1"}}),
              "1\tx\n3\tz\n");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\nq\ty\nq\tz\n", {{"input_format_allow_errors_num", "1"}}),
              "1\tx\nCode: 27");
    EXPECT_EQ(read("TSV", kTwo, "1\tx\nq\ty\n3\tz\n4\tw\n",
                   {{"input_format_allow_errors_ratio", "0.5"}}),
              "1\tx\n3\tz\n4\tw\n");
}

TEST(TabSeparatedInput, ErrorNamesRowColumnTypeAndText)
{
    const Header header = header_of(kTwo);
    MemoryInputBuffer in("1\tx\nq1\ty\n");
    const auto input = formats().get_input("TSV").input(in, {header, options_of({}), {}});
    EXPECT_EQ(input->read(1).block.rows(), 1u);
    try
    {
        input->read(1);
        FAIL();
    }
    catch (const Error& error)
    {
        EXPECT_EQ(error.code(), 27);
        EXPECT_EQ(error.message(),
                  "Cannot parse input: expected '\\t' before: 'q1\\ty\\n': (at row 2): while reading "
                  "column a of type UInt8, its text begins with 'q1\\ty\\n'");
    }
}

TEST(TabSeparatedInput, Headers)
{
    EXPECT_EQ(read("TSV", kTwo, "b\ta\nx\t1\n"), "1\tx\n");
    EXPECT_EQ(read("TSV", kTwo, "b\ta\nString\tUInt8\nx\t1\n"), "1\tx\n");
    EXPECT_EQ(read("TSV", kTwo, "b\nx\n"), "0\tx\n~a\n");
    EXPECT_EQ(read("TSV", kTwo, "b\ta\nx\t1\n", {{"input_format_tsv_detect_header", "0"}}),
              "Code: 27");
    EXPECT_EQ(read("TSV", "timestamp String, value_of_it UInt8", "timestamp\t1\n"),
              "timestamp\t1\n");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\ta\nx\t1\n"), "1\tx\n");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\tc\nx\t1\n"), "0\tx\n~a\n");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\tc\nx\t1\n", {{"input_format_skip_unknown_fields", "0"}}),
              "Code: 117");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\tb\nx\t1\n"), "Code: 117");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\ta\n1\tx\n",
                   {{"input_format_with_names_use_header", "0"}}),
              "1\tx\n");
    EXPECT_EQ(read("TSVWithNames", kTwo, "b\ta\n"), "");
    EXPECT_EQ(read("TSVWithNamesAndTypes", kTwo, "b\ta\nString\tUInt8\nx\t1\n"), "1\tx\n");
    EXPECT_EQ(read("TSVWithNamesAndTypes", kTwo, "b\ta\nString\tUInt16\nx\t1\n"), "Code: 117");
}

TEST(RawInput, NothingIsEscaped)
{
    EXPECT_EQ(read("TSVRaw", "a String, b String", "a\\tb\tc\n"), "a\\\\tb\tc\n");
    EXPECT_EQ(read("TSVRaw", "a UInt8, b Array(UInt8)", "1\t[1,2]\n"), "1\t[1,2]\n");
    EXPECT_EQ(read("TSVRaw", kTwo, "1x\ta\n"), "Code: 632");
    EXPECT_EQ(read("TSVRaw", "a Nullable(UInt8), b String", "\\N\ta\n"), "\\N\ta\n");
}

TEST(CsvInput, Rows)
{
    EXPECT_EQ(read("CSV", kTwo, "1,x\n2,\"y,z\"\n"), "1\tx\n2\ty,z\n");
    EXPECT_EQ(read("CSV", kTwo, "1,\"a\"\"b\nc\"\r\n2,y\r\n"), "1\ta\"b\\nc\n2\ty\n");
    EXPECT_EQ(read("CSV", kTwo, "1,x"), "1\tx\n");
    EXPECT_EQ(read("CSV", kTwo, "1\n"), "Code: 27");
    EXPECT_EQ(read("CSV", kTwo, "1,x,2\n"), "Code: 117");
    EXPECT_EQ(read("CSV", kTwo, "1,\n,x\n"), "1\t\n~b\n0\tx\n~a\n");
    EXPECT_EQ(read("CSV", "a Nullable(UInt8), b Nullable(String)", ",\n"), "\\N\t\\N\n");
    EXPECT_EQ(read("CSV", "a Nullable(String), b String", "\"\",\"\"\n"), "\t\n");
    EXPECT_EQ(read("CSV", kTwo, " 1 , x \n 2 , \" y \" \n"), "1\tx\n2\t y \n");
    EXPECT_EQ(read("CSV", kTwo, "1;x\n", {{"format_csv_delimiter", ";"}}), "1\tx\n");
    EXPECT_EQ(read("CSV", kTwo, "1,'x,y'\n", {{"format_csv_allow_single_quotes", "1"}}),
              "1\tx,y\n");
    EXPECT_EQ(read("CSV", "a UInt8, b Nullable(String)", "1,nil\n",
                   {{"format_csv_null_representation", "nil"}}),
              "1\t\\N\n");
    EXPECT_EQ(read("CSV", kTwo, "\"b\",\"a\"\nx,1\n"), "1\tx\n");
    EXPECT_EQ(read("CSVWithNames", kTwo, "b,q\nx,1\n"), "0\tx\n~a\n");
    EXPECT_EQ(read("CSV", "a Tuple(UInt8,UInt8), b String", "1,2,x\n"), "(1,2)\tx\n");
    EXPECT_EQ(read("CSV", kTwo, "\\N,x\n"), "0\tx\n~a\n");
    EXPECT_EQ(read("CSV", kTwo, "\xEF\xBB\xBF" "1,x\n"), "1\tx\n");
    EXPECT_EQ(read("CSV", kTwo, "q,x\n2,y\n", {{"input_format_allow_errors_num", "1"}}), "2\ty\n");
}

TEST(JsonEachRowInput, Rows)
{
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\",\"a\":2}\n"),
              "1\tx\n2\ty\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "[{\"a\":1,\"b\":\"x\"},\n{\"b\":\"y\",\"a\":2}]\n"),
              "1\tx\n2\ty\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1}{\"b\":\"y\"},{\"a\":3,\"b\":null}"),
              "1\t\n~b\n0\ty\n~a\n3\t\n~b\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"c\":{\"d\":[1,2,{\"e\":\"}\"}]}}"),
              "1\t\n~b\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\" : 1 , \"b\" : \"x\" } \n\n"), "1\tx\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{}"), "0\t\n~ab\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, ""), "");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":\"5\",\"b\":5}\n{\"a\":true,\"b\":true}\n"),
              "5\t5\n1\ttrue\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"b\":\"\\u00e9\\ud83d\\ude00\"}"),
              "1\té😀\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"\\u0061\":1,\"b\":\"x\"}"), "1\tx\n");
    EXPECT_EQ(read("JSONEachRow", "a Array(UInt8), b Map(String,UInt8), d DateTime64(3)",
                   "{\"a\":[1,2],\"b\":{\"c\":1},\"d\":\"2024-01-01 00:00:00.5\"}"),
              "[1,2]\t{'c':1}\t2024-01-01 00:00:00.500\n");
    EXPECT_EQ(read("JSONEachRow", "a Float64", "{\"a\":null}", {{"input_format_null_as_default", "0"}}),
              "nan\n");
}

TEST(JsonEachRowInput, BadRows)
{
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"c\":2}", {{"input_format_skip_unknown_fields", "0"}}),
              "Code: 117");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"a\":2,\"b\":\"z\"}"), "Code: 117");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"b\":\"z\",\"a\":2}"), "1\tz\n");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,\"b\":\"z\",\"a\":2}",
                   {{"input_format_json_ignore_unnecessary_fields", "0"}}),
              "Code: 117");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1,}"), "Code: 26");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1"), "Code: 33");
    EXPECT_EQ(read("JSONEachRow", kTwo, "{\"a\":1\n{\"a\":2}"), "Code: 27");
    EXPECT_EQ(read("JSONEachRow", kTwo, "x"), "Code: 27");
    EXPECT_EQ(read("JSONEachRow", kTwo,
                   "{\"a\":1,\"b\":\"x\"}\n{\"a\":\"q\",\"b\":\"y\"}\n{\"a\":3,\"b\":\"z\"}\n",
                   {{"input_format_allow_errors_num", "1"}}),
              "1\tx\n3\tz\n");
}

TEST(JsonInput, OtherFrames)
{
    EXPECT_EQ(read("JSONStringsEachRow", "a UInt8, b Array(UInt8)", "{\"a\":\"1\",\"b\":\"[1,2]\"}"),
              "1\t[1,2]\n");
    EXPECT_EQ(read("JSONStringsEachRow", "a String", "{\"a\":null}"), "Code: 26");
    EXPECT_EQ(read("JSONCompactEachRow", kTwo, "[1,\"x\"],\n[2, \"y\"]\n"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("JSONCompactEachRow", kTwo, "[1]"), "Code: 27");
    EXPECT_EQ(read("JSONCompactEachRow", kTwo, "[1,\"x\",3]"), "Code: 27");
    EXPECT_EQ(read("JSONCompactEachRow", kTwo, "[null,null]"), "0\t\n~ab\n");
    EXPECT_EQ(read("JSONCompactEachRowWithNames", kTwo, "[\"b\",\"c\"]\n[\"x\",[1]]"),
              "0\tx\n~a\n");
    EXPECT_EQ(read("JSONCompactEachRowWithNamesAndTypes", kTwo,
                   "[\"b\",\"a\"]\n[\"String\",\"UInt8\"]\n[\"x\",1]"),
              "1\tx\n");
    EXPECT_EQ(read("JSONCompactStringsEachRow", kTwo, "[\"1\",\"x\"]"), "1\tx\n");
    EXPECT_EQ(read("JSONObjectEachRow", kTwo,
                   "{\"row_1\": {\"a\":1,\"b\":\"x\"}, \"row_2\":{\"a\":2}}"),
              "1\tx\n2\t\n~b\n");
    EXPECT_EQ(read("JSON", kTwo,
                   "{\"meta\":[{\"name\":\"a\"}],\"data\":[{\"a\":1,\"b\":\"x\"},{\"a\":2}],\"rows\":2}"),
              "1\tx\n2\t\n~b\n");
    EXPECT_EQ(read("JSONCompact", kTwo, "{\"meta\":[],\"data\":[[1,\"x\"],[2,\"y\"]],\"rows\":2}"),
              "1\tx\n2\ty\n");
    EXPECT_EQ(read("JSONCompact", kTwo, "{\"data\":[[1,\"x\"]"), "1\tx\nCode: 33");
    EXPECT_EQ(read("JSONAsString", "s String", "[{\"a\":1}, {\"b\":[1]}]"),
              "{\"a\":1}\n{\"b\":[1]}\n");
}

TEST(ValuesInput, Rows)
{
    EXPECT_EQ(read("Values", kTwo, "(1,'x'),(2,'y')"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("Values", kTwo, " ( 1 , 'x' ) , (2,'y') ;"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("Values", kTwo, "(NULL,NULL),(DEFAULT, 'y')"), "0\t\n~ab\n0\ty\n~a\n");
    EXPECT_EQ(read("Values", kTwo, "(1,'x',)"), "1\tx\n");
    EXPECT_EQ(read("Values", kTwo, "('5','x')"), "5\tx\n");
    EXPECT_EQ(read("Values", kTwo, "(1)"), "Code: 62");
    EXPECT_EQ(read("Values", kTwo, "(1,'x',2)"), "Code: 62");
    EXPECT_EQ(read("Values", kTwo, "1,'x'"), "Code: 27");
}

TEST(ValuesInput, ExpressionsAreTheCallers)
{
    const Header header = header_of(kTwo);
    MemoryInputBuffer in("(1 + 1, 'x'), (3, upper('y'))");
    InputFormatContext context{header, options_of({}), {}};
    context.expression = [](std::string_view text, const TypePtr&, Column& into) -> size_t
    {
        if (text.starts_with("1 + 1"))
        {
            into.append_value(uint64_t{2});
            return 5;
        }
        if (text.starts_with("upper('y')"))
        {
            into.append_value(std::string("Y"));
            return 10;
        }
        return 0;
    };
    const auto input = formats().get_input("Values").input(in, std::move(context));
    const InputBlock read = input->read(10);
    ASSERT_EQ(read.block.rows(), 2u);
    EXPECT_EQ(read.block[0].column->value_at(0), Value(uint64_t{2}));
    EXPECT_EQ(read.block[0].column->value_at(1), Value(uint64_t{3}));
    EXPECT_EQ(read.block[1].column->value_at(1), Value(std::string("Y")));
}

TEST(OtherInput, LinesAndPairs)
{
    EXPECT_EQ(read("TSKV", kTwo, "a=1\tb=x\nb=y\n"), "1\tx\n0\ty\n~a\n");
    EXPECT_EQ(read("TSKV", kTwo, "tskv\ta=1\tc=5\tb=x\n"), "1\tx\n");
    EXPECT_EQ(read("TSKV", kTwo, "a=1\ta=2\n"), "Code: 117");
    EXPECT_EQ(read("LineAsString", "s String", "l1\nl2 \n"), "l1\nl2 \n");
    EXPECT_EQ(read("RawBLOB", "s String", "l1\nl2 \n"), "l1\\nl2 \\n\n");
    EXPECT_EQ(read("LineAsString", "s UInt8", "1\n"), "Code: 36");
}

TEST(BinaryInput, RowBinary)
{
    const std::string row("\x01\x01x", 3);
    EXPECT_EQ(read("RowBinary", kTwo, row + "\x02\x02yz"), "1\tx\n2\tyz\n");
    EXPECT_EQ(read("RowBinary", kTwo, "\x01\x05x"), "Code: 33");
    // A block of many rows and no columns holds none.
    EXPECT_EQ(read("Native", kTwo, std::string("\0\xff\xff\xff\xff\x0f", 6)), "");
    EXPECT_EQ(read("RowBinaryWithNames", kTwo, "\x02\x01" "b" "\x01" "a" "\x01x\x01"), "1\tx\n");
    EXPECT_EQ(read("RowBinaryWithNames", kTwo, "\x01\x01" "c" "\x01"), "Code: 117");
    EXPECT_EQ(read("RowBinaryWithNames", kTwo, "\x02\x01" "a" "\x01" "a" "\x01\x02"), "Code: 117");
    EXPECT_EQ(read("RowBinaryWithNamesAndTypes", kTwo,
                   "\x02\x01" "b" "\x01" "q" "\x06String\x06UInt16" "\x01x\x01\x02"),
              "0\tx\n~a\n");
    EXPECT_EQ(read("RowBinaryWithDefaults", kTwo, std::string("\x01\x00\x01x", 4)), "0\tx\n~a\n");
}

TEST(BinaryInput, Native)
{
    const std::string block("\x02\x02" "\x01" "b" "\x06String" "\x01x\x01y" "\x01" "q" "\x05UInt8"
                            "\x01\x02",
                            25);
    EXPECT_EQ(read_pieces("Native", kTwo, block, options_of({}), 3, 1), "0\tx\n0\ty\n~aa\n");
    EXPECT_EQ(read_pieces("Native", "b String, q UInt32", block, options_of({}), 3, 1),
              "x\t1\ny\t2\n");
    EXPECT_EQ(read_pieces("Native", "b UInt8", block, options_of({}), 3, 1), "Code: 6");
    EXPECT_EQ(read_pieces("Native", "b String, q UInt32", block,
                          options_of({{"input_format_native_allow_types_conversion", "0"}}), 3, 1),
              "Code: 53");
}

TEST(RowBorders, CutAnywhereGivesTheSameRows)
{
    struct Case
    {
        const char* format;
        std::string data;
    };
    const Case cases[] = {
        {"TSV", "1\ta\\\nb\n2\tc\\\\\n3\td\n"},
        {"CSV", "1,\"a\nb\"\"\n\"\n2,c\n3,d\n"},
        {"JSONEachRow", "{\"a\":1,\"b\":\"x\\\"}\\n\"}\n{\"a\":2,\n\"b\":\"{\"}\n{\"a\":3,\"b\":\"d\"}\n"},
        {"JSONCompactEachRow", "[1,\"]\"]\n[2,\n\"x\"]\n[3,\"y\"]\n"},
        {"TSKV", "a=1\tb=x\na=2\tb=y\n"},
        {"TSVRaw", "1\ta\\\n2\tb\n"}};
    const FormatOptions options = options_of({});
    for (const Case& c : cases)
    {
        const auto border = formats().get_input(c.format).row_border;
        ASSERT_NE(border, nullptr);
        const std::string whole = read_pieces(c.format, kTwo, c.data, options, SIZE_MAX, 100);
        EXPECT_EQ(border(c.data), c.data.size());
        for (size_t size = 0; size < c.data.size(); ++size)
        {
            const size_t cut = border(std::string_view(c.data).substr(0, size));
            ASSERT_LE(cut, size);
            const std::string first = c.data.substr(0, cut);
            const std::string second = c.data.substr(cut);
            EXPECT_EQ(read_pieces(c.format, kTwo, first, options, SIZE_MAX, 100) +
                          read_pieces(c.format, kTwo, second, options, SIZE_MAX, 100),
                      whole)
                << c.format << ' ' << size;
        }
    }
}

} // namespace
} // namespace basalt
