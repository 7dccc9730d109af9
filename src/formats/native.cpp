#include "formats/native.h"

#include "formats/native_layouts.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

// Fields of block info: number, value; 0 ends them.
constexpr uint64_t kIsOverflows = 1;
constexpr uint64_t kBucketNumber = 2;

void write_block_info(OutputBuffer& out)
{
    write_varint(out, kIsOverflows);
    out.write('\0');
    write_varint(out, kBucketNumber);
    write_fixed<int32_t>(out, -1);
    write_varint(out, 0);
}

void read_block_info(InputBuffer& in)
{
    constexpr uint64_t kOutOfOrderBuckets = 3;
    for (;;)
    {
        const uint64_t field = read_varint(in);
        if (field == 0)
            return;
        if (field == kIsOverflows)
            in.read_byte();
        else if (field == kBucketNumber)
            read_fixed<int32_t>(in);
        else if (field == kOutOfOrderBuckets)
        {
            const uint64_t count = read_varint(in);
            if (count > kMaxNativeColumns)
                throw Error(error_codes::INCORRECT_DATA, "Too many buckets in block info");
            in.ignore(count * sizeof(int32_t));
        }
        else
            throw Error(error_codes::UNKNOWN_BLOCK_INFO_FIELD,
                        fmt::format("Unknown block info field {}", field));
    }
}

} // namespace

void write_native_block(const Block& block, OutputBuffer& out, uint64_t revision)
{
    if (revision >= kRevisionWithBlockInfo)
        write_block_info(out);
    write_varint(out, block.width());
    write_varint(out, block.rows());
    for (const NamedColumn& column : block.columns())
    {
        write_string(out, column.name);
        const bool drops_zone =
            revision < kRevisionWithTimeZones && column.type->is(TypeId::DateTime);
        write_string(out, drops_zone ? "DateTime" : std::string_view(column.type->name()));
        if (revision >= kRevisionWithCustomSerialization)
            out.write('\0');
        if (block.rows() > 0)
            serialization_of(column.type)->write_native(*column.column, 0, block.rows(), out);
    }
}

std::optional<Block> read_native_block(InputBuffer& in, uint64_t revision)
{
    if (in.eof())
        return std::nullopt;
    if (revision >= kRevisionWithBlockInfo)
        read_block_info(in);
    const uint64_t width = read_varint(in);
    const uint64_t rows = read_varint(in);
    if (width > kMaxNativeColumns || rows > kMaxNativeRows)
        throw Error(error_codes::INCORRECT_DATA,
                    fmt::format("Suspiciously many columns or rows in Native format: {} and {}",
                                width, rows));
    std::vector<NamedColumn> columns;
    for (uint64_t i = 0; i < width; ++i)
    {
        constexpr uint64_t kMaxNameBytes = 1 << 20;
        NamedColumn column;
        column.name = read_string(in, kMaxNameBytes);
        column.type = type_from_name(read_string(in, kMaxNameBytes));
        ColumnLayout layout;
        if (revision >= kRevisionWithCustomSerialization && in.read_byte() != 0)
            layout = read_column_layout(in, column.type);
        if (rows > 0 && !layout.is_default())
        {
            if (rows > kMaxSpecialLayoutRows)
                throw Error(error_codes::INCORRECT_DATA,
                            fmt::format("{} rows in a block with a sparse column; the limit is {}",
                                        rows, kMaxSpecialLayoutRows));
            column.column = read_column_in_layout(layout, column.type, rows, in);
        }
        else if (rows > 0)
            column.column = serialization_of(column.type)->read_native(rows, in);
        else
            column.column = column.type->create_column();
        columns.push_back(std::move(column));
    }
    return Block(std::move(columns), rows);
}

} // namespace basalt
