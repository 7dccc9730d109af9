#include "system/merge_tree_tables.h"

namespace basalt
{

std::vector<ListedTable> merge_tree_tables(Engine& engine, const QueryContext& context)
{
    std::vector<ListedTable> found;
    for (const auto& database : engine.catalog().databases())
        for (const auto& table : engine.catalog().tables(database.name))
            if (auto merge_tree = std::dynamic_pointer_cast<MergeTreeTable>(table);
                merge_tree &&
                context.granted("SHOW TABLES", database.name, table->table_name().table))
                found.push_back({database.name, table->table_name().table, std::move(merge_tree)});
    return found;
}

namespace
{

// min_date and max_date belong to a Date in the partition key, min_time and max_time to a DateTime.
void set_times(RowBuilder& rows, const TableMetadata& metadata, const PartInfo& part)
{
    constexpr int64_t kSecondsPerDay = 86400;
    for (const auto& name : inputs_of(metadata.partition_key.expressions))
    {
        const ColumnDescription* column = metadata.find_column(name);
        if (!column || !column->type->is_date_or_time())
            continue;
        const bool is_date = column->type->is(TypeId::Date) || column->type->is(TypeId::Date32);
        const int64_t unit = is_date ? kSecondsPerDay : 1;
        const auto clamp = [&](int64_t seconds)
        { return static_cast<uint64_t>(std::max<int64_t>(0, seconds) / unit); };
        rows.set_uint(is_date ? "min_date" : "min_time", clamp(part.min_time_unix_s));
        rows.set_uint(is_date ? "max_date" : "max_time", clamp(part.max_time_unix_s));
        return;
    }
}

} // namespace

void set_part(RowBuilder& rows, const ListedTable& listed, const PartInfo& part)
{
    rows.set("partition", part.partition);
    rows.set("name", part.name);
    rows.set("part_type", part.packed ? "Compact" : "Wide");
    rows.set_uint("active", part.active);
    rows.set_uint("marks", part.marks);
    rows.set_uint("rows", part.rows);
    rows.set_uint("bytes_on_disk", part.bytes_on_disk);
    rows.set_uint("data_compressed_bytes", part.compressed_bytes);
    rows.set_uint("data_uncompressed_bytes", part.uncompressed_bytes);
    rows.set_uint("marks_bytes", part.marks_bytes);
    rows.set_int("modification_time", part.modification_unix_s);
    rows.set_uint("refcount", part.references);
    set_times(rows, *listed.table->metadata(), part);
    rows.set("partition_id", part.partition_id);
    rows.set_uint("min_block_number", part.min_block);
    rows.set_uint("max_block_number", part.max_block);
    rows.set_uint("level", part.level);
    rows.set_uint("data_version", part.data_version);
    rows.set_uint("primary_key_bytes_in_memory", part.primary_key_bytes_in_memory);
    rows.set_uint("primary_key_bytes_in_memory_allocated", part.primary_key_bytes_in_memory);
    rows.set("database", listed.database);
    rows.set("table", listed.name);
    rows.set("engine", listed.table->engine_name());
    rows.set("disk_name", "default");
    rows.set("path", part.path);
}

} // namespace basalt
