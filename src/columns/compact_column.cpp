#include "columns/compact_column.h"

#include "base/error.h"

namespace basalt
{

ColumnPtr CompactColumn::join_own(const std::vector<MergeRun>& runs, size_t rows) const
{
    return join({ColumnPtr(ColumnPtr(), this)}, runs, rows);
}

ColumnPtr CompactColumn::slice(size_t begin, size_t count) const
{
    BASALT_ASSERT(begin + count <= size());
    std::vector<MergeRun> runs;
    if (count)
        runs.push_back({0, static_cast<uint32_t>(begin), static_cast<uint32_t>(count)});
    return join_own(runs, count);
}

ColumnPtr CompactColumn::take(const RowIndexes& rows) const
{
    std::vector<MergeRun> runs;
    for (const uint32_t row : rows)
    {
        if (!runs.empty() && runs.back().begin + runs.back().count == row)
            ++runs.back().count;
        else
            runs.push_back({0, row, 1});
    }
    return join_own(runs, rows.size());
}

ColumnPtr CompactColumn::filter(const Mask& mask, size_t kept_rows) const
{
    RowIndexes rows;
    rows.reserve(kept_rows);
    for (size_t row = 0; row < mask.size(); ++row)
        if (mask[row])
            rows.push_back(static_cast<uint32_t>(row));
    return take(rows);
}

MutableColumnPtr CompactColumn::clone_empty() const
{
    BASALT_ASSERT(false);
    return nullptr;
}
void CompactColumn::append_from(const Column&, size_t)
{
    BASALT_ASSERT(false);
}
void CompactColumn::append_range(const Column&, size_t, size_t)
{
    BASALT_ASSERT(false);
}
void CompactColumn::append_default()
{
    BASALT_ASSERT(false);
}
void CompactColumn::append_value(const Value&)
{
    BASALT_ASSERT(false);
}
void CompactColumn::remove_last(size_t)
{
    BASALT_ASSERT(false);
}
Value CompactColumn::value_at(size_t) const
{
    BASALT_ASSERT(false);
    return {};
}
int CompactColumn::compare_at(size_t, const Column&, size_t, int) const
{
    BASALT_ASSERT(false);
    return 0;
}
void CompactColumn::hash_into(std::span<uint64_t>) const
{
    BASALT_ASSERT(false);
}
void CompactColumn::append_key(size_t, PodVector<char>&) const
{
    BASALT_ASSERT(false);
}
const char* CompactColumn::append_from_key(const char* key)
{
    BASALT_ASSERT(false);
    return key;
}

void unify_compact(Columns& columns)
{
    // One that can take flat columns in, if there is one.
    const CompactColumn* model = nullptr;
    bool others = false;
    for (const ColumnPtr& column : columns)
    {
        if (!column)
            continue;
        if (!is_compact(*column))
        {
            others = true;
            continue;
        }
        const auto& compact = static_cast<const CompactColumn&>(*column);
        if (!model)
            model = &compact;
        else if (!model->joins_with(compact))
        {
            others = true;
            const ColumnPtr none = std::make_shared<StringColumn>();
            if (!model->adopt(none))
                model = &compact;
        }
    }
    if (!model || !others)
        return;
    const bool adopts = model->adopt(std::make_shared<StringColumn>()) != nullptr;
    Columns made = columns; // the model stays where it is meanwhile
    for (ColumnPtr& column : made)
    {
        if (!column || (adopts && is_compact(*column) && model->joins_with(*column)))
            continue;
        column = to_values(column);
        if (adopts)
            column = model->adopt(column);
    }
    columns = std::move(made);
}

} // namespace basalt
