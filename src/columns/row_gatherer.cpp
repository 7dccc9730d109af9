#include "columns/row_gatherer.h"

#include "columns/compact_column.h"
#include "columns/merge_runs.h"

#include <algorithm>

namespace basalt
{

namespace
{

// A column of the blocks in one form: constants become dictionaries of one value beside
// dictionaries and among themselves, anything else mixed becomes flat.
void unify(std::vector<Block>& blocks, size_t column)
{
    unify_compact_of(blocks, column);
    if (is_compact(*blocks[0][column].column))
        return;
    bool only_codes = true, same = true;
    const ColumnForm first = blocks[0][column].column->form();
    for (const Block& block : blocks)
    {
        const ColumnForm form = block[column].column->form();
        same &= form == first;
        only_codes &= form == ColumnForm::Constant || form == ColumnForm::Dictionary;
    }
    if (same && first != ColumnForm::Constant)
        return;
    for (Block& block : blocks)
    {
        ColumnPtr& data = block[column].column;
        if (!only_codes)
            data = to_flat(data);
        else if (data->form() == ColumnForm::Constant)
            data = std::make_shared<DictionaryColumn>(column_as<ConstantColumn>(data).nested(),
                                                      PodVector<uint32_t>(data->size(), 0));
    }
}

} // namespace

RowGatherer::RowGatherer(std::vector<Block> blocks) : blocks_(std::move(blocks))
{
    BASALT_ASSERT(!blocks_.empty());
    for (size_t i = 0; i < blocks_[0].width(); ++i)
        unify(blocks_, i);
}

Block RowGatherer::take(const RowRef* refs, size_t count) const
{
    std::vector<MergeRun> runs;
    runs.reserve(count);
    std::vector<char> used(blocks_.size(), 0);
    for (size_t i = 0; i < count; ++i)
    {
        const RowRef ref = refs[i];
        if (i && ref.block == runs.back().source &&
            ref.row == runs.back().begin + runs.back().count)
        {
            ++runs.back().count;
            continue;
        }
        runs.push_back({ref.block, ref.row, 1});
        used[ref.block] = 1;
    }
    std::vector<NamedColumn> columns;
    for (size_t i = 0; i < blocks_[0].width(); ++i)
    {
        Columns sources(blocks_.size());
        for (size_t b = 0; b < blocks_.size(); ++b)
            if (used[b] || count == 0)
                sources[b] = blocks_[b][i].column;
        columns.push_back(
            {join_runs(sources, runs, count), blocks_[0][i].type, blocks_[0][i].name});
    }
    return Block(std::move(columns), count);
}

} // namespace basalt
