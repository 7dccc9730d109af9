#include "system/system_tables.h"

#include "storage/mergetree/merge_tree_table.h"

#include <algorithm>
#include <map>

namespace basalt
{

namespace
{

bool reads(const KeyDescription& key, const std::string& column)
{
    const auto names = inputs_of(key.expressions);
    return std::find(names.begin(), names.end(), column) != names.end();
}

void set_numbers(RowBuilder& rows, const TypePtr& full_type)
{
    const TypePtr type = strip_wrappers(full_type);
    if (type->is_integer() && !type->is(TypeId::Bool))
    {
        static constexpr uint64_t kBits[] = {8, 16, 32, 64, 128, 256};
        const auto first = type->is_unsigned() ? TypeId::UInt8 : TypeId::Int8;
        rows.set_uint("numeric_precision",
                      kBits[static_cast<size_t>(type->id()) - static_cast<size_t>(first)]);
        rows.set_uint("numeric_precision_radix", 2);
        rows.set_uint("numeric_scale", 0);
    }
    else if (type->is_float())
    {
        rows.set_uint("numeric_precision", type->is(TypeId::Float32) ? 32 : 64);
        rows.set_uint("numeric_precision_radix", 2);
    }
    else if (type->is_decimal())
    {
        rows.set_uint("numeric_precision", type_as<DecimalType>(type).precision());
        rows.set_uint("numeric_precision_radix", 10);
        rows.set_uint("numeric_scale", type_as<DecimalType>(type).scale());
    }
    else if (type->is(TypeId::FixedString))
        rows.set_uint("character_octet_length", type_as<FixedStringType>(type).width());
    else if (type->is(TypeId::DateTime))
        rows.set_uint("datetime_precision", 0);
    else if (type->is(TypeId::DateTime64))
        rows.set_uint("datetime_precision", type_as<DateTime64Type>(type).scale());
}

// Bytes of the active parts, by column.
std::map<std::string, PartColumnInfo> sizes_of(const Table& table)
{
    std::map<std::string, PartColumnInfo> sizes;
    if (const auto* merge_tree = dynamic_cast<const MergeTreeTable*>(&table))
        for (const auto& part : merge_tree->part_infos())
            for (const auto& column : part.columns)
            {
                auto& size = sizes[column.name];
                size.compressed_bytes += column.compressed_bytes;
                size.uncompressed_bytes += column.uncompressed_bytes;
                size.marks_bytes += column.marks_bytes;
            }
    return sizes;
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    auto& catalog = engine.catalog();
    for (const auto& database : catalog.databases())
        for (const auto& table : catalog.tables(database.name))
        {
            if (!context.granted("SHOW TABLES", database.name, table->table_name().table))
                continue;
            const auto metadata = table->metadata();
            const auto sizes = sizes_of(*table);
            uint64_t position = 0;
            for (const auto& column : metadata->columns)
            {
                ++position;
                if (!context.granted("SHOW COLUMNS", database.name, table->table_name().table,
                                     column.name))
                    continue;
                rows.add_row();
                rows.set("database", database.name);
                rows.set("table", table->table_name().table);
                rows.set("name", column.name);
                rows.set("type", column.type->name());
                rows.set_uint("position", position);
                rows.set("default_kind", default_kind_text(column.default_kind));
                rows.set("default_expression", column.default_text);
                rows.set("comment", column.comment);
                rows.set("compression_codec",
                         column.codec.empty() ? "" : "CODEC(" + column.codec + ")");
                rows.set_uint("is_in_partition_key", reads(metadata->partition_key, column.name));
                rows.set_uint("is_in_sorting_key", reads(metadata->sorting_key, column.name));
                rows.set_uint("is_in_primary_key", reads(metadata->primary_key, column.name));
                rows.set_uint("is_in_sampling_key",
                              metadata->sampling_key_text == column.name);
                if (const auto size = sizes.find(column.name); size != sizes.end())
                {
                    rows.set_uint("data_compressed_bytes", size->second.compressed_bytes);
                    rows.set_uint("data_uncompressed_bytes", size->second.uncompressed_bytes);
                    rows.set_uint("marks_bytes", size->second.marks_bytes);
                }
                set_numbers(rows, column.type);
            }
        }
}

} // namespace

void register_columns(SystemTables& tables)
{
    tables.add({"columns",
                parse_header(
                    "database String, table String, name String, type String, position UInt64, "
                    "default_kind String, default_expression String, data_compressed_bytes "
                    "UInt64, data_uncompressed_bytes UInt64, marks_bytes UInt64, comment String, "
                    "is_in_partition_key UInt8, is_in_sorting_key UInt8, is_in_primary_key "
                    "UInt8, is_in_sampling_key UInt8, compression_codec String, "
                    "character_octet_length Nullable(UInt64), numeric_precision "
                    "Nullable(UInt64), numeric_precision_radix Nullable(UInt64), numeric_scale "
                    "Nullable(UInt64), datetime_precision Nullable(UInt64), serialization_hint "
                    "Nullable(String), statistics String"),
                fill, "", {{"column", "name"}}});
}

} // namespace basalt
