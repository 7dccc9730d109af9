#pragma once

// The engines of this room, for whoever registers them by name.

#include "storage/storage_service.h"
#include "storage/table.h"

namespace basalt
{

// Rows in memory, gone at the next start.
TablePtr make_memory_table(TableName name, std::string uuid, TableMetadataPtr metadata);
// Takes rows and forgets them.
TablePtr make_null_table(TableName name, std::string uuid, TableMetadataPtr metadata);
// engine: Log, StripeLog, TinyLog.
TablePtr open_log_table(StorageService& service, const std::string& engine, TableName name,
                        std::string uuid, TableMetadataPtr metadata, bool attach);
// Throws BAD_ARGUMENTS without ORDER BY and for settings and keys that the engine cannot take.
// engine: one of kMergeTreeEngines.
TablePtr open_merge_tree_table(StorageService& service, const std::string& engine, TableName name,
                               std::string uuid, TableMetadataPtr metadata, bool attach);
inline constexpr const char* kMergeTreeEngines[] = {
    "MergeTree",           "ReplacingMergeTree",  "SummingMergeTree",
    "AggregatingMergeTree", "CollapsingMergeTree", "VersionedCollapsingMergeTree",
    "CoalescingMergeTree"};

// What the engine cannot take in keys, columns, indexes and settings: throws as said above. For a
// table that is made and one that ALTER leaves.
void check_merge_tree_table(const TableMetadata& metadata);

} // namespace basalt
