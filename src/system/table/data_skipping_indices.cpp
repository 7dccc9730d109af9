#include "system/system_tables.h"
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
        text += (text.empty() ? "" : ", ") + argument.to_text();
    return text.empty() ? index.type : index.type + "(" + text + ")";
}

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    for (const auto& database : engine.catalog().databases())
        for (const auto& table : engine.catalog().tables(database.name))
        {
            const auto metadata = table->metadata();
            if (metadata->indexes.empty())
                continue;
            std::map<std::string, PartIndexInfo> sizes;
            if (const auto* merge_tree = dynamic_cast<const MergeTreeTable*>(table.get()))
                for (const auto& part : merge_tree->part_infos())
                    for (const auto& index : part.indexes)
                    {
                        sizes[index.name].compressed_bytes += index.compressed_bytes;
                        sizes[index.name].uncompressed_bytes += index.uncompressed_bytes;
                    }
            for (const auto& index : metadata->indexes)
            {
                rows.add_row();
                rows.set("database", database.name);
                rows.set("table", table->table_name().table);
                rows.set("name", index.name);
                rows.set("type", index.type);
                rows.set("type_full", full_type(index));
                rows.set("expr", index.expression_text);
                rows.set("creation", "Explicit");
                rows.set_uint("granularity", index.granularity);
                rows.set_uint("data_compressed_bytes", sizes[index.name].compressed_bytes);
                rows.set_uint("data_uncompressed_bytes", sizes[index.name].uncompressed_bytes);
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
