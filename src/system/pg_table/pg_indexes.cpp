#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind != 'i')
            continue;
        rows.add_row();
        rows.set("schemaname", object.database);
        rows.set("tablename", object.table->table_name().table);
        rows.set("indexname", object.name);
        rows.set("indexdef", object.definition);
    }
}

} // namespace

void register_pg_indexes(PgCatalogTables& tables)
{
    tables.add("pg_indexes",
               "schemaname String, tablename String, indexname String, tablespace "
               "Nullable(String), indexdef String",
               fill);
}

} // namespace basalt
