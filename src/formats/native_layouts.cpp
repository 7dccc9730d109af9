#include "formats/native_layouts.h"

#include "base/error.h"
#include "columns/serialization.h"
#include "columns/type.h"
#include "io/binary.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

namespace
{

[[noreturn]] void bad_layout(std::string_view what)
{
    throw Error(error_codes::INCORRECT_DATA, fmt::format("Native format: {}", what));
}

void read_prefix(const ColumnLayout& layout, const TypePtr& type, InputBuffer& in)
{
    if (!layout.elements.empty())
    {
        const auto& elements = type_as<TupleType>(type).elements();
        for (size_t i = 0; i < elements.size(); ++i)
            read_prefix(layout.elements[i], elements[i], in);
        return;
    }
    serialization_of(type)->read_native_prefix(in);
}

// Row i is `values`' row indexes[i].
ColumnPtr pick(const ColumnPtr& values, const RowIndexes& indexes)
{
    return to_flat(values)->take(indexes);
}

ColumnPtr read_sparse(const TypePtr& type, uint64_t rows, InputBuffer& in)
{
    // Each number: how many defaults stand before the next value. With the flag: how many stand
    // after the last value.
    constexpr uint64_t kEnd = 1ull << 62;
    std::vector<uint64_t> positions;
    uint64_t row = 0;
    for (;;)
    {
        const uint64_t number = read_varint(in);
        const uint64_t defaults = number & ~kEnd;
        if (defaults > rows - row)
            bad_layout("a sparse column has more rows than its block");
        row += defaults;
        if (number & kEnd)
            break;
        if (row >= rows)
            bad_layout("a sparse column has more rows than its block");
        positions.push_back(row++);
    }
    if (row != rows)
        bad_layout(fmt::format("a sparse column of {} rows in a block of {}", row, rows));

    // The values of a Nullable come without NULLs: NULL is its default.
    const bool is_nullable = type->is_nullable();
    const TypePtr value_type = is_nullable ? remove_nullable(type) : type;
    const uint64_t count = positions.size();
    const MutableColumnPtr values = value_type->create_column();
    if (count > 0)
        values->append_range(
            *to_flat(serialization_of(value_type)->read_native_data(count, in)), 0, count);
    values->append_default();
    ColumnPtr with_default = values;
    if (is_nullable)
    {
        auto nulls = std::make_shared<VectorColumn<uint8_t>>(count + 1, uint8_t{0});
        nulls->data()[count] = 1;
        with_default = NullableColumn::make(values, nulls);
    }
    RowIndexes indexes(rows, static_cast<uint32_t>(count));
    for (uint64_t i = 0; i < count; ++i)
        indexes[positions[i]] = static_cast<uint32_t>(i);
    return pick(with_default, indexes);
}

ColumnPtr read_replicated(const TypePtr& type, uint64_t rows, InputBuffer& in)
{
    if (read_varint(in) != rows)
        bad_layout("a replicated column has another number of rows than its block");
    const auto width = static_cast<uint8_t>(in.read_byte());
    if (width != 1 && width != 2 && width != 4 && width != 8)
        bad_layout(fmt::format("indexes of {} bytes", width));
    RowIndexes indexes(rows);
    for (uint64_t i = 0; i < rows; ++i)
    {
        uint64_t index = 0;
        in.read_exact(reinterpret_cast<char*>(&index), width);
        if (index > UINT32_MAX)
            bad_layout("an index beyond the values");
        indexes[i] = static_cast<uint32_t>(index);
    }
    const uint64_t count = read_varint(in);
    if (count > kMaxSpecialLayoutRows)
        bad_layout(fmt::format("{} values in a replicated column", count));
    for (const uint32_t index : indexes)
        if (index >= count)
            bad_layout("an index beyond the values");
    if (rows == 0)
        return type->create_column();
    return pick(serialization_of(type)->read_native_data(count, in), indexes);
}

ColumnPtr read_data(const ColumnLayout& layout, const TypePtr& type, uint64_t rows,
                    InputBuffer& in)
{
    if (layout.kind == ColumnLayout::Kind::Sparse)
        return read_sparse(type, rows, in);
    if (layout.kind == ColumnLayout::Kind::Replicated)
        return read_replicated(type, rows, in);
    if (layout.is_default())
        return serialization_of(type)->read_native_data(rows, in);
    const auto& elements = type_as<TupleType>(type).elements();
    Columns columns;
    for (size_t i = 0; i < elements.size(); ++i)
        columns.push_back(to_flat(read_data(layout.elements[i], elements[i], rows, in)));
    return TupleColumn::make(std::move(columns), rows);
}

} // namespace

bool ColumnLayout::is_default() const
{
    return kind == Kind::Default && std::all_of(elements.begin(), elements.end(),
                                                [](const auto& e) { return e.is_default(); });
}

ColumnLayout read_column_layout(InputBuffer& in, const TypePtr& type)
{
    constexpr uint8_t kDefault = 0, kSparse = 1, kReplicated = 4, kMaxKnown = 5;
    ColumnLayout layout;
    const auto kind = static_cast<uint8_t>(in.read_byte());
    if (kind == kSparse)
        layout.kind = ColumnLayout::Kind::Sparse;
    else if (kind == kReplicated)
        layout.kind = ColumnLayout::Kind::Replicated;
    else if (kind > kMaxKnown)
        bad_layout(fmt::format("unknown layout {}", kind));
    else if (kind != kDefault)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Columns in layout {} of the native protocol are not implemented",
                                kind));
    if (type->is(TypeId::Tuple))
        for (const TypePtr& element : type_as<TupleType>(type).elements())
            layout.elements.push_back(read_column_layout(in, element));
    if (layout.kind != ColumnLayout::Kind::Default && !layout.elements.empty())
        for (const auto& element : layout.elements)
            if (!element.is_default())
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "A tuple in a special layout whose elements have one too is not "
                            "implemented");
    return layout;
}

ColumnPtr read_column_in_layout(const ColumnLayout& layout, const TypePtr& type, uint64_t rows,
                                InputBuffer& in)
{
    read_prefix(layout, type, in);
    return read_data(layout, type, rows, in);
}

} // namespace basalt
