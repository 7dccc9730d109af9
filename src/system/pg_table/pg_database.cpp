#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& database : pg_schemas(engine, context))
    {
        if (database.name == kPgCatalog || database.name == "information_schema")
            continue;
        rows.add_row();
        rows.set_uint("oid", pg_database_oid(database.name));
        rows.set("datname", database.name);
        rows.set_uint("datdba", kPgOwnerOid);
        rows.set_uint("encoding", 6); // UTF8
        rows.set("datlocprovider", "c");
        rows.set_uint("datallowconn", 1);
        rows.set_int("datconnlimit", -1);
        rows.set_uint("dattablespace", 1663);
        rows.set("datcollate", "C");
        rows.set("datctype", "C");
    }
}

} // namespace

void register_pg_database(PgCatalogTables& tables)
{
    tables.add("pg_database",
               "oid UInt32, datname String, datdba UInt32, encoding Int32, "
               "datlocprovider String, datistemplate Bool, datallowconn Bool, "
               "datconnlimit Int32, datfrozenxid UInt32, datminmxid UInt32, "
               "dattablespace UInt32, datcollate String, datctype String, daticulocale "
               "Nullable(String), datcollversion Nullable(String), datacl Array(String)",
               fill);
}

} // namespace basalt
