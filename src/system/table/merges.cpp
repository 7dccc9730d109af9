#include "system/system_tables.h"
#include "system/merge_tree_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& listed : merge_tree_tables(engine, context))
        for (const auto& merge : listed.table->merge_infos())
        {
            const std::string directory = listed.table->data_path() + "/";
            std::vector<std::string> paths;
            for (const auto& part : merge.source_parts)
                paths.push_back(directory + part + "/");
            rows.add_row();
            rows.set("database", listed.database);
            rows.set("table", listed.name);
            rows.set_float("elapsed", static_cast<double>(context.clock->unix_us() -
                                                          merge.started_unix_us) /
                                          1e6);
            rows.set_float("progress", merge.progress);
            rows.set_uint("num_parts", merge.source_parts.size());
            rows.set_texts("source_part_names", merge.source_parts);
            rows.set("result_part_name", merge.result_part);
            rows.set_texts("source_part_paths", paths);
            rows.set("result_part_path", directory + merge.result_part + "/");
            rows.set("partition_id", merge.partition_id);
            rows.set_uint("is_mutation", merge.is_mutation);
            rows.set_uint("total_size_bytes_compressed", merge.total_bytes);
            rows.set_uint("rows_read", merge.rows_read);
            rows.set_uint("rows_written", merge.rows_written);
            rows.set_uint("bytes_written_uncompressed", merge.bytes_written);
            rows.set("merge_type", merge.is_mutation ? "" : "Regular");
            rows.set("merge_algorithm", merge.is_mutation ? "" : "Horizontal");
        }
}

} // namespace

void register_merges(SystemTables& tables)
{
    tables.add({"merges",
                parse_header(
                    "database String, table String, elapsed Float64, progress Float64, num_parts "
                    "UInt64, source_part_names Array(String), result_part_name String, "
                    "source_part_paths Array(String), result_part_path String, partition_id "
                    "String, partition String, is_mutation UInt8, total_size_bytes_compressed "
                    "UInt64, total_size_bytes_uncompressed UInt64, total_size_marks UInt64, "
                    "bytes_read_uncompressed UInt64, rows_read UInt64, "
                    "bytes_written_uncompressed UInt64, rows_written UInt64, columns_written "
                    "UInt64, memory_usage UInt64, thread_id UInt64, merge_type String, "
                    "merge_algorithm String, current_projection String, "
                    "current_projection_progress Float64, current_projection_parts_merging "
                    "UInt64, current_projection_parts_remaining UInt64, projections_completed "
                    "Array(String), projections_remaining Array(String)"),
                fill, ""});
}

} // namespace basalt
