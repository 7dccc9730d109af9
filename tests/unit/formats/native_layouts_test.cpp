// Columns in special layouts, byte by byte.

#include "formats/native.h"
#include "formats/native_layouts.h"
#include "io/binary.h"

#include <functional>
#include <gtest/gtest.h>

namespace basalt
{
namespace
{

constexpr uint64_t kEnd = 1ull << 62;

std::string bytes_of(const std::function<void(OutputBuffer&)>& write)
{
    std::string bytes;
    StringOutputBuffer out(bytes);
    write(out);
    out.finish();
    return bytes;
}

// The column's values as texts.
std::vector<std::string> read(const std::string& type_name, uint64_t rows, const std::string& bytes)
{
    const TypePtr type = type_from_name(type_name);
    MemoryInputBuffer in(bytes);
    const ColumnLayout layout = read_column_layout(in, type);
    const ColumnPtr column = read_column_in_layout(layout, type, rows, in);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(column->size(), rows);
    std::vector<std::string> texts;
    for (size_t row = 0; row < column->size(); ++row)
        texts.push_back(value_text(*column, row, type));
    return texts;
}

using Texts = std::vector<std::string>;

TEST(NativeLayouts, Sparse)
{
    const std::string bytes = bytes_of(
        [](OutputBuffer& out)
        {
            out.write('\1');
            write_varint(out, 2);
            write_varint(out, 0);
            write_varint(out, kEnd | 1);
            write_fixed<uint16_t>(out, 700);
            write_fixed<uint16_t>(out, 800);
        });
    EXPECT_EQ(read("UInt16", 5, bytes), (Texts{"0", "0", "700", "800", "0"}));
}

TEST(NativeLayouts, SparseNullableHasNoNullMap)
{
    const std::string bytes = bytes_of(
        [](OutputBuffer& out)
        {
            out.write('\1');
            write_varint(out, 1);
            write_varint(out, kEnd | 1);
            write_string(out, "here");
        });
    const TypePtr type = type_from_name("Nullable(String)");
    MemoryInputBuffer in(bytes);
    const auto layout = read_column_layout(in, type);
    const auto column = to_flat(read_column_in_layout(layout, type, 3, in));
    EXPECT_TRUE(column->is_null_at(0));
    EXPECT_FALSE(column->is_null_at(1));
    EXPECT_TRUE(column->is_null_at(2));
}

TEST(NativeLayouts, Replicated)
{
    const std::string bytes = bytes_of(
        [](OutputBuffer& out)
        {
            out.write('\4');
            write_varint(out, 4);
            out.write('\1');
            out.write("\1\0\1\1", 4);
            write_varint(out, 2);
            write_string(out, "a");
            write_string(out, "b");
        });
    EXPECT_EQ(read("String", 4, bytes), (Texts{"b", "a", "b", "b"}));
}

TEST(NativeLayouts, TupleWithASparseElement)
{
    const std::string bytes = bytes_of(
        [](OutputBuffer& out)
        {
            out.write("\0\0\1", 3); // the tuple, its elements
            write_fixed<uint8_t>(out, 1);
            write_fixed<uint8_t>(out, 2);
            write_varint(out, 1);
            write_varint(out, kEnd);
            write_string(out, "x");
        });
    EXPECT_EQ(read("Tuple(UInt8, String)", 2, bytes), (Texts{"(1,'')", "(2,'x')"}));
}

TEST(NativeLayouts, BrokenOnes)
{
    const auto fails = [](const std::string& type_name, uint64_t rows, const std::string& bytes)
    {
        const TypePtr type = type_from_name(type_name);
        MemoryInputBuffer in(bytes);
        EXPECT_THROW(
            {
                const ColumnLayout layout = read_column_layout(in, type);
                read_column_in_layout(layout, type, rows, in);
            },
            Error);
    };
    fails("UInt8", 2, std::string("\7", 1));
    fails("UInt8", 2, std::string("\2", 1)); // a layout that only servers use
    fails("UInt8", 2, std::string("\1\5", 2)); // beyond the rows
    fails("UInt8", 2, bytes_of([](OutputBuffer& out)
                               {
                                   out.write('\1');
                                   write_varint(out, kEnd | 1);
                               })); // too few rows
    fails("String", 2, std::string("\4\2\1\0\1\1\1a", 8)); // an index beyond the values
    fails("String", 2, std::string("\4\2\3\0\1", 5));      // indexes of 3 bytes
    fails("String", 2, std::string("\4\3", 2));            // another number of rows
    // A block may not blow up from a few bytes.
    const std::string huge = bytes_of(
        [](OutputBuffer& out)
        {
            write_varint(out, 0);
            write_varint(out, 1);
            write_varint(out, 1ull << 31);
            write_string(out, "c");
            write_string(out, "UInt64");
            out.write("\1\1", 2);
            write_varint(out, kEnd | (1ull << 31));
        });
    MemoryInputBuffer in(huge);
    EXPECT_THROW(read_native_block(in, 54486), Error);
}

} // namespace
} // namespace basalt
