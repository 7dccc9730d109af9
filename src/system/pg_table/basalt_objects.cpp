// What functions of PostgreSQL tell of an object by its number (pg_get_viewdef, pg_table_is_visible,
// pg_relation_size …): the calls become lookups in this table.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        rows.add_row();
        rows.set_uint("oid", object.oid);
        rows.set("database", object.database);
        rows.set("name", object.visible ? object.name : object.database + "." + object.name);
        rows.set("kind", std::string(1, object.kind));
        rows.set_uint("visible", object.visible);
        rows.set("definition", object.definition);
        if (object.kind == 'i')
            continue;
        if (const auto bytes = object.table->total_bytes())
            rows.set_uint("bytes", *bytes);
        for (const auto& [name, check] : object.table->metadata()->constraints)
        {
            rows.add_row();
            rows.set_uint("oid", pg_constraint_oid(object.oid, name));
            rows.set("database", object.database);
            rows.set("name", name);
            rows.set("kind", "c");
            rows.set("definition", "CHECK (" + check + ")");
        }
    }
}

} // namespace

void register_basalt_objects(PgCatalogTables& tables)
{
    tables.add("basalt_objects",
               "oid UInt32, database String, name String, kind String, visible Bool, "
               "definition String, bytes Int64",
               fill);
}

} // namespace basalt
