#pragma once

// Partition values and their ids.

#include "columns/row_gatherer.h"
#include "storage/table.h"

namespace basalt
{

// As ClickHouse names a partition: "all" without a key; integers and dates joined by "-"
// (20260825); otherwise a SipHash-128 of the values in hex.
std::string partition_id_of(const Values& values, const Types& types);
// The partition's text in system.parts: 2026-08-25, (1,'a').
std::string partition_text_of(const Values& values, const Types& types);

// Rows of blocks by partition, in the order of first appearance.
struct PartitionRows
{
    Values values;
    std::string id;
    RowRefs rows; // in the blocks' order
};
// Throws TOO_MANY_PARTS past max_partitions (0 = no limit).
std::vector<PartitionRows> split_by_partition(const std::vector<Block>& blocks,
                                              const KeyDescription& key,
                                              const QueryContext& context, size_t max_partitions);

} // namespace basalt
