#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const auto add = [&](const char* name, double value, const char* description)
    {
        rows.add_row();
        rows.set("metric", name);
        rows.set_float("value", value);
        rows.set("description", description);
    };
    uint64_t parts = 0, part_rows = 0, bytes = 0;
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& part : listed.table->part_infos())
        {
            ++parts;
            part_rows += part.rows;
            bytes += part.bytes_on_disk;
        }
    add("Uptime", static_cast<double>(context.clock->unix_s() - engine.start_unix_s()),
        "Seconds since the server started");
    add("TotalPartsOfMergeTreeTables", static_cast<double>(parts), "Active parts of all tables");
    add("TotalRowsOfMergeTreeTables", static_cast<double>(part_rows), "Rows in them");
    add("TotalBytesOfMergeTreeTables", static_cast<double>(bytes), "Their bytes on disk");
}

} // namespace

void register_asynchronous_metrics(SystemTables& tables)
{
    tables.add({"asynchronous_metrics",
                parse_header(
                    "metric String, value Float64, description String"),
                fill, ""});
}

} // namespace basalt
