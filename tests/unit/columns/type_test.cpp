#include "base/error.h"
#include "columns/column.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

std::string parsed(const char* text)
{
    return type_from_name(text)->name();
}

int error_of(const char* text)
{
    try
    {
        type_from_name(text);
        return 0;
    }
    catch (const Error& error)
    {
        return error.code();
    }
}

std::string common(std::initializer_list<const char*> names)
{
    Types types;
    for (const char* name : names)
        types.push_back(type_from_name(name));
    const TypePtr type = try_common_type(types);
    return type ? type->name() : "-";
}

TEST(TypeName, IsTheInverseOfParsing)
{
    for (const char* name :
         {"Nothing", "Bool", "UInt8", "UInt256", "Int128", "Float32", "Date", "Date32", "DateTime",
          "DateTime('UTC')", "DateTime64(3, 'Asia/Tokyo')", "DateTime64(9)", "Time", "Time64(3)",
          "IntervalDay", "Enum8('a' = 1, 'b\\'c' = 2)", "Enum16('x' = 1000)", "UUID", "IPv4",
          "IPv6", "String", "FixedString(7)", "Nullable(String)", "Nullable(Nothing)",
          "LowCardinality(String)", "LowCardinality(Nullable(String))", "Array(Array(UInt8))",
          "Tuple()", "Tuple(UInt8, String)", "Tuple(a UInt8, `b c` String)", "Map(String, UInt8)",
          "Decimal(9, 2)", "Decimal(76, 76)", "Nested(a UInt8, b String)",
          "Array(Nested(a UInt8))", "SimpleAggregateFunction(sum, UInt64)"})
    {
        EXPECT_EQ(parsed(name), name);
        EXPECT_EQ(type_from_name(name)->create_column()->size(), 0u);
    }
}

TEST(TypeName, AliasesAndSpelling)
{
    EXPECT_EQ(parsed("int"), "Int32");
    EXPECT_EQ(parsed("INT(11)"), "Int32");
    EXPECT_EQ(parsed("INT(11) UNSIGNED"), "UInt32");
    EXPECT_EQ(parsed("int unsigned"), "UInt32");
    EXPECT_EQ(parsed("bigint signed"), "Int64");
    EXPECT_EQ(parsed("double precision"), "Float64");
    EXPECT_EQ(parsed("character varying(20)"), "String");
    EXPECT_EQ(parsed("national character large object"), "String");
    EXPECT_EQ(parsed("varchar(10)"), "String");
    EXPECT_EQ(parsed("BINARY(5)"), "FixedString(5)");
    EXPECT_EQ(parsed("TIMESTAMP"), "DateTime");
    EXPECT_EQ(parsed("timestamp(3)"), "DateTime64(3)");
    EXPECT_EQ(parsed("DateTime32('UTC')"), "DateTime('UTC')");
    EXPECT_EQ(parsed("DateTime64"), "DateTime64(3)");
    EXPECT_EQ(parsed("Decimal"), "Decimal(10, 0)");
    EXPECT_EQ(parsed("Decimal(10)"), "Decimal(10, 0)");
    EXPECT_EQ(parsed("Decimal32(2)"), "Decimal(9, 2)");
    EXPECT_EQ(parsed("NUMERIC(20)"), "Decimal(20, 0)");
    EXPECT_EQ(parsed("Decimal256(20)"), "Decimal(76, 20)");
    EXPECT_EQ(parsed("Enum('a','b')"), "Enum8('a' = 1, 'b' = 2)");
    EXPECT_EQ(parsed("Enum('a'=1000)"), "Enum16('a' = 1000)");
    EXPECT_EQ(parsed("Enum8('b'=2,'a'=-1)"), "Enum8('a' = -1, 'b' = 2)");
    EXPECT_EQ(parsed("bool"), "Bool");
    EXPECT_EQ(parsed("YEAR"), "UInt16");
    EXPECT_EQ(parsed(" Array( UInt8 ) "), "Array(UInt8)");
    EXPECT_EQ(parsed("Tuple(a double precision, b int unsigned)"),
              "Tuple(a Float64, b UInt32)");
}

TEST(TypeName, Errors)
{
    EXPECT_EQ(error_of("Foo"), error_codes::UNKNOWN_TYPE);
    EXPECT_EQ(error_of("uint8"), error_codes::UNKNOWN_TYPE);
    EXPECT_EQ(error_of("Array"), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("Array(UInt8, UInt8)"), error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error_of("Nullable(Array(UInt8))"), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("Nullable(Nullable(UInt8))"), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("LowCardinality(Decimal(9,2))"), error_codes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(error_of("FixedString(0)"), error_codes::UNEXPECTED_AST_STRUCTURE);
    EXPECT_EQ(error_of("Decimal(77,2)"), error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(error_of("Decimal(5,6)"), error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(error_of("DateTime64(10)"), error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(error_of("Enum8('a'=1,'a'=2)"), error_codes::SYNTAX_ERROR);
    EXPECT_EQ(error_of("Enum8('a'=200)"), error_codes::ARGUMENT_OUT_OF_BOUND);
    EXPECT_EQ(error_of("Map(Nullable(String),UInt8)"), error_codes::BAD_ARGUMENTS);
    EXPECT_EQ(error_of("Date(3)"), error_codes::DATA_TYPE_CANNOT_HAVE_ARGUMENTS);
    EXPECT_EQ(error_of("JSON"), error_codes::NOT_IMPLEMENTED);
    EXPECT_EQ(error_of("UInt8)"), error_codes::SYNTAX_ERROR);
    EXPECT_EQ(error_of(""), error_codes::SYNTAX_ERROR);
    EXPECT_EQ(error_of("Enum8('a"), error_codes::SYNTAX_ERROR);
    std::string deep;
    for (int i = 0; i < 400; ++i)
        deep += "Array(";
    EXPECT_EQ(error_of(deep.c_str()), error_codes::TOO_DEEP_RECURSION);
}

TEST(CommonType, Numbers)
{
    EXPECT_EQ(common({"UInt8", "Int8"}), "Int16");
    EXPECT_EQ(common({"UInt32", "Int8"}), "Int64");
    EXPECT_EQ(common({"UInt64", "Int8"}), "-");
    EXPECT_EQ(common({"UInt64", "Int128"}), "Int128");
    EXPECT_EQ(common({"UInt128", "Int8"}), "Int256");
    EXPECT_EQ(common({"UInt256", "Int8"}), "-");
    EXPECT_EQ(common({"UInt8", "Float32"}), "Float32");
    EXPECT_EQ(common({"UInt32", "Float32"}), "Float64");
    EXPECT_EQ(common({"Int64", "Float64"}), "-");
    EXPECT_EQ(common({"Bool", "UInt8"}), "Bool");
    EXPECT_EQ(common({"UInt8", "Bool"}), "UInt8");
    EXPECT_EQ(common({"Bool", "UInt64"}), "UInt64");
    EXPECT_EQ(common({"Decimal(9, 2)", "UInt32"}), "Decimal(18, 2)");
    EXPECT_EQ(common({"Decimal(18, 4)", "Int64"}), "Decimal(38, 4)");
    EXPECT_EQ(common({"Decimal(5, 2)", "Decimal(4, 1)"}), "Decimal(9, 2)");
    EXPECT_EQ(common({"Decimal(9, 2)", "Float64"}), "-");
}

TEST(CommonType, DatesStringsAndWrappers)
{
    EXPECT_EQ(common({"Date", "Date32"}), "Date32");
    EXPECT_EQ(common({"Date", "DateTime('UTC')"}), "DateTime('UTC')");
    EXPECT_EQ(common({"Date", "Date32", "DateTime"}), "DateTime64(0)");
    EXPECT_EQ(common({"DateTime('Asia/Tokyo')", "DateTime64(3, 'UTC')"}), "DateTime64(3, 'UTC')");
    EXPECT_EQ(common({"DateTime('UTC')", "Time64(3)"}), "DateTime64(3, 'UTC')");
    EXPECT_EQ(common({"String", "FixedString(3)"}), "String");
    EXPECT_EQ(common({"String", "UInt8"}), "-");
    EXPECT_EQ(common({"Enum8('a' = 1)", "String"}), "String");
    EXPECT_EQ(common({"Enum8('a' = 1)", "Enum16('b' = 1)"}), "Int16");
    EXPECT_EQ(common({"LowCardinality(String)", "String"}), "String");
    EXPECT_EQ(common({"LowCardinality(String)", "LowCardinality(Nullable(String))"}),
              "LowCardinality(Nullable(String))");
    EXPECT_EQ(common({"LowCardinality(String)", "Nullable(Nothing)"}), "Nullable(String)");
    EXPECT_EQ(common({"Nullable(Nothing)", "UInt8"}), "Nullable(UInt8)");
    EXPECT_EQ(common({"Array(Nothing)", "Array(UInt8)"}), "Array(UInt8)");
    EXPECT_EQ(common({"Array(UInt8)", "Array(Int8)"}), "Array(Int16)");
    EXPECT_EQ(common({"Nullable(Nothing)", "Array(Int8)"}), "-");
    EXPECT_EQ(common({"Tuple(a UInt8)", "Tuple(a UInt16)"}), "Tuple(a UInt16)");
    EXPECT_EQ(common({"Tuple(a UInt8)", "Tuple(b UInt16)"}), "Tuple(UInt16)");
    EXPECT_EQ(common({"Map(String, UInt8)", "Map(String, Int16)"}), "Map(String, Int16)");
    EXPECT_EQ(common({"IntervalDay", "IntervalHour"}), "IntervalHour");
    EXPECT_EQ(common({"IntervalDay", "IntervalYear"}), "-");
    EXPECT_EQ(common({}), "Nothing");
    EXPECT_THROW(common_type({type_from_name("String"), type_from_name("UInt8")}), Error);
}

TEST(TypeOfValue, Literals)
{
    EXPECT_EQ(type_of_value(uint64_t{255})->name(), "UInt8");
    EXPECT_EQ(type_of_value(uint64_t{256})->name(), "UInt16");
    EXPECT_EQ(type_of_value(int64_t{-128})->name(), "Int8");
    EXPECT_EQ(type_of_value(int64_t{-129})->name(), "Int16");
    EXPECT_EQ(type_of_value(Null{})->name(), "Nullable(Nothing)");
    EXPECT_EQ(type_of_value(1.5)->name(), "Float64");
    EXPECT_EQ(type_of_value(ArrayValue{{uint64_t{1}, int64_t{-1}}})->name(), "Array(Int16)");
    EXPECT_EQ(type_of_value(ArrayValue{{uint64_t{1} << 32, int64_t{-1}}})->name(), "Array(Int64)");
    EXPECT_EQ(type_of_value(TupleValue{{uint64_t{1}, std::string("a")}})->name(),
              "Tuple(UInt8, String)");
    EXPECT_EQ(type_of_value(ArrayValue{})->name(), "Array(Nothing)");
}

TEST(ValueText, ReadsAsALiteral)
{
    EXPECT_EQ(Value(uint64_t{7}).to_text(), "7");
    EXPECT_EQ(Value(int64_t{-7}).to_text(), "-7");
    EXPECT_EQ(Value(0.1).to_text(), "0.1");
    EXPECT_EQ(Value(1e10).to_text(), "10000000000.");
    EXPECT_EQ(Value(1e21).to_text(), "1e21");
    EXPECT_EQ(Value(1.5e-7).to_text(), "1.5e-7");
    EXPECT_EQ(Value(std::string("a'b\\\n")).to_text(), "'a\\'b\\\\\\n'");
    EXPECT_EQ(Value(Null{}).to_text(), "NULL");
    EXPECT_EQ(Value(ArrayValue{{uint64_t{1}, Null{}}}).to_text(), "[1, NULL]");
    EXPECT_EQ(Value(TupleValue{{uint64_t{1}}}).to_text(), "(1,)");
    EXPECT_EQ(Value(DecimalValue{Int256(-150), 2}).to_text(), "-1.5");
}

} // namespace
} // namespace basalt
