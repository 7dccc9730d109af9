#include "base/error.h"
#include "columns/serialization.h"
#include "postgres/copy_text.h"
#include "postgres/value_reader.h"

#include <gtest/gtest.h>

using namespace basalt;
using namespace basalt::pg;

namespace
{

std::string read_back(const std::string& type_name, const std::string& text)
{
    const TypePtr type = type_from_name(type_name);
    const auto column = type->create_column();
    ValueReader(type).append(*column, text);
    EXPECT_EQ(column->size(), 1u);
    return value_text(*column, 0, type);
}

bool refuses(const std::string& type_name, const std::string& text)
{
    const TypePtr type = type_from_name(type_name);
    const auto column = type->create_column();
    try
    {
        ValueReader(type).append(*column, text);
    }
    catch (const Error& error)
    {
        return error.code() == error_codes::CANNOT_PARSE_TEXT && column->size() == 0;
    }
    return false;
}

} // namespace

TEST(ValueReader, ReadsNumbers)
{
    EXPECT_EQ(read_back("Int16", "-32768"), "-32768");
    EXPECT_EQ(read_back("Int64", "9223372036854775807"), "9223372036854775807");
    EXPECT_EQ(read_back("Bool", "t"), "true");
    EXPECT_EQ(read_back("Float64", "1e-300"), "1e-300");
    EXPECT_EQ(read_back("Float64", "NaN"), "nan");
    EXPECT_EQ(read_back("Float32", "-Infinity"), "-inf");
    EXPECT_TRUE(refuses("Int16", "32768"));
    EXPECT_TRUE(refuses("Int32", "1x"));
    EXPECT_TRUE(refuses("Bool", "true"));
}

TEST(ValueReader, ReadsDecimals)
{
    EXPECT_EQ(read_back("Decimal(9, 2)", "-1234567.89"), "-1234567.89");
    EXPECT_EQ(read_back("Decimal(9, 2)", "0.10"), "0.1");
    EXPECT_EQ(read_back("Decimal(38, 0)", std::string(38, '9')), std::string(38, '9'));
    EXPECT_EQ(read_back("Decimal(76, 38)", "0.00000000000000000000000000000000000001"),
              "0.00000000000000000000000000000000000001");
    EXPECT_EQ(read_back("Decimal(4, 1)", "12.5000"), "12.5");
    EXPECT_TRUE(refuses("Decimal(9, 2)", "0.123"));
    EXPECT_TRUE(refuses("Decimal(9, 2)", "12345678.00"));
    EXPECT_TRUE(refuses("Decimal(76, 38)", "NaN"));
    EXPECT_TRUE(refuses("Decimal(76, 38)", "Infinity"));
}

TEST(ValueReader, ReadsTimesAndClampsWhatTheTypeCannotHold)
{
    EXPECT_EQ(read_back("Date32", "2024-02-29"), "2024-02-29");
    EXPECT_EQ(read_back("Date32", "infinity"), "2299-12-31");
    EXPECT_EQ(read_back("Date32", "-infinity"), "1900-01-01");
    EXPECT_EQ(read_back("Date32", "0044-03-15 BC"), "1900-01-01");
    EXPECT_EQ(read_back("Date32", "5874897-12-31"), "2299-12-31");
    EXPECT_EQ(read_back("DateTime64(6)", "1969-12-31 23:59:59.5"), "1969-12-31 23:59:59.500000");
    EXPECT_EQ(read_back("DateTime64(6, 'UTC')", "2024-02-29 12:00:00.000001+00"),
              "2024-02-29 12:00:00.000001");
    EXPECT_EQ(read_back("DateTime64(6, 'UTC')", "2024-02-29 12:00:00+05:30"),
              "2024-02-29 06:30:00.000000");
    EXPECT_EQ(read_back("DateTime64(6, 'UTC')", "infinity"), "2299-12-31 23:59:59.999999");
    EXPECT_TRUE(refuses("Date32", "2024-13-01"));
    EXPECT_TRUE(refuses("DateTime64(6)", "2024-01-01"));
}

TEST(ValueReader, ReadsTheRest)
{
    EXPECT_EQ(read_back("UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
              "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    EXPECT_EQ(read_back("Nullable(Int32)", "7"), "7");
    EXPECT_EQ(read_back("LowCardinality(Nullable(String))", "NULL"), "NULL");
    EXPECT_EQ(read_back("Array(Nullable(Int32))", "{1,NULL,-3}"), "[1,NULL,-3]");
    EXPECT_EQ(read_back("Array(Nullable(Int32))", "[0:1]={5,6}"), "[5,6]");
    EXPECT_EQ(read_back("Array(Nullable(String))", R"({a,"b,\"c\"","NULL",NULL,""})"),
              R"(['a','b,"c"','NULL',NULL,''])");
    EXPECT_EQ(read_back("Array(Array(Nullable(Int32)))", "{{1,2},{3,4}}"), "[[1,2],[3,4]]");
    EXPECT_EQ(read_back("Array(Array(Nullable(String)))", R"({{"}{","a"},{b,c}})"),
              "[['}{','a'],['b','c']]");
    EXPECT_EQ(read_back("Array(Array(Nullable(Int32)))", "{}"), "[]");
    EXPECT_TRUE(refuses("Array(Nullable(Int32))", "{{1,2}}"));
    EXPECT_TRUE(refuses("UUID", "a0eebc99"));
}

TEST(ValueReader, PrintsWhatItReads)
{
    const std::vector<std::pair<std::string, std::string>> values = {
        {"Array(Nullable(String))", R"({"a","b,\"c\\",NULL})"},
        {"Decimal(9, 2)", "12.34"},
        {"Nullable(Int32)", "5"},
        {"DateTime64(6)", "2024-02-29 12:34:56.000000"}};
    for (const auto& [type_name, text] : values)
    {
        const TypePtr type = type_from_name(type_name);
        const auto column = type->create_column();
        ValueReader(type).append(*column, text);
        std::string out;
        EXPECT_TRUE(print_value(*column, 0, type, out));
        EXPECT_EQ(out, text);
    }
}

TEST(CopyText, SplitsAndUnescapes)
{
    CopyLine line;
    const auto& fields = line.split("1\t\\N\t\ta\\tb\\\\c\\n\t\\\\N\n");
    ASSERT_EQ(fields.size(), 5u);
    EXPECT_EQ(fields[0].text, "1");
    EXPECT_TRUE(fields[1].is_null);
    EXPECT_EQ(fields[2].text, "");
    EXPECT_FALSE(fields[2].is_null);
    EXPECT_EQ(fields[3].text, "a\tb\\c\n");
    EXPECT_EQ(fields[4].text, "\\N");
    EXPECT_FALSE(fields[4].is_null);
    std::string out;
    append_copy_field(out, "a\tb\\c\r\n");
    EXPECT_EQ(out, "a\\tb\\\\c\\r\\n");
}
