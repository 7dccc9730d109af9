#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& event : listed.table->part_events())
        {
            const int64_t unix_s = event.unix_us / 1000000;
            const bool is_merge = event.type == PartEvent::Type::MergeParts;
            rows.add_row();
            rows.set("hostname", context.host_name);
            rows.set_int("event_type", static_cast<int64_t>(event.type));
            rows.set_int("merge_reason", is_merge ? 2 : 1);
            rows.set_int("merge_algorithm", is_merge ? 2 : 0);
            rows.set_int("event_date", unix_s / 86400);
            rows.set_int("event_time", unix_s);
            rows.set_value("event_time_microseconds",
                           DecimalValue{Int256(event.unix_us), 6});
            rows.set_uint("duration_ms", event.duration_ms);
            rows.set("database", listed.database);
            rows.set("table", listed.name);
            rows.set("table_uuid", listed.table->uuid());
            rows.set("part_name", event.part);
            rows.set("partition_id", event.partition_id);
            rows.set("part_type", event.packed ? "Compact" : "Wide");
            rows.set("disk_name", "default");
            rows.set("path_on_disk", event.path + "/");
            rows.set_uint("rows", event.rows);
            rows.set_uint("size_in_bytes", event.bytes_on_disk);
            rows.set_texts("merged_from", event.merged_from);
            rows.set_uint("bytes_uncompressed", event.uncompressed_bytes);
            rows.set_uint("read_rows", event.read_rows);
        }
}

} // namespace

// What happened to parts, newest last within a table.
void register_part_log(SystemTables& tables)
{
    tables.add({"part_log",
                parse_header(
                    "hostname LowCardinality(String), query_id String, "
                    "event_type Enum8('NewPart' = 1, 'MergeParts' = 2, 'DownloadPart' = 3, "
                    "'RemovePart' = 4, 'MutatePart' = 5, 'MovePart' = 6), "
                    "merge_reason Enum8('NotAMerge' = 1, 'RegularMerge' = 2, 'TTLDeleteMerge' = 3, "
                    "'TTLRecompressMerge' = 4), "
                    "merge_algorithm Enum8('Undecided' = 0, 'Vertical' = 1, 'Horizontal' = 2), "
                    "event_date Date, event_time DateTime, "
                    "event_time_microseconds DateTime64(6), duration_ms UInt64, database String, "
                    "table String, table_uuid UUID, part_name String, partition_id String, "
                    "partition String, part_type String, disk_name String, path_on_disk String, "
                    "rows UInt64, size_in_bytes UInt64, merged_from Array(String), "
                    "bytes_uncompressed UInt64, read_rows UInt64, read_bytes UInt64, "
                    "peak_memory_usage UInt64, error UInt16, exception String"),
                fill, ""});
}

} // namespace basalt
