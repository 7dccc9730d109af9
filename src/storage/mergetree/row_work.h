#pragma once

// What TTL and mutations do to the rows that a merge or mutation writes: deletions and updates
// block by block, then the groups that become one row.

#include "storage/mergetree/part_rewriter.h"
#include "storage/mergetree/ttl_rollup.h"

namespace basalt
{

class RowWork
{
public:
    // Commands of kinds that RowMutation and RowRollup know; others (Recompress) are passed over.
    RowWork(const std::vector<MutationCommand>& commands, const TableMetadataPtr& metadata,
            const QueryContext& context);

    using Emit = std::function<void(Block)>; // blocks of at least one row
    void add(Block block, const Emit& emit);
    void finish(const Emit& emit);
    // Whether it needs to see rows at all.
    bool is_empty() const { return !changes_ && rollups_.empty(); }

private:
    void pass(Block block, size_t rollup, const Emit& emit);

    std::unique_ptr<RowMutation> changes_; // null: none
    std::vector<std::unique_ptr<RowRollup>> rollups_;
};

bool changes_rows(const MutationCommand& command); // not counting Rollup

} // namespace basalt
