#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind != 'v')
            continue;
        rows.add_row();
        rows.set("schemaname", object.database);
        rows.set("viewname", object.name);
        rows.set("viewowner", "default");
        rows.set("definition", object.definition);
    }
}

} // namespace

void register_pg_views(PgCatalogTables& tables)
{
    tables.add("pg_views",
               "schemaname String, viewname String, viewowner String, definition "
               "Nullable(String)",
               fill);
}

} // namespace basalt
