#include <gtest/gtest.h>

#include "tests/unit/columns/serialization_probe.h"

namespace basalt
{
namespace
{

TEST(ArrayText, AsTheOracle)
{
    const auto whole = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Whole); };
    EXPECT_EQ(whole("Array(UInt8)", "[1, 2 ,3]"), "[1,2,3]");
    EXPECT_EQ(whole("Array(UInt8)", "[1,]"), "[1]");
    EXPECT_EQ(whole("Array(UInt8)", "['1','2']"), "[1,2]");
    EXPECT_EQ(whole("Array(UInt8)", "[1,2]x"), "[1,2]|x");
    EXPECT_EQ(whole("Array(UInt8)", "[1,2"), "Code: 27");
    EXPECT_EQ(whole("Array(UInt8)", "1"), "Code: 130");
    EXPECT_EQ(whole("Array(String)", "[a,b]"), "Code: 26");
    EXPECT_EQ(whole("Array(String)", "['a\\'b', 'c\"d\t']"), "['a\\'b','c\"d\\t']");
    EXPECT_EQ(whole("Array(Nullable(UInt8))", "[NULL,1]"), "[NULL,1]");
    EXPECT_EQ(whole("Array(UInt8)", "[NULL,1]"), "[0,1]");
    EXPECT_EQ(whole("Array(Array(UInt8))", "[[1],[],[2,3]]"), "[[1],[],[2,3]]");
    EXPECT_EQ(whole("Array(DateTime64(3))", "['2024-02-03 04:05:06.5', '2024-02-03']"),
              "['2024-02-03 04:05:06.500','2024-02-03 00:00:00.000']");
    EXPECT_EQ(whole("Array(Date)", "[x]"), "Code: 27");

    const auto json = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Json, TextPlace::Json); };
    EXPECT_EQ(json("Array(UInt8)", "[1, 2 , 3]"), "[1,2,3]");
    EXPECT_EQ(json("Array(UInt8)", "[1}"), "Code: 130");
    EXPECT_EQ(json("Array(UInt8)", "[null]"), "[0]");
    EXPECT_EQ(json("Array(Nullable(String))", "[null,\"x\"]"), "[null,\"x\"]");
    EXPECT_EQ(json("Array(UInt8)", "\"[1,2]\""), "Code: 130");

    const auto csv = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Csv, TextPlace::Csv); };
    EXPECT_EQ(csv("Array(String)", "\"['a\"\"b']\""), "\"['a\"\"b']\"");
    EXPECT_EQ(csv("Array(UInt8)", "[1]\n"), "\"[1]\"|\n");
}

TEST(TupleText, AsTheOracle)
{
    const auto whole = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Whole); };
    EXPECT_EQ(whole("Tuple(UInt8,String)", "(1, 'x')"), "(1,'x')");
    EXPECT_EQ(whole("Tuple(UInt8)", "(1,)"), "(1)");
    EXPECT_EQ(whole("Tuple()", "()"), "()");
    EXPECT_EQ(whole("Tuple(UInt8,String)", "(1)"), "Code: 27");
    EXPECT_EQ(whole("Tuple(UInt8,String)", "(1,x)"), "Code: 26");

    const auto json = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Json, TextPlace::Json); };
    const char* named = "Tuple(a UInt8, b String)";
    EXPECT_EQ(json("Tuple(UInt8,String)", "[1,\"x\"]"), "[1,\"x\"]");
    EXPECT_EQ(json("Tuple(UInt8,String)", "[1]"), "Code: 27");
    EXPECT_EQ(json("Tuple(UInt8,String)", "[1,\"x\",2]"), "Code: 27");
    EXPECT_EQ(json(named, "{\"a\":1,\"b\":\"x\"}"), "{\"a\":1,\"b\":\"x\"}");
    EXPECT_EQ(json(named, "{\"b\":\"x\"}"), "{\"a\":0,\"b\":\"x\"}");
    EXPECT_EQ(json(named, "{\"b\":\"x\", \"a\" : 1,\"c\":[1]}"), "{\"a\":1,\"b\":\"x\"}");
    EXPECT_EQ(json(named, "{\"b\":\"x\",\"b\":\"y\"}"), "Code: 117");
    EXPECT_EQ(json(named, "[1,\"x\"]"), "Code: 27");

    EXPECT_EQ(parse_and_write("Tuple(UInt8,Tuple(String,UInt8))", "1,x,2", TextPlace::Csv,
                              TextPlace::Csv),
              "1,\"x\",2");
    EXPECT_EQ(parse_and_write("Tuple(UInt8,String)", "(1,'a')", TextPlace::Whole, TextPlace::Xml),
              "<tuple><elem>1</elem><elem>a</elem></tuple>");
}

TEST(MapText, AsTheOracle)
{
    const auto whole = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Whole); };
    EXPECT_EQ(whole("Map(String,UInt8)", "{'a':1, 'b' : 2}"), "{'a':1,'b':2}");
    EXPECT_EQ(whole("Map(UInt8,Array(Date))", "{1:['2024-01-01']}"), "{1:['2024-01-01']}");
    EXPECT_EQ(whole("Map(String,UInt8)", "{}"), "{}");
    EXPECT_EQ(whole("Map(String,UInt8)", "{a:1}"), "Code: 26");
    EXPECT_EQ(whole("Map(String,UInt8)", "{'a':1"), "Code: 27");

    const auto json = [](const char* type, const char* text)
    { return parse_and_write(type, text, TextPlace::Json, TextPlace::Json); };
    EXPECT_EQ(json("Map(String,UInt8)", "{\"k\":1, \"l\":2}"), "{\"k\":1,\"l\":2}");
    EXPECT_EQ(json("Map(UInt8,UInt8)", "{\"1\":1}"), "{\"1\":1}");
    EXPECT_EQ(json("Map(Date,UInt8)", "{\"2024-01-01\":1}"), "{\"2024-01-01\":1}");
    EXPECT_EQ(json("Map(String,UInt8)", "[[\"k\",1]]"), "Code: 27");
    EXPECT_EQ(json("Map(String,Nullable(UInt8))", "{\"a\":null}"), "{\"a\":null}");
    EXPECT_EQ(parse_and_write("Map(String,UInt8)", "{'k':1}", TextPlace::Whole, TextPlace::Xml),
              "<map><elem><key>k</key><value>1</value></elem></map>");
    EXPECT_EQ(parse_and_write("Map(String,UInt8)", "\"{'k':1}\"", TextPlace::Csv, TextPlace::Csv),
              "\"{'k':1}\"");
}

TEST(JsonPretty, ObjectsOverSeveralLines)
{
    const auto pretty = [](const char* type_name, const char* text)
    {
        const TypePtr type = type_from_name(type_name);
        const auto column = column_of(type, {text});
        std::string out;
        StringOutputBuffer buffer(out);
        serialization_of(type)->write_json_pretty(*column, 0, buffer, {}, 1);
        buffer.finish();
        return out;
    };
    EXPECT_EQ(pretty("Array(UInt8)", "[1,2]"), "[1,2]");
    EXPECT_EQ(pretty("Map(String,UInt8)", "{}"), "{}");
    EXPECT_EQ(pretty("Map(String,Tuple(a UInt8))", "{'x':(1)}"),
              "{\n\t\t\"x\": {\n\t\t\t\"a\": 1\n\t\t}\n\t}");
    EXPECT_EQ(pretty("Array(Tuple(UInt8,Array(UInt8)))", "[(1,[2])]"),
              "[\n\t\t[\n\t\t\t1,\n\t\t\t[2]\n\t\t]\n\t]");
}

TEST(ReadText, AcrossBufferBorders)
{
    const std::string text = "['abc','d\\'ef'],12";
    const TypePtr type = type_from_name("Array(String)");
    for (size_t step = 1; step < text.size(); ++step)
    {
        size_t at = 0;
        CallbackInputBuffer in(
            [&](char* to, size_t size)
            {
                const size_t n = std::min({size, step, text.size() - at});
                std::memcpy(to, text.data() + at, n);
                at += n;
                return n;
            },
            16);
        const auto column = type->create_column();
        serialization_of(type)->read_text(*column, in, TextPlace::Quoted, {});
        EXPECT_EQ(value_text(*column, 0, type), "['abc','d\\'ef']");
        EXPECT_EQ(in.read_byte(), ',');
        const auto number = simple_type(TypeId::UInt8)->create_column();
        serialization_of(simple_type(TypeId::UInt8))->read_text(*number, in, TextPlace::Quoted, {});
        EXPECT_EQ(value_text(*number, 0, simple_type(TypeId::UInt8)), "12");
        EXPECT_THROW(serialization_of(type)->read_text(*column, in, TextPlace::Quoted, {}), Error);
    }
}

TEST(ParseWhole, SaysWhatStoodThere)
{
    const auto message = [](const char* type_name, const char* text) -> std::string
    {
        const TypePtr type = type_from_name(type_name);
        const auto column = type->create_column();
        try
        {
            parse_whole(text, type, *column, {});
        }
        catch (const Error& error)
        {
            EXPECT_EQ(column->size(), 0u);
            EXPECT_FALSE(try_parse_whole(text, type, *column, {}));
            EXPECT_EQ(column->size(), 0u);
            return std::to_string(error.code()) + " " + error.message();
        }
        return "";
    };
    EXPECT_EQ(message("UInt8", "1.5"),
              "6 Cannot parse string '1.5' as UInt8: syntax error at position 1 (parsed just '1')");
    EXPECT_EQ(message("Array(UInt8)", "[1,2]x"),
              "632 Unexpected data 'x' after parsed Array value '[1,2]'");
    EXPECT_EQ(message("UInt8", ""), "32 Attempt to read after eof");
}

TEST(ConvertValue, ExactOrNothing)
{
    const auto converted = [](Value value, const char* type) -> std::string
    {
        const auto result = convert_value(value, type_from_name(type));
        return result ? result->to_text() : "-";
    };
    EXPECT_EQ(converted(uint64_t{5}, "Int8"), "5");
    EXPECT_EQ(converted(uint64_t{300}, "UInt8"), "-");
    EXPECT_EQ(converted(int64_t{-1}, "UInt64"), "-");
    EXPECT_EQ(converted(5.0, "UInt8"), "5");
    EXPECT_EQ(converted(5.5, "UInt8"), "-");
    EXPECT_EQ(converted(uint64_t{1} << 60, "Float32"), "1152921504606847000.");
    EXPECT_EQ(converted((uint64_t{1} << 60) + 1, "Float64"), "-");
    EXPECT_EQ(converted(0.1, "Float32"), "-");
    EXPECT_EQ(converted(0.5, "Float32"), "0.5");
    EXPECT_EQ(converted(1.5, "Decimal(9,2)"), "1.5");
    EXPECT_EQ(converted(1.555, "Decimal(9,2)"), "-");
    EXPECT_EQ(converted(uint64_t{12345678}, "Decimal(9,2)"), "-");
    EXPECT_EQ(converted(Value(std::string("42")), "UInt8"), "42");
    EXPECT_EQ(converted(Value(std::string("300")), "UInt8"), "-");
    EXPECT_EQ(converted(Value(std::string("2024-02-03")), "Date"), "19756");
    EXPECT_EQ(converted(Value(std::string("2024-02-03 04:05:06.5")), "DateTime64(3,'UTC')"),
              "1706933106500");
    EXPECT_EQ(converted(uint64_t{1706933106}, "DateTime64(3)"), "1706933106000");
    EXPECT_EQ(converted(1706933106.5, "DateTime64(3)"), "1706933106500");
    EXPECT_EQ(converted(Null{}, "UInt8"), "-");
    EXPECT_EQ(converted(Null{}, "Nullable(UInt8)"), "NULL");
    EXPECT_EQ(converted(Value(std::string("x")), "Enum8('x' = 1)"), "1");
    EXPECT_EQ(converted(Value(std::string("y")), "Enum8('x' = 1)"), "-");
    EXPECT_EQ(converted(Value(std::string("ab")), "LowCardinality(String)"), "'ab'");
    EXPECT_EQ(converted(ArrayValue{{uint64_t{1}, 2.0}}, "Array(UInt8)"), "[1, 2]");
    EXPECT_EQ(converted(ArrayValue{{uint64_t{1}, 2.5}}, "Array(UInt8)"), "-");
    EXPECT_EQ(converted(TupleValue{{uint64_t{1}, std::string("x")}}, "Tuple(UInt8, String)"),
              "(1, 'x')");
}

TEST(ConvertValue, BetweenTypesOfColumns)
{
    const auto converted = [](Value value, const char* from, const char* type) -> std::string
    {
        TextOptions options;
        options.session_timezone = "Europe/Berlin";
        const auto result =
            convert_value(value, type_from_name(type), options, type_from_name(from));
        return result ? result->to_text() : "-";
    };
    EXPECT_EQ(converted(int64_t{1706933106500}, "DateTime64(3)", "DateTime64(6)"),
              "1706933106500000");
    EXPECT_EQ(converted(int64_t{1706933106500}, "DateTime64(3)", "DateTime"), "-");
    EXPECT_EQ(converted(int64_t{1706933106000}, "DateTime64(3)", "DateTime"), "1706933106");
    EXPECT_EQ(converted(uint64_t{19756}, "Date", "DateTime"), "1706914800");
    EXPECT_EQ(converted(uint64_t{1706914800}, "DateTime", "Date"), "19756");
    EXPECT_EQ(converted(uint64_t{1706914801}, "DateTime", "Date"), "-");
    EXPECT_EQ(converted(int64_t{150}, "Decimal(9,2)", "Decimal(18,1)"), "1.5");
    EXPECT_EQ(converted(int64_t{155}, "Decimal(9,2)", "Decimal(18,1)"), "-");
    EXPECT_EQ(converted(int64_t{1}, "Enum8('x' = 1)", "String"), "'x'");
}

} // namespace
} // namespace basalt
