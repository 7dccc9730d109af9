#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    rows.add_row();
    rows.set_uint("oid", 1663);
    rows.set("spcname", "pg_default");
    rows.set_uint("spcowner", kPgOwnerOid);
}

} // namespace

void register_pg_tablespace(PgCatalogTables& tables)
{
    tables.add("pg_tablespace",
               "oid UInt32, spcname String, spcowner UInt32, spcacl Array(String), "
               "spcoptions Array(String)",
               fill);
}

} // namespace basalt
