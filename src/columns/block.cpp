#include "columns/block.h"

#include "columns/compact_column.h"

#include <algorithm>

namespace basalt
{

Block Block::empty_of(const Header& header)
{
    std::vector<NamedColumn> columns;
    for (const NamedType& named : header)
        columns.push_back({named.type->create_column(), named.type, named.name});
    return Block(std::move(columns));
}

void Block::add(NamedColumn column)
{
    if (columns_.empty())
        rows_ = column.column->size();
    BASALT_DCHECK(column.column->size() == rows_);
    columns_.push_back(std::move(column));
}

int Block::find(std::string_view name) const
{
    for (size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].name == name)
            return static_cast<int>(i);
    return -1;
}

Header Block::header() const
{
    Header header;
    for (const NamedColumn& column : columns_)
        header.push_back({column.name, column.type});
    return header;
}

size_t Block::byte_size() const
{
    size_t bytes = 0;
    for (const NamedColumn& column : columns_)
        bytes += column.column->byte_size();
    return bytes;
}

Block Block::filter(const Mask& mask, size_t kept_rows) const
{
    BASALT_DCHECK(mask.size() == rows_);
    if (kept_rows == rows_)
        return *this;
    Block result(*this);
    for (NamedColumn& column : result.columns_)
        column.column = column.column->filter(mask, kept_rows);
    result.rows_ = kept_rows;
    return result;
}

Block Block::take(const RowIndexes& rows) const
{
    Block result(*this);
    for (NamedColumn& column : result.columns_)
        column.column = column.column->take(rows);
    result.rows_ = rows.size();
    return result;
}

Block Block::slice(size_t begin, size_t count) const
{
    BASALT_DCHECK(begin + count <= rows_);
    if (count == rows_)
        return *this;
    Block result(*this);
    for (NamedColumn& column : result.columns_)
        column.column = column.column->slice(begin, count);
    result.rows_ = count;
    return result;
}

Block Block::flattened() const
{
    Block result(*this);
    for (NamedColumn& column : result.columns_)
        column.column = to_flat(column.column);
    return result;
}

Block concat_blocks(const std::vector<Block>& blocks)
{
    BASALT_ASSERT(!blocks.empty());
    if (blocks.size() == 1)
        return blocks[0].flattened();
    size_t rows = 0;
    for (const Block& block : blocks)
        rows += block.rows();
    std::vector<NamedColumn> columns;
    for (size_t i = 0; i < blocks[0].width(); ++i)
    {
        if (std::any_of(blocks.begin(), blocks.end(), [i](const Block& block)
                        { return is_compact(*block[i].column); }))
        {
            Columns parts;
            std::vector<MergeRun> runs;
            for (const Block& block : blocks)
            {
                if (block.rows())
                    runs.push_back({static_cast<uint32_t>(parts.size()), 0,
                                    static_cast<uint32_t>(block.rows())});
                parts.push_back(block[i].column);
            }
            columns.push_back({join_runs(parts, runs, rows), blocks[0][i].type, blocks[0][i].name});
            continue;
        }
        MutableColumnPtr whole = blocks[0][i].column->clone_empty();
        whole->reserve(rows);
        for (const Block& block : blocks)
            whole->append_range(*block[i].column, 0, block.rows());
        columns.push_back({std::move(whole), blocks[0][i].type, blocks[0][i].name});
    }
    return Block(std::move(columns), rows);
}

} // namespace basalt
