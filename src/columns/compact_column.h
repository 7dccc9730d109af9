#pragma once

// Columns on their way from a decoder or an evaluator to an encoder, in a form that is cheaper to
// move than values: texts as binary digits, as templates and slots. They can be measured, cut and
// joined; their values cannot be asked for one by one, so operators and functions never see them:
// who makes them hands them to an encoder, with nothing between but sorting and merging by other
// columns.

#include "columns/column.h"
#include "columns/merge_runs.h"

namespace basalt
{

inline constexpr ColumnForm kCompactForm = ColumnForm{32};

class CompactColumn : public Column
{
public:
    // The rows of the runs, one after the other. sources: columns that joins_with() accepts, or
    // null where no run refers to them.
    virtual ColumnPtr join(const Columns& sources, const std::vector<MergeRun>& runs,
                           size_t rows) const = 0;
    virtual bool joins_with(const Column& other) const = 0;
    // A flat column in the form of this one; null when it cannot be had.
    virtual ColumnPtr adopt(const ColumnPtr& flat) const { return nullptr; }

    ColumnPtr filter(const Mask& mask, size_t kept_rows) const override;
    ColumnPtr take(const RowIndexes& rows) const override;
    ColumnPtr slice(size_t begin, size_t count) const override;

    // Not for these columns: they abort.
    MutableColumnPtr clone_empty() const override;
    void append_from(const Column& source, size_t row) override;
    void append_range(const Column& source, size_t begin, size_t count) override;
    void append_default() override;
    void append_value(const Value& value) override;
    void remove_last(size_t count) override;
    Value value_at(size_t row) const override;
    int compare_at(size_t row, const Column& other, size_t other_row,
                   int nulls_direction) const override;
    void hash_into(std::span<uint64_t> hashes) const override;
    void append_key(size_t row, PodVector<char>& out) const override;
    const char* append_from_key(const char* key) override;

protected:
    CompactColumn() : Column(kCompactForm) {}

private:
    ColumnPtr join_own(const std::vector<MergeRun>& runs, size_t rows) const;
};

inline bool is_compact(const Column& column)
{
    return column.form() == kCompactForm;
}

// Flat, also of compact columns that can be written alone.
inline ColumnPtr to_values(const ColumnPtr& column)
{
    return is_compact(*column) ? column->to_flat() : to_flat(column);
}

// Columns of one type, null ones left so: when one of them is compact, all are made so, or all
// flat; else nothing is done.
void unify_compact(Columns& columns);

// unify_compact() of a column of several blocks.
template <class Blocks> void unify_compact_of(Blocks& blocks, size_t column)
{
    Columns columns;
    for (auto& block : blocks)
        columns.push_back(block[column].column);
    unify_compact(columns);
    for (size_t i = 0; i < columns.size(); ++i)
        blocks[i][column].column = columns[i];
}

} // namespace basalt
