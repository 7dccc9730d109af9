#include <gtest/gtest.h>

#include "tests/unit/columns/serialization_probe.h"

namespace basalt
{
namespace
{

std::string written(std::string_view text, TextPlace place)
{
    StringColumn column;
    column.append(text);
    std::string out;
    StringOutputBuffer buffer(out);
    serialization_of(simple_type(TypeId::String))->write_text(column, 0, buffer, place, {});
    buffer.finish();
    return out;
}

TEST(StringWrite, EveryPlaceAsTheOracle)
{
    const std::string text("a'b\"c\\d\t\n\r\0\b\f/<>&\xC3\xA9\x7F\x1F\xFF", 22);
    EXPECT_EQ(written(text, TextPlace::Escaped),
              "a\\'b\"c\\\\d\\t\\n\\r\\0\\b\\f/<>&\xC3\xA9\x7F\x1F\xFF");
    EXPECT_EQ(written(text, TextPlace::Raw), text);
    EXPECT_EQ(written(text, TextPlace::Quoted),
              "'a\\'b\"c\\\\d\\t\\n\\r\\0\\b\\f/<>&\xC3\xA9\x7F\x1F\xFF'");
    std::string csv = "\"" + text + "\"";
    csv.insert(5, "\"");
    EXPECT_EQ(written(text, TextPlace::Csv), csv);
    EXPECT_EQ(written(text, TextPlace::Json),
              "\"a'b\\\"c\\\\d\\t\\n\\r\\u0000\\b\\f\\/<>&\xC3\xA9\x7F\\u001F\xFF\"");
    EXPECT_EQ(written("a<b&c>", TextPlace::Xml), "a&lt;b&amp;c>");
    EXPECT_EQ(written("x\xE2\x80\xA8y\xE2\x80\xA9z\xE2\x80\xA7", TextPlace::Json),
              "\"x\\u2028y\\u2029z\xE2\x80\xA7\"");
}

TEST(StringWrite, LongTextsWithSpecialBytesAnywhere)
{
    for (size_t at = 0; at < 70; ++at)
    {
        std::string text(70, 'x');
        text[at] = '\n';
        std::string expected = text;
        expected.replace(at, 1, "\\n");
        EXPECT_EQ(written(text, TextPlace::Escaped), expected);
        EXPECT_EQ(written(text, TextPlace::Json), "\"" + expected + "\"");
        text[at] = '/';
        EXPECT_EQ(written(text, TextPlace::Escaped), text);
        expected.replace(at, 2, "\\/");
        EXPECT_EQ(written(text, TextPlace::Json), "\"" + expected + "\"");
    }
}

TEST(StringParse, Escapes)
{
    const auto parsed = [](std::string_view text)
    { return parse_and_write("String", text, TextPlace::Escaped, TextPlace::Raw); };
    EXPECT_EQ(parsed("a\\x41b"), "aAb");
    EXPECT_EQ(parsed("a\\u0041"), "a\\u0041");
    EXPECT_EQ(parsed("a\\%b"), "a\\%b");
    EXPECT_EQ(parsed("a\\ab\\eb\\vb"), "a\ab\x1B" "b\vb");
    EXPECT_EQ(parsed("a\\qb"), "a\\qb");
    EXPECT_EQ(parsed("a\\\"b\\/c\\`d\\'e\\\\f"), "a\"b/c`d'e\\f");
    EXPECT_EQ(parsed("a\\Nb"), "ab");
    EXPECT_EQ(parsed("a\\\nb"), "a\nb");
    EXPECT_EQ(parsed("a\tb"), "a|\tb");
    EXPECT_EQ(parsed("a\\"), "Code: 25");
}

TEST(StringParse, QuotedCsvJson)
{
    const auto quoted = [](std::string_view text)
    { return parse_and_write("String", text, TextPlace::Quoted, TextPlace::Raw); };
    EXPECT_EQ(quoted("'a''b\\'c'd"), "a'b'c|d");
    EXPECT_EQ(quoted("abc"), "Code: 26");
    EXPECT_EQ(quoted("'abc"), "Code: 26");

    const auto csv = [](std::string_view text)
    { return parse_and_write("String", text, TextPlace::Csv, TextPlace::Raw); };
    EXPECT_EQ(csv("abc ,"), "abc|,");
    EXPECT_EQ(csv("\"a\"\"b\",x"), "a\"b|,x");
    EXPECT_EQ(csv("'ab'\n"), "'ab'|\n");
    EXPECT_EQ(csv("a\"b"), "a\"b");
    EXPECT_EQ(csv("\"ab"), "ab");

    const auto json = [](std::string_view text)
    { return parse_and_write("String", text, TextPlace::Json, TextPlace::Raw); };
    EXPECT_EQ(json("\"\\u0041\\ud83d\\ude00\\n\\/\\x\","), "A\xF0\x9F\x98\x80\n/x|,");
    EXPECT_EQ(json("\"\\ud83d\""), "Code: 25");
    EXPECT_EQ(json("\"\\ud83dx\""), "Code: 25");
    EXPECT_EQ(json("1.50,"), "1.50|,");
    EXPECT_EQ(json("true}"), "true|}");
    EXPECT_EQ(json("[1, {\"a\": [2]}],"), "[1, {\"a\": [2]}]|,");
    EXPECT_EQ(json("{\"b\": 1}"), "{\"b\": 1}");
    EXPECT_EQ(json("abc"), "Code: 117");
    EXPECT_EQ(json("\"ab"), "Code: 26");
}

TEST(StringParse, JsonNestingIsLimited)
{
    const std::string deep(100000, '[');
    EXPECT_EQ(parse_and_write("String", deep, TextPlace::Json), "Code: 306");
}

TEST(StringParse, NullsByPlace)
{
    EXPECT_EQ(parse_and_write("Nullable(String)", "\\N", TextPlace::Escaped, TextPlace::Quoted),
              "NULL");
    EXPECT_EQ(parse_and_write("Nullable(String)", "\\Nx", TextPlace::Escaped, TextPlace::Quoted),
              "'x'");
    EXPECT_EQ(parse_and_write("Nullable(String)", "NULL", TextPlace::Escaped, TextPlace::Quoted),
              "'NULL'");
    EXPECT_EQ(parse_and_write("Nullable(String)", "\\N,", TextPlace::Csv, TextPlace::Quoted),
              "NULL|,");
    EXPECT_EQ(parse_and_write("Nullable(String)", "\"\\N\"", TextPlace::Csv, TextPlace::Quoted),
              "'\\\\N'");
    EXPECT_EQ(parse_and_write("Nullable(String)", "", TextPlace::Csv, TextPlace::Quoted), "NULL");
    EXPECT_EQ(parse_and_write("Nullable(UInt8)", "null", TextPlace::Quoted), "\\N");
    EXPECT_EQ(parse_and_write("Nullable(UInt8)", "nullx", TextPlace::Quoted), "0|nullx");
    EXPECT_EQ(parse_and_write("Nullable(String)", "\"null\"", TextPlace::Json), "null");
}

TEST(FixedStringText, PadsAndRefusesLonger)
{
    EXPECT_EQ(parse_and_write("FixedString(4)", "ab", TextPlace::Whole), "ab\\0\\0");
    EXPECT_EQ(parse_and_write("FixedString(2)", "abc", TextPlace::Escaped), "Code: 131");
    FixedStringColumn column(4);
    column.append("ab");
    EXPECT_EQ(value_text(column, 0, type_from_name("FixedString(4)")), "ab");
}

TEST(EnumText, NamesAndNumbers)
{
    const char* type = "Enum8('x' = 1, 'a\\'b' = 2)";
    EXPECT_EQ(parse_and_write(type, "x", TextPlace::Escaped), "x");
    EXPECT_EQ(parse_and_write(type, "2", TextPlace::Escaped), "a\\'b");
    EXPECT_EQ(parse_and_write(type, "z", TextPlace::Escaped), "Code: 691");
    EXPECT_EQ(parse_and_write(type, "", TextPlace::Escaped), "Code: 691");
    EXPECT_EQ(parse_and_write(type, "1", TextPlace::Json), "x");
    EXPECT_EQ(parse_and_write(type, "\"a'b\"", TextPlace::Json, TextPlace::Json), "\"a'b\"");
    EXPECT_EQ(parse_and_write(type, "5", TextPlace::Json), "Code: 691");
    EXPECT_EQ(parse_and_write(type, "'x'", TextPlace::Quoted), "x");
    EXPECT_EQ(parse_and_write(type, "257", TextPlace::Quoted), "Code: 691");
}

TEST(AddressText, UuidAndIp)
{
    EXPECT_EQ(parse_and_write("UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", TextPlace::Whole),
              "61f0c404-5cb3-11e7-907b-a6006ad3dba0");
    EXPECT_EQ(parse_and_write("UUID", "61F0C4045cb311e7907ba6006ad3dba0", TextPlace::Escaped),
              "61f0c404-5cb3-11e7-907b-a6006ad3dba0");
    EXPECT_EQ(parse_and_write("UUID", "61f0c404-5cb3-11e7-907b", TextPlace::Escaped), "Code: 376");
    EXPECT_EQ(parse_and_write("UUID", "zzf0c404-5cb3-11e7-907b-a6006ad3dba0", TextPlace::Escaped),
              "Code: 376");
    EXPECT_EQ(parse_and_write("IPv4", "255.2.3.4", TextPlace::Escaped), "255.2.3.4");
    EXPECT_EQ(parse_and_write("IPv4", "1.2.3", TextPlace::Escaped), "Code: 675");
    EXPECT_EQ(parse_and_write("IPv4", "256.1.1.1", TextPlace::Escaped), "Code: 675");
    for (const char* same :
         {"::", "::1", "::ffff:1.2.3.4", "::1.2.3.4", "::102", "1::", "1:0:0:2::3",
          "1:0:2:3:4:5:6:7", "64:ff9b::102:304", "0:0:1::", "2001:db8::ff00:42:8329",
          "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::ffff:0.0.0.1", "1::8", "0:1:2:3:4:5:6:7"})
        EXPECT_EQ(parse_and_write("IPv6", same, TextPlace::Whole), same);
    EXPECT_EQ(parse_and_write("IPv6", "1.2.3.4", TextPlace::Whole), "::ffff:1.2.3.4");
    EXPECT_EQ(parse_and_write("IPv6", "64:ff9b::1.2.3.4", TextPlace::Whole), "64:ff9b::102:304");
    EXPECT_EQ(parse_and_write("IPv6", "1:0:0:2:0:0:0:3", TextPlace::Whole), "1:0:0:2::3");
    for (const char* bad : {"", "zz", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8::",
                            "1::2::3", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:1.2.3.4"})
        EXPECT_NE(parse_and_write("IPv6", bad, TextPlace::Whole).find_first_of("C|"),
                  std::string::npos)
            << bad;
}

} // namespace
} // namespace basalt
