#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
}

} // namespace

void register_dictionaries(SystemTables& tables)
{
    tables.add({"dictionaries",
                parse_header(
                    "database String, name String, uuid UUID, status Enum8('NOT_LOADED' = 0, "
                    "'LOADED' = 1, 'FAILED' = 2, 'LOADING' = 3, 'FAILED_AND_RELOADING' = 4, "
                    "'LOADED_AND_RELOADING' = 5, 'NOT_EXIST' = 6), origin String, type String, "
                    "`key.names` Array(String), `key.types` Array(String), `attribute.names` "
                    "Array(String), `attribute.types` Array(String), bytes_allocated UInt64, "
                    "hierarchical_index_bytes_allocated UInt64, query_count UInt64, hit_rate "
                    "Float64, found_rate Float64, element_count UInt64, load_factor Float64, "
                    "source String, lifetime_min UInt64, lifetime_max UInt64, loading_start_time "
                    "DateTime, last_successful_update_time DateTime, error_count UInt64, "
                    "loading_duration Float32, last_exception String, comment String"),
                fill, ""});
}

} // namespace basalt
