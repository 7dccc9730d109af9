#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
    {
        const auto metadata = listed.table->metadata();
        for (const auto& part : listed.table->part_infos())
        {
            uint64_t position = 0;
            for (const auto& column : part.columns)
            {
                rows.add_row();
                set_part(rows, listed, part);
                rows.set("column", column.name);
                rows.set("type", column.type);
                rows.set_uint("column_position", ++position);
                if (const auto* described = metadata->find_column(column.name))
                {
                    rows.set("default_kind", default_kind_text(described->default_kind));
                    rows.set("default_expression", described->default_text);
                }
                rows.set_uint("column_bytes_on_disk",
                              column.compressed_bytes + column.marks_bytes);
                rows.set_uint("column_data_compressed_bytes", column.compressed_bytes);
                rows.set_uint("column_data_uncompressed_bytes", column.uncompressed_bytes);
                rows.set_uint("column_marks_bytes", column.marks_bytes);
                rows.set_int("column_modification_time", part.modification_unix_s);
                rows.set("serialization_kind", "Default");
            }
        }
    }
}

} // namespace

void register_parts_columns(SystemTables& tables)
{
    tables.add({"parts_columns",
                parse_header(
                    "partition String, name String, uuid UUID, part_type String, active UInt8, "
                    "marks UInt64, rows UInt64, bytes_on_disk UInt64, data_compressed_bytes "
                    "UInt64, data_uncompressed_bytes UInt64, marks_bytes UInt64, "
                    "modification_time DateTime, remove_time DateTime, refcount UInt32, min_date "
                    "Date, max_date Date, min_time DateTime, max_time DateTime, partition_id "
                    "String, min_block_number Int64, max_block_number Int64, level UInt32, "
                    "data_version UInt64, primary_key_bytes_in_memory UInt64, "
                    "primary_key_bytes_in_memory_allocated UInt64, database String, table "
                    "String, engine String, disk_name String, path String, column String, type "
                    "String, column_position UInt64, default_kind String, default_expression "
                    "String, column_bytes_on_disk UInt64, column_data_compressed_bytes UInt64, "
                    "column_data_uncompressed_bytes UInt64, column_marks_bytes UInt64, "
                    "column_modification_time Nullable(DateTime), column_ttl_min "
                    "Nullable(DateTime), column_ttl_max Nullable(DateTime), statistics "
                    "Array(String), `estimates.min` Nullable(String), `estimates.max` "
                    "Nullable(String), `estimates.cardinality` Nullable(UInt64), "
                    "`estimates.null_count` Nullable(UInt64), serialization_kind String, "
                    "substreams Array(String), filenames Array(String), `subcolumns.names` "
                    "Array(String), `subcolumns.types` Array(String), "
                    "`subcolumns.serializations` Array(String), `subcolumns.bytes_on_disk` "
                    "Array(UInt64), `subcolumns.data_compressed_bytes` Array(UInt64), "
                    "`subcolumns.data_uncompressed_bytes` Array(UInt64), "
                    "`subcolumns.marks_bytes` Array(UInt64)"),
                fill, "", {{"bytes", "bytes_on_disk"}, {"marks_size", "marks_bytes"}, {"part_name", "name"}}});
}

} // namespace basalt
