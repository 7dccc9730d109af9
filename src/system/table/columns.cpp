#include "system/system_tables.h"

#include "storage/table.h"

#include <algorithm>

namespace basalt
{

namespace
{

const char* kind_text(DefaultKind kind)
{
    switch (kind)
    {
    case DefaultKind::None:
        return "";
    case DefaultKind::Default:
        return "DEFAULT";
    case DefaultKind::Materialized:
        return "MATERIALIZED";
    case DefaultKind::Ephemeral:
        return "EPHEMERAL";
    case DefaultKind::Alias:
        return "ALIAS";
    }
    return "";
}

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

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    auto& catalog = engine.catalog();
    for (const auto& database : catalog.databases())
        for (const auto& table : catalog.tables(database.name))
        {
            const auto metadata = table->metadata();
            uint64_t position = 0;
            for (const auto& column : metadata->columns)
            {
                rows.add_row();
                rows.set("database", database.name);
                rows.set("table", table->table_name().table);
                rows.set("name", column.name);
                rows.set("type", column.type->name());
                rows.set_uint("position", ++position);
                rows.set("default_kind", kind_text(column.default_kind));
                rows.set("default_expression", column.default_text);
                rows.set("comment", column.comment);
                rows.set("compression_codec",
                         column.codec.empty() ? "" : "CODEC(" + column.codec + ")");
                rows.set_uint("is_in_partition_key", reads(metadata->partition_key, column.name));
                rows.set_uint("is_in_sorting_key", reads(metadata->sorting_key, column.name));
                rows.set_uint("is_in_primary_key", reads(metadata->primary_key, column.name));
                set_numbers(rows, column.type);
            }
        }
}

} // namespace

void register_columns(SystemTables& tables)
{
    tables.add({"columns",
                parse_header(
                    "database String, table String, name String, type String, "
                    "position UInt64, default_kind String, default_expression String, "
                    "data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, "
                    "marks_bytes UInt64, comment String, is_in_partition_key UInt8, "
                    "is_in_sorting_key UInt8, is_in_primary_key UInt8, "
                    "is_in_sampling_key UInt8, compression_codec String, "
                    "character_octet_length Nullable(UInt64), "
                    "numeric_precision Nullable(UInt64), "
                    "numeric_precision_radix Nullable(UInt64), "
                    "numeric_scale Nullable(UInt64), datetime_precision Nullable(UInt64)"),
                fill, ""});
}

} // namespace basalt
