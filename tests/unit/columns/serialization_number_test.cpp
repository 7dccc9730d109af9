#include <gtest/gtest.h>

#include "columns/number_text.h"
#include "tests/unit/columns/serialization_probe.h"

#include <cmath>
#include <limits>

namespace basalt
{
namespace
{

template <class T> std::string text_of(T value)
{
    std::string text;
    StringOutputBuffer out(text);
    write_number(out, value);
    out.finish();
    return text;
}

struct Case
{
    const char* type;
    const char* text;
    const char* expected;
};

void check(TextPlace place, std::initializer_list<Case> cases)
{
    for (const Case& c : cases)
        EXPECT_EQ(parse_and_write(c.type, c.text, place), c.expected) << c.type << ' ' << c.text;
}

TEST(FloatText, AsTheOracle)
{
    const std::pair<double, const char*> cases[] = {
        {0., "0"},
        {-0., "-0"},
        {0.1, "0.1"},
        {1e14, "100000000000000"},
        {123456789012345.6, "123456789012345.6"},
        {1e15, "1000000000000000"},
        {1234567890123456., "1234567890123456"},
        {12345678901234567., "12345678901234568"},
        {1e16, "10000000000000000"},
        {1e20, "100000000000000000000"},
        {123456789012345680000., "123456789012345680000"},
        {1e21, "1e21"},
        {1.5e21, "1.5e21"},
        {123456789012345680000000., "1.2345678901234569e23"},
        {1e-5, "0.00001"},
        {1e-6, "0.000001"},
        {1.5e-6, "0.0000015"},
        {1.23456e-6, "0.00000123456"},
        {1e-7, "1e-7"},
        {0.00001234, "0.00001234"},
        {0.0000001234, "1.234e-7"},
        {1e100, "1e100"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1. / 3, "0.3333333333333333"},
        {2. / 3 * 1e-5, "0.000006666666666666667"},
        {123456789.125, "123456789.125"},
        {std::nan(""), "nan"},
        {std::numeric_limits<double>::infinity(), "inf"},
        {-std::numeric_limits<double>::infinity(), "-inf"}};
    for (const auto& [value, text] : cases)
        EXPECT_EQ(text_of(value), text);
    const std::pair<float, const char*> floats[] = {
        {0.1f, "0.1"},           {1234567.8f, "1234567.8"}, {16777216.f, "16777216"},
        {123456789.f, "123456790"}, {1e20f, "100000000000000000000"},
        {123456789012345680000.f, "123456790000000000000"}, {1e21f, "1e21"},
        {3.4028235e38f, "3.4028235e38"}, {1e-45f, "1e-45"}, {1.f / 3, "0.33333334"}};
    for (const auto& [value, text] : floats)
        EXPECT_EQ(text_of(value), text);
}

TEST(FloatText, ReadsBackWhatItWrites)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 20000; ++i)
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double value;
        std::memcpy(&value, &state, sizeof(value));
        if (!std::isfinite(value))
            continue;
        const std::string text = text_of(value);
        TextCursor cursor(text);
        double back = 0;
        ASSERT_TRUE(parse_float(cursor, back)) << text;
        ASSERT_EQ(back, value) << text;
        ASSERT_TRUE(cursor.at_end());
    }
}

TEST(IntegerText, WideLimits)
{
    EXPECT_EQ(text_of(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(text_of(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(text_of(~UInt128{0}), "340282366920938463463374607431768211455");
    EXPECT_EQ(text_of(static_cast<Int128>(UInt128{1} << 127)),
              "-170141183460469231731687303715884105728");
    EXPECT_EQ(text_of(~UInt256(0u)),
              "115792089237316195423570985008687907853269984665640564039457584007913129639935");
    EXPECT_EQ(text_of(Int256(1) << 255),
              "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
    EXPECT_EQ(text_of(UInt256(10000000000000000000ull)), "10000000000000000000");
    EXPECT_EQ(text_of(UInt128{10000000000000000000ull} * 10), "100000000000000000000");
    for (const char* text : {"0", "-57896044618658097711785492504343953926634992332820282019728792003956564819968",
                             "57896044618658097711785492504343953926634992332820282019728792003956564819967",
                             "100000000000000000000000000000000000000"})
        EXPECT_EQ(parse_and_write("Int256", text, TextPlace::Whole), text);
}

TEST(IntegerText, Checked)
{
    const auto checked = [](const char* text, auto zero) -> std::string
    {
        TextCursor cursor(text);
        if (!parse_integer_checked(cursor, zero))
            return std::to_string(cursor.code);
        return text_of(zero);
    };
    EXPECT_EQ(checked("128", int64_t{}), "128");
    EXPECT_EQ(checked("9223372036854775808", int64_t{}), "69");
    EXPECT_EQ(checked("-9223372036854775808", int64_t{}), "-9223372036854775808");
    EXPECT_EQ(checked("-9223372036854775809", int64_t{}), "69");
    EXPECT_EQ(checked("18446744073709551615", uint64_t{}), "18446744073709551615");
    EXPECT_EQ(checked("18446744073709551616", uint64_t{}), "69");
    EXPECT_EQ(checked("115792089237316195423570985008687907853269984665640564039457584007913129639936",
                      UInt256{}),
              "69");
    EXPECT_EQ(checked("999999999999999999999999999999999999999999999999999999999999999999999999999999999",
                      uint64_t{}),
              "69");
    EXPECT_EQ(checked("", uint64_t{}), "32");
    EXPECT_EQ(checked("x", uint64_t{}), "72");
}

TEST(NumberParse, TabSeparatedAsTheOracle)
{
    check(TextPlace::Escaped, {{"UInt8", "300", "44"},
                               {"UInt8", "-1", "0|-1"},
                               {"UInt8", "256", "0"},
                               {"Int8", "128", "-128"},
                               {"UInt64", "18446744073709551616", "0"},
                               {"UInt64", "99999999999999999999999", "200376420520689663"},
                               {"Int64", "9223372036854775808", "-9223372036854775808"},
                               {"UInt8", "1.5", "1|.5"},
                               {"UInt8", "+5", "0|+5"},
                               {"UInt8", "007", "0|07"},
                               {"Int8", "-", "0"},
                               {"Float64", "abc", "Code: 72"},
                               {"Float64", "1.5x", "1.5|x"},
                               {"Float64", "1e400", "inf"},
                               {"Float64", "+1.5", "1.5"},
                               {"Float64", ".5", "0.5"},
                               {"Float64", "5.", "5"},
                               {"Float64", "-", "Code: 72"},
                               {"Float64", "", "Code: 72"},
                               {"Float64", "Infinity", "inf"},
                               {"Float64", "NaN", "nan"},
                               {"Float64", "1e", "Code: 72"},
                               {"Float64", "1_000", "1|_000"},
                               {"Bool", "1", "true"},
                               {"Bool", "TRUE", "true"},
                               {"Bool", "t", "true"},
                               {"Bool", "yes", "true"},
                               {"Bool", "disabled", "false"},
                               {"Bool", "2", "Code: 467"},
                               {"Decimal(9,2)", "1.234", "1.23"},
                               {"Decimal(9,2)", "12345678.9", "Code: 69"},
                               {"Decimal(9,2)", "1e3", "1000"},
                               {"Decimal(9,2)", "", "0"},
                               {"Decimal(9,2)", "+1.5", "1.5"},
                               {"Decimal(9,2)", ".5", "0.5"},
                               {"Decimal(9,2)", "1.5x", "1.5|x"}});
}

TEST(NumberParse, CastAsTheOracle)
{
    check(TextPlace::Whole, {{"UInt8", "300", "44"},
                             {"UInt8", "-1", "Code: 72"},
                             {"UInt8", "+5", "5"},
                             {"UInt8", "", "Code: 32"},
                             {"UInt8", "007", "7"},
                             {"UInt8", "abc", "Code: 6"},
                             {"UInt8", " 1", "Code: 6"},
                             {"Int128", "170141183460469231731687303715884105728",
                              "-170141183460469231731687303715884105728"},
                             {"Float64", "", "Code: 72"},
                             {"Float64", " 1", "Code: 72"},
                             {"Bool", "", "Code: 467"},
                             {"Bool", "trueX", "Code: 467"},
                             {"Decimal(9,2)", "12345678.9", "Code: 69"},
                             {"Decimal(9,2)", "1.239", "1.23"},
                             {"Decimal(9,2)", "", "Code: 32"},
                             {"IntervalDay", "3", "3"}});
}

TEST(NumberParse, JsonAsTheOracle)
{
    check(TextPlace::Json, {{"UInt8", "300", "44"},
                            {"UInt8", "-1", "Code: 72"},
                            {"UInt8", "1.5", "1|.5"},
                            {"UInt8", "+5", "5"},
                            {"UInt8", "\"7\"", "7"},
                            {"UInt8", "\"\"", "0"},
                            {"UInt8", "\"x\"", "Code: 27"},
                            {"UInt8", "true", "1"},
                            {"UInt8", "false", "0"},
                            {"UInt8", "007", "7"},
                            {"Float64", "\"1.5\"", "1.5"},
                            {"Float64", "\"nan\"", "nan"},
                            {"Float64", "true", "1"},
                            {"Float64", "false", "0"},
                            {"Float64", "1e5", "100000"},
                            {"Float64", "\"x\"", "Code: 72"},
                            {"Bool", "1", "true"},
                            {"Bool", "false", "false"},
                            {"Bool", "\"true\"", "Code: 467"},
                            {"Bool", "2", "Code: 467"},
                            {"Decimal(9,2)", "1.5", "1.5"},
                            {"Decimal(9,2)", "\"1.5\"", "1.5"},
                            {"Decimal(9,2)", "\"x\"", "Code: 27"},
                            {"Nullable(UInt8)", "null", "\\N"},
                            {"Nullable(UInt8)", "5", "5"}});
}

TEST(NumberWrite, JsonOptions)
{
    TextOptions options;
    options.json_quote_64bit_integers = true;
    options.json_quote_denormals = true;
    options.json_quote_decimals = true;
    const auto json = [&](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Whole, TextPlace::Json, options); };
    EXPECT_EQ(json("Int64", "1"), "\"1\"");
    EXPECT_EQ(json("UInt128", "5"), "\"5\"");
    EXPECT_EQ(json("UInt32", "5"), "5");
    EXPECT_EQ(json("Float64", "nan"), "\"nan\"");
    EXPECT_EQ(json("Float64", "-inf"), "\"-inf\"");
    EXPECT_EQ(json("Decimal(9,2)", "1.5"), "\"1.5\"");
    EXPECT_EQ(json("IntervalDay", "1"), "\"1\"");
    EXPECT_EQ(json("Array(Int64)", "[1]"), "[\"1\"]");
    EXPECT_EQ(json("Map(Int64,Int64)", "{1:2}"), "{\"1\":\"2\"}");
    EXPECT_EQ(json("Map(Bool,UInt8)", "{true:1}"), "{\"true\":1}");
    EXPECT_EQ(parse_and_write("Float64", "nan", TextPlace::Whole, TextPlace::Json), "null");
}

TEST(DecimalWrite, TrailingZeros)
{
    TextOptions options;
    options.decimal_trailing_zeros = true;
    const auto text = [&](const char* type, const char* from)
    { return parse_and_write(type, from, TextPlace::Whole, TextPlace::Escaped, options); };
    EXPECT_EQ(text("Decimal(9,2)", "1.1"), "1.10");
    EXPECT_EQ(text("Decimal(38,10)", "-0.05"), "-0.0500000000");
    EXPECT_EQ(text("Decimal(18,3)", "0"), "0.000");
    EXPECT_EQ(text("Decimal(9,0)", "-1"), "-1");
    EXPECT_EQ(parse_and_write("Decimal(76,20)", "123456789012345678901234567890.123", TextPlace::Whole),
              "123456789012345678901234567890.123");
    EXPECT_EQ(parse_and_write("Decimal(9,2)", "100", TextPlace::Whole), "100");
    EXPECT_EQ(parse_and_write("Decimal(38,10)", "-0.05", TextPlace::Whole), "-0.05");
}

} // namespace
} // namespace basalt
