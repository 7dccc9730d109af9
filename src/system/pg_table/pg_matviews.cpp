#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind != 'm')
            continue;
        rows.add_row();
        rows.set("schemaname", object.database);
        rows.set("matviewname", object.name);
        rows.set("matviewowner", "default");
        rows.set("definition", object.definition);
    }
}

} // namespace

void register_pg_matviews(PgCatalogTables& tables)
{
    tables.add("pg_matviews",
               "schemaname String, matviewname String, matviewowner String, tablespace "
               "Nullable(String), hasindexes Bool, ispopulated Bool, definition "
               "Nullable(String)",
               fill);
}

} // namespace basalt
