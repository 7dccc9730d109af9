#pragma once

// One row, or few, out of rows that have the same sorting key: what the engines Replacing, Summing,
// Aggregating, Collapsing, VersionedCollapsing and Coalescing do in merges, in inserts and under
// FINAL. A stream: memory is a few rows of one key, whatever the number of rows.

#include "columns/sort.h"
#include "storage/mergetree/part.h"
#include "storage/table.h"

#include <functional>
#include <memory>

namespace basalt
{

// Columns with the sorting key's values are called so, with a number behind.
inline constexpr const char* kKeyValuePrefix = "__key_";

struct CombinerOptions
{
    // Of the blocks: the sorting key's values; none: all rows have the same key.
    SortKeys keys;
    // Rows that only later merges need are left out: deleted ones, cancelled states. FINAL.
    bool for_reading = false;
    bool drop_deleted = false; // CLEANUP
};

class RowCombiner
{
public:
    using Emit = std::function<void(Block)>; // blocks of at least one row, in the order of the keys

    virtual ~RowCombiner() = default;
    // Rows in the order of the key, equal ones oldest first; a key may go on in the next block.
    // Throws INCORRECT_DATA for signs and is_deleted that are neither of their two values.
    virtual void add(Block block, const Emit& emit) = 0;
    virtual void finish(const Emit& emit) = 0; // what is left
};

// header: of the blocks that will be added; holds at least combined_columns() of the table. Null
// when the engine combines nothing.
std::unique_ptr<RowCombiner> make_row_combiner(const TableMetadata& metadata, const Header& header,
                                               CombinerOptions options,
                                               const QueryContext& context);

// Whether a merge has combined the part's rows, by the key that the table has now.
bool is_combined(const Part& part, const TableMetadata& metadata);

// Stored columns that decide about rows, whichever are asked for.
std::vector<std::string> deciding_columns(const TableMetadata& metadata);

// Combines blocks of the table's physical columns, sorted by its key, which it computes. Only for
// tables whose engine combines.
class KeyedCombiner
{
public:
    KeyedCombiner(const TableMetadata& metadata, const QueryContext& context);
    void add(Block block, const RowCombiner::Emit& emit);
    void finish(const RowCombiner::Emit& emit);

private:
    Block without_keys(const Block& block) const;

    Header header_;
    std::unique_ptr<ExpressionProgram> program_; // null without a key
    std::unique_ptr<RowCombiner> combiner_;
};

} // namespace basalt
