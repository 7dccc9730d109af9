#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind != 'r')
            continue;
        const auto metadata = object.table->metadata();
        rows.add_row();
        rows.set("schemaname", object.database);
        rows.set("tablename", object.name);
        rows.set("tableowner", "default");
        rows.set_uint("hasindexes",
                      !metadata->sorting_key.text.empty() || !metadata->indexes.empty());
    }
}

} // namespace

void register_pg_tables(PgCatalogTables& tables)
{
    tables.add("pg_tables",
               "schemaname String, tablename String, tableowner String, tablespace "
               "Nullable(String), hasindexes Bool, hasrules Bool, hastriggers Bool, "
               "rowsecurity Bool",
               fill);
}

} // namespace basalt
