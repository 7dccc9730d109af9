#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
}

} // namespace

void register_clusters(SystemTables& tables)
{
    tables.add({"clusters",
                parse_header(
                    "cluster String, shard_num UInt32, shard_name String, shard_weight UInt32, "
                    "internal_replication UInt8, replica_num UInt32, host_name String, "
                    "host_address String, port UInt16, is_local UInt8, user String, "
                    "default_database String, errors_count UInt32, slowdowns_count UInt32, "
                    "estimated_recovery_time UInt32, database_shard_name String, "
                    "database_replica_name String, is_shared_catalog_cluster UInt8, is_active "
                    "Nullable(UInt8), unsynced_after_recovery Nullable(UInt8), replication_lag "
                    "Nullable(UInt32), recovery_time Nullable(UInt64)"),
                fill, "", {{"name", "cluster"}}});
}

} // namespace basalt
