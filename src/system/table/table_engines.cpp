#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    for (const auto& name : engine.catalog().engine_names())
    {
        const bool is_merge_tree = name.ends_with("MergeTree");
        rows.add_row();
        rows.set("name", name);
        rows.set_uint("supports_settings", is_merge_tree);
        rows.set_uint("supports_skipping_indices", is_merge_tree);
        rows.set_uint("supports_sort_order", is_merge_tree);
        rows.set_uint("supports_parallel_insert", is_merge_tree || name == "Memory");
    }
}

} // namespace

void register_table_engines(SystemTables& tables)
{
    tables.add({"table_engines",
                parse_header(
                    "name String, supports_settings UInt8, supports_skipping_indices UInt8, "
                    "supports_projections UInt8, supports_sort_order UInt8, "
                    "supports_ttl UInt8, supports_replication UInt8, "
                    "supports_deduplication UInt8, supports_parallel_insert UInt8, "
                    "description String, syntax String, examples String, "
                    "introduced_in String, related Array(String)"),
                fill, ""});
}

} // namespace basalt
