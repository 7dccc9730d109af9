#pragma once

// A block: some rows of several columns, the unit that operators pass on.

#include "columns/column.h"

#include <string>
#include <vector>

namespace basalt
{

struct NamedType
{
    std::string name;
    TypePtr type;
};
using Header = std::vector<NamedType>; // names and types of a block's columns

struct NamedColumn
{
    ColumnPtr column;
    TypePtr type;
    std::string name;
};

class Block
{
public:
    Block() = default;
    explicit Block(std::vector<NamedColumn> columns)
        : columns_(std::move(columns)), rows_(columns_.empty() ? 0 : columns_[0].column->size())
    {
    }
    Block(std::vector<NamedColumn> columns, size_t rows)
        : columns_(std::move(columns)), rows_(rows)
    {
    }
    static Block empty_of(const Header& header); // zero rows, flat columns

    size_t rows() const { return rows_; }
    size_t width() const { return columns_.size(); }
    const std::vector<NamedColumn>& columns() const { return columns_; }
    const NamedColumn& operator[](size_t i) const { return columns_[i]; }
    NamedColumn& operator[](size_t i) { return columns_[i]; }

    void add(NamedColumn column);        // sets rows() when it is the first
    void set_rows(size_t rows) { rows_ = rows; } // for blocks without columns
    int find(std::string_view name) const;       // -1 when absent
    Header header() const;
    size_t byte_size() const;

    Block filter(const Mask& mask, size_t kept_rows) const;
    Block take(const RowIndexes& rows) const;
    Block slice(size_t begin, size_t count) const;
    Block flattened() const; // every column in flat form

private:
    std::vector<NamedColumn> columns_;
    size_t rows_ = 0;
};

// Rows of all blocks in one, flat. All have the same header; at least one block.
Block concat_blocks(const std::vector<Block>& blocks);

} // namespace basalt
