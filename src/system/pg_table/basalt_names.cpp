// What 'name'::regclass finds: names with their schema, and without it where they are visible.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const bool qualified : {true, false})
        for (const PgObject& object : pg_objects(engine, context))
        {
            if (!qualified && !object.visible)
                continue;
            rows.add_row();
            rows.set("name", qualified ? object.database + "." + object.name : object.name);
            rows.set_uint("oid", object.oid);
        }
}

} // namespace

void register_basalt_names(PgCatalogTables& tables)
{
    tables.add("basalt_names",
               "name String, oid UInt32",
               fill);
}

} // namespace basalt
