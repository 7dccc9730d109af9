#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

// What columns without a codec of their own were written with.
std::string default_codec(const TableMetadata& metadata, const PartInfo& part)
{
    for (const auto& stored : part.columns)
    {
        const auto* column = metadata.find_column(stored.name);
        if (column && column->codec.empty() && !stored.codec.empty())
            return stored.codec;
    }
    return "Auto";
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& part : listed.table->part_infos())
        {
            rows.add_row();
            set_part(rows, listed, part);
            rows.set("default_compression_codec",
                     default_codec(*listed.table->metadata(), part));
            rows.set_uint("files", engine.files().list(part.path).size());
            rows.set_uint("primary_key_size", part.primary_key_size);
            uint64_t compressed = 0, uncompressed = 0;
            for (const auto& index : part.indexes)
            {
                compressed += index.compressed_bytes;
                uncompressed += index.uncompressed_bytes;
            }
            rows.set_uint("secondary_indices_compressed_bytes", compressed);
            rows.set_uint("secondary_indices_uncompressed_bytes", uncompressed);
            rows.set_uint("visible", part.active);
        }
}

} // namespace

void register_parts(SystemTables& tables)
{
    tables.add({"parts",
                parse_header(
                    "partition String, name String, uuid UUID, part_type String, active UInt8, "
                    "marks UInt64, rows UInt64, files UInt64, bytes_on_disk UInt64, "
                    "data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, "
                    "primary_key_size UInt64, marks_bytes UInt64, "
                    "secondary_indices_compressed_bytes UInt64, "
                    "secondary_indices_uncompressed_bytes UInt64, secondary_indices_marks_bytes "
                    "UInt64, modification_time DateTime, remove_time DateTime, refcount UInt32, "
                    "min_date Date, max_date Date, min_time DateTime, max_time DateTime, "
                    "partition_id String, min_block_number Int64, max_block_number Int64, level "
                    "UInt32, data_version UInt64, primary_key_bytes_in_memory UInt64, "
                    "primary_key_bytes_in_memory_allocated UInt64, "
                    "index_granularity_bytes_in_memory UInt64, "
                    "index_granularity_bytes_in_memory_allocated UInt64, is_frozen UInt8, "
                    "database String, table String, engine String, disk_name String, path "
                    "String, hash_of_all_files String, hash_of_uncompressed_files String, "
                    "uncompressed_hash_of_compressed_files String, delete_ttl_info_min DateTime, "
                    "delete_ttl_info_max DateTime, `move_ttl_info.expression` Array(String), "
                    "`move_ttl_info.min` Array(DateTime), `move_ttl_info.max` Array(DateTime), "
                    "default_compression_codec String, `recompression_ttl_info.expression` "
                    "Array(String), `recompression_ttl_info.min` Array(DateTime), "
                    "`recompression_ttl_info.max` Array(DateTime), "
                    "`group_by_ttl_info.expression` Array(String), `group_by_ttl_info.min` "
                    "Array(DateTime), `group_by_ttl_info.max` Array(DateTime), "
                    "`rows_where_ttl_info.expression` Array(String), `rows_where_ttl_info.min` "
                    "Array(DateTime), `rows_where_ttl_info.max` Array(DateTime), projections "
                    "Array(String), visible UInt8, creation_tid Tuple(UInt64, UInt64, UUID), "
                    "removal_tid_lock UInt64, removal_tid Tuple(UInt64, UInt64, UUID), "
                    "creation_csn UInt64, removal_csn UInt64, has_lightweight_delete UInt8, "
                    "last_removal_attempt_time DateTime, removal_state String"),
                fill, "", {{"bytes", "bytes_on_disk"}, {"marks_size", "marks_bytes"}, {"part_name", "name"}}});
}

} // namespace basalt
