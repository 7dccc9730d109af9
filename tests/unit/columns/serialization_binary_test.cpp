#include <gtest/gtest.h>

#include "tests/unit/columns/serialization_probe.h"

namespace basalt
{
namespace
{

std::string hex(std::string_view bytes)
{
    std::string out;
    for (const char c : bytes)
    {
        out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

struct Case
{
    const char* type;
    std::initializer_list<const char*> values;
    const char* native;
    const char* row_binary;
};

TEST(Binary, NativeAndRowBinaryAsTheOracle)
{
    const Case cases[] = {
        {"LowCardinality(Nullable(String))",
         {"a", "a"},
         "010000000000000000060000000000000300000000000000000001610200000000000000" "0202",
         "00016100" "0161"},
        {"Array(LowCardinality(String))",
         {"['x','y']", "['x','y']"},
         "0100000000000000" "02000000000000000400000000000000" "0006000000000000"
         "0300000000000000" "0001780179" "0400000000000000" "01020102",
         "0201780179" "0201780179"},
        {"Array(LowCardinality(String))", {"[]"}, "01000000000000000000000000000000", "00"},
        {"LowCardinality(String)",
         {""},
         "0100000000000000" "0006000000000000" "0100000000000000" "00" "0100000000000000" "00",
         "00"},
        {"LowCardinality(Nullable(String))",
         {"NULL"},
         "0100000000000000" "0006000000000000" "0200000000000000" "0000" "0100000000000000" "00",
         "01"},
        {"Tuple(LowCardinality(String), Array(LowCardinality(String)))",
         {"('a',['b'])"},
         "0100000000000000" "0100000000000000" "0006000000000000" "0200000000000000" "000161"
         "0100000000000000" "01" "0100000000000000" "0006000000000000" "0200000000000000" "000162"
         "0100000000000000" "01",
         "01610101" "62"},
        {"Map(String, UInt8)",
         {"{'k':1}", "{'k':1}"},
         "01000000000000000200000000000000" "016b016b" "0101",
         "01016b0101016b01"},
        {"Tuple()", {"()"}, "30", ""},
        {"Array(Nullable(UInt8))", {"[NULL,1]"}, "0200000000000000" "0100" "0001", "02010001"},
        {"FixedString(3)", {"ab"}, "616200", "616200"},
        {"UUID",
         {"61f0c404-5cb3-11e7-907b-a6006ad3dba0"},
         "e711b35c04c4f061a0dbd36a00a67b90",
         "e711b35c04c4f061a0dbd36a00a67b90"},
        {"IPv6", {"::1"}, "00000000000000000000000000000001", "00000000000000000000000000000001"},
        {"Decimal(38, 3)",
         {"1.5"},
         "dc050000000000000000000000000000",
         "dc050000000000000000000000000000"},
        {"Time64(3)", {"12:34:56.789"}, "952cb30200000000", "952cb30200000000"},
        {"Nullable(UInt8)", {"5", "NULL"}, "00010500", "000501"},
        {"Bool", {"true"}, "01", "01"},
    };
    for (const Case& c : cases)
    {
        SCOPED_TRACE(c.type);
        const TypePtr type = type_from_name(c.type);
        const auto serialization = serialization_of(type);
        const auto column = column_of(type, c.values);
        std::string native, rows;
        StringOutputBuffer native_out(native), rows_out(rows);
        serialization->write_native(*column, 0, column->size(), native_out);
        for (size_t i = 0; i < column->size(); ++i)
            serialization->write_binary(*column, i, rows_out);
        native_out.finish();
        rows_out.finish();
        EXPECT_EQ(hex(native), c.native);
        EXPECT_EQ(hex(rows), c.row_binary);

        MemoryInputBuffer native_in(native), rows_in(rows);
        const ColumnPtr from_native = to_flat(serialization->read_native(column->size(), native_in));
        EXPECT_TRUE(native_in.eof());
        const auto from_rows = type->create_column();
        for (size_t i = 0; i < column->size(); ++i)
            serialization->read_binary(*from_rows, rows_in);
        EXPECT_TRUE(rows_in.eof());
        ASSERT_EQ(from_native->size(), column->size());
        for (size_t i = 0; i < column->size(); ++i)
        {
            EXPECT_EQ(value_text(*from_native, i, type), value_text(*column, i, type));
            EXPECT_EQ(value_text(*from_rows, i, type), value_text(*column, i, type));
        }
        // Cut anywhere, it is an error and not a value.
        for (size_t size = 0; size < native.size(); ++size)
        {
            MemoryInputBuffer cut(std::string_view(native).substr(0, size));
            EXPECT_THROW(serialization->read_native(column->size(), cut), Error) << size;
        }
        for (size_t size = 0; size < rows.size(); ++size)
        {
            MemoryInputBuffer cut(std::string_view(rows).substr(0, size));
            const auto part = type->create_column();
            EXPECT_THROW(
                for (size_t i = 0; i < column->size(); ++i) serialization->read_binary(*part, cut),
                Error)
                << size;
        }
    }
}

TEST(Binary, NothingIsAZeroCharacterARow)
{
    const TypePtr type = type_of_value(Null{});
    const ColumnPtr column = make_constant(type, Null{}, 2);
    std::string native;
    StringOutputBuffer out(native);
    serialization_of(type)->write_native(*column, 0, 2, out);
    out.finish();
    EXPECT_EQ(hex(native), "01013030");
    MemoryInputBuffer in(native);
    EXPECT_EQ(serialization_of(type)->read_native(2, in)->size(), 2u);
}

TEST(Binary, SlicesOfNestedColumns)
{
    for (const char* name : {"Array(Array(LowCardinality(String)))", "Map(String, Array(UInt8))",
                             "Array(Tuple(a Nullable(UInt8), b String))"})
    {
        const TypePtr type = type_from_name(name);
        const MutableColumnPtr column =
            std::string_view(name).starts_with("Map")
                ? column_of(type, {"{'a':[1]}", "{}", "{'b':[],'c':[2,3]}", "{'d':[4]}"})
            : std::string_view(name).find("Tuple") != std::string_view::npos
                ? column_of(type, {"[(1,'x')]", "[]", "[(NULL,'y'),(2,'z')]", "[(3,'w')]"})
                : column_of(type, {"[['a'],['b','a']]", "[]", "[[],['c']]", "[['d']]"});
        for (size_t begin = 0; begin <= 4; ++begin)
            for (size_t count = 0; begin + count <= 4; ++count)
            {
                std::string bytes;
                StringOutputBuffer out(bytes);
                serialization_of(type)->write_native(*column, begin, count, out);
                out.finish();
                MemoryInputBuffer in(bytes);
                const ColumnPtr back = to_flat(serialization_of(type)->read_native(count, in));
                ASSERT_EQ(back->size(), count);
                for (size_t i = 0; i < count; ++i)
                    EXPECT_EQ(value_text(*back, i, type), value_text(*column, begin + i, type));
            }
    }
}

TEST(Binary, LyingSizes)
{
    const auto expect_error = [](const char* type, std::string_view bytes, size_t rows)
    {
        MemoryInputBuffer in(bytes);
        EXPECT_THROW(serialization_of(type_from_name(type))->read_native(rows, in), Error) << type;
    };
    expect_error("UInt64", "12345678", size_t{1} << 40);
    expect_error("String", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 1);
    expect_error("Array(UInt8)", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 1);
    expect_error("FixedString(1000000)", "x", size_t{1} << 30);
}

} // namespace
} // namespace basalt
