#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind == 'i')
            continue;
        for (const auto& [name, check] : object.table->metadata()->constraints)
        {
            rows.add_row();
            rows.set_uint("oid", pg_constraint_oid(object.oid, name));
            rows.set("conname", name);
            rows.set_uint("connamespace", object.schema);
            rows.set("contype", "c");
            rows.set_uint("convalidated", 1);
            rows.set_uint("conrelid", object.oid);
            rows.set_uint("conislocal", 1);
            rows.set("conbin", check);
        }
    }
}

} // namespace

void register_pg_constraint(PgCatalogTables& tables)
{
    tables.add("pg_constraint",
               "oid UInt32, conname String, connamespace UInt32, contype String, "
               "condeferrable Bool, condeferred Bool, convalidated Bool, conrelid "
               "UInt32, contypid UInt32, conindid UInt32, conparentid UInt32, confrelid "
               "UInt32, confupdtype String, confdeltype String, confmatchtype String, "
               "conislocal Bool, coninhcount Int32, connoinherit Bool, conkey "
               "Array(Int16), confkey Array(Int16), conbin Nullable(String)",
               fill);
}

} // namespace basalt
