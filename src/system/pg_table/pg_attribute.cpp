#include "system/pg_catalog.h"

#include "columns/postgres_type.h"

namespace basalt
{

namespace
{

// type: null for an expression.
void add_row(RowBuilder& rows, uint32_t relation, size_t number, const std::string& name,
             const TypePtr& type)
{
    const uint32_t oid = type ? postgres_oid_of(type) : postgres_type::kText;
    const PostgresTypeInfo& info = *find_postgres_type(oid);
    rows.add_row();
    rows.set_uint("attrelid", relation);
    rows.set("attname", name);
    rows.set_uint("atttypid", oid);
    rows.set_int("attstattarget", -1);
    rows.set_int("attlen", info.bytes);
    rows.set_uint("attnum", number);
    rows.set_uint("attndims", info.element != 0);
    rows.set_int("attcacheoff", -1);
    rows.set_int("atttypmod", type ? postgres_modifier_of(type) : -1);
    rows.set_uint("attbyval", info.bytes > 0 && info.bytes <= 8);
    rows.set("attalign", info.bytes == 8 ? "d" : info.bytes == 2 ? "s" : "i");
    rows.set("attstorage", info.bytes > 0 ? "p" : "x");
    rows.set_uint("attnotnull", type && !is_nullable_or_lc_nullable(type));
    rows.set_uint("attislocal", 1);
    const bool is_text = oid == postgres_type::kText || info.element == postgres_type::kText;
    rows.set_uint("attcollation", is_text ? kPgCollationOid : 0);
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        const auto metadata = object.table->metadata();
        if (object.kind == 'i')
        {
            for (size_t i = 0; i < object.keys.size(); ++i)
            {
                const auto number = static_cast<size_t>(object.keys[i]);
                const ColumnDescription* column = number ? &metadata->columns[number - 1] : nullptr;
                add_row(rows, object.oid, i + 1, column ? column->name : object.key_text,
                        column ? column->type : nullptr);
            }
            continue;
        }
        size_t number = 0;
        for (const auto& column : metadata->columns)
        {
            ++number;
            if (!context.granted("SHOW COLUMNS", object.database, object.name, column.name))
                continue;
            add_row(rows, object.oid, number, column.name, column.type);
            const bool computed = column.default_kind == DefaultKind::Alias ||
                                  column.default_kind == DefaultKind::Materialized;
            rows.set_uint("atthasdef",
                          computed || column.default_kind == DefaultKind::Default);
            rows.set("attgenerated", computed ? "s" : "");
        }
    }
}

} // namespace

void register_pg_attribute(PgCatalogTables& tables)
{
    tables.add("pg_attribute",
               "attrelid UInt32, attname String, atttypid UInt32, attstattarget Int32, "
               "attlen Int16, attnum Int16, attndims Int32, attcacheoff Int32, atttypmod "
               "Int32, attbyval Bool, attalign String, attstorage String, attcompression "
               "String, attnotnull Bool, atthasdef Bool, atthasmissing Bool, attidentity "
               "String, attgenerated String, attisdropped Bool, attislocal Bool, "
               "attinhcount Int32, attcollation UInt32, attacl Array(String), attoptions "
               "Array(String), attfdwoptions Array(String), attmissingval "
               "Nullable(String)",
               fill);
}

} // namespace basalt
