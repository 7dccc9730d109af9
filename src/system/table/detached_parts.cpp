#include "system/system_tables.h"
#include "storage/mergetree/part_name.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& part : listed.table->detached_part_infos())
        {
            rows.add_row();
            rows.set("database", listed.database);
            rows.set("table", listed.name);
            rows.set("name", part.name);
            rows.set_uint("bytes_on_disk", part.bytes_on_disk);
            rows.set("disk", "default");
            rows.set("path", part.path + "/");
            rows.set("reason", part.reason);
            const auto name = parse_part_name(
                part.reason.empty() ? part.name : part.name.substr(part.reason.size() + 1));
            if (!name)
                continue;
            rows.set("partition_id", name->partition_id);
            rows.set_uint("min_block_number", name->min_block);
            rows.set_uint("max_block_number", name->max_block);
            rows.set_uint("level", name->level);
        }
}

} // namespace

void register_detached_parts(SystemTables& tables)
{
    tables.add({"detached_parts",
                parse_header(
                    "database String, table String, partition_id Nullable(String), name String, "
                    "bytes_on_disk UInt64, modification_time DateTime, disk String, path String, "
                    "reason Nullable(String), min_block_number Nullable(Int64), max_block_number "
                    "Nullable(Int64), level Nullable(UInt32)"),
                fill, ""});
}

} // namespace basalt
