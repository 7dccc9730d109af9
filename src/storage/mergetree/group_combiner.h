#pragma once

// What the combiners share: rows come in blocks, groups of equal keys may go on from one to the
// next.

#include "storage/mergetree/row_combiner.h"

namespace basalt
{

class GroupCombiner : public RowCombiner
{
public:
    explicit GroupCombiner(CombinerOptions options) : options_(std::move(options)) {}

    void add(Block block, const Emit& emit) final;
    void finish(const Emit& emit) final;

protected:
    // The groups of a block: the first goes on from the open one when `continues`. The last stays
    // open.
    virtual void add_groups(const Block& block, const RowIndexes& starts, bool continues,
                            const Emit& emit) = 0;
    virtual void close(const Emit& emit) = 0; // the open group has ended

    static size_t end_of(const RowIndexes& starts, size_t group, size_t rows)
    {
        return group + 1 < starts.size() ? starts[group + 1] : rows;
    }
    // Rows by number, ascending.
    static void emit_rows(const Block& block, const RowIndexes& rows, const Emit& emit);
    const CombinerOptions& options() const { return options_; }

private:
    CombinerOptions options_;
    Block open_key_; // one row, the columns of the blocks; empty: no group is open
};

// Values of a column of small integers: signs, marks of deletion.
template <class T> const PodVector<T>& flat_values(ColumnPtr& column)
{
    column = to_flat(column);
    return column_as<VectorColumn<T>>(column).data();
}

std::unique_ptr<RowCombiner> make_collapsing(size_t sign, CombinerOptions options);
std::unique_ptr<RowCombiner> make_versioned_collapsing(size_t sign, CombinerOptions options);
std::unique_ptr<RowCombiner> make_reducing(const TableMetadata& metadata, const Header& header,
                                           CombinerOptions options);

} // namespace basalt
