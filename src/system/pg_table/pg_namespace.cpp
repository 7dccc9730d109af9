#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& database : pg_schemas(engine, context))
    {
        rows.add_row();
        rows.set_uint("oid", pg_schema_oid(database.name));
        rows.set("nspname", database.name);
        rows.set_uint("nspowner", kPgOwnerOid);
    }
}

} // namespace

void register_pg_namespace(PgCatalogTables& tables)
{
    tables.add("pg_namespace",
               "oid UInt32, nspname String, nspowner UInt32, nspacl Array(String)",
               fill);
}

} // namespace basalt
