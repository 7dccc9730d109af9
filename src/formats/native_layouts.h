#pragma once

// Columns of the native protocol in a layout of their own: sparse (only values that are not the
// default), replicated (distinct values and an index per row). docs/protocol/native.md.

#include "columns/column.h"
#include "io/buffer.h"

#include <vector>

namespace basalt
{

// Rows of a block that has such columns: few bytes may stand for many rows.
inline constexpr uint64_t kMaxSpecialLayoutRows = 1 << 24;

struct ColumnLayout
{
    enum class Kind : uint8_t
    {
        Default,
        Sparse,
        Replicated,
    } kind = Kind::Default;
    std::vector<ColumnLayout> elements; // of a Tuple

    bool is_default() const;
};

// What stands behind the byte that says that there is a layout. NOT_IMPLEMENTED for layouts that
// only servers send each other, INCORRECT_DATA for unknown ones.
ColumnLayout read_column_layout(InputBuffer& in, const TypePtr& type);

ColumnPtr read_column_in_layout(const ColumnLayout& layout, const TypePtr& type, uint64_t rows,
                                InputBuffer& in);

} // namespace basalt
