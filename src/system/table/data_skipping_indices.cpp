#include "system/system_tables.h"
#include "storage/mergetree/part_writer.h"
#include "storage/skip_index/id_filter.h"
#include "system/merge_tree_tables.h"

#include <map>

namespace basalt
{

namespace
{

std::string full_type(const IndexDescription& index)
{
    std::string text;
    for (const auto& argument : index.arguments)
    {
        // Pairs of a text index are kept as they are written.
        const auto* pair = index.type == "text" ? argument.get_if<std::string>() : nullptr;
        text += (text.empty() ? "" : ", ") + (pair ? *pair : argument.to_text());
    }
    return text.empty() ? index.type : index.type + "(" + text + ")";
}

void add_index(RowBuilder& rows, const TableName& table, const IndexDescription& index,
               const char* creation, const PartIndexInfo& sizes)
{
    rows.add_row();
    rows.set("database", table.database);
    rows.set("table", table.table);
    rows.set("name", index.name);
    rows.set("type", index.type);
    rows.set("type_full", full_type(index));
    rows.set("expr", index.expression_text);
    rows.set("creation", creation);
    rows.set_uint("granularity", index.granularity);
    rows.set_uint("data_compressed_bytes", sizes.compressed_bytes);
    rows.set_uint("data_uncompressed_bytes", sizes.uncompressed_bytes);
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& database : engine.catalog().databases())
        for (const auto& table : engine.catalog().tables(database.name))
        {
            if (!context.granted("SHOW TABLES", database.name, table->table_name().table))
                continue;
            const auto metadata = table->metadata();
            const TableName name{database.name, table->table_name().table};
            std::map<std::string, PartIndexInfo> sizes;
            if (const auto* merge_tree = dynamic_cast<const MergeTreeTable*>(table.get()))
                for (const auto& part : merge_tree->part_infos())
                    for (const auto& index : part.indexes)
                    {
                        sizes[index.name].compressed_bytes +=
                            part.active ? index.compressed_bytes : 0;
                        sizes[index.name].uncompressed_bytes +=
                            part.active ? index.uncompressed_bytes : 0;
                    }
            for (const auto& index : metadata->indexes)
                add_index(rows, name, index, "Explicit", sizes[index.name]);
            // Those that parts have without being asked for.
            const size_t granule = granule_rows_of(*metadata);
            for (const auto& column : metadata->columns)
            {
                const auto index = id_filter_of(column.name, column.type, granule);
                if (const auto found = sizes.find(index.name); found != sizes.end())
                    add_index(rows, name, index, "Implicit", found->second);
            }
        }
}

} // namespace

void register_data_skipping_indices(SystemTables& tables)
{
    tables.add({"data_skipping_indices",
                parse_header(
                    "database String, table String, name String, type String, type_full String, "
                    "expr String, creation Enum8('Explicit' = 0, 'Implicit' = 1), granularity "
                    "UInt64, data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, "
                    "marks_bytes UInt64"),
                fill, ""});
}

} // namespace basalt
