// As pg_roles.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_authid(PgCatalogTables& tables)
{
    tables.add("pg_authid",
               "oid UInt32, rolname String, rolsuper Bool, rolinherit Bool, "
               "rolcreaterole Bool, rolcreatedb Bool, rolcanlogin Bool, rolreplication "
               "Bool, rolconnlimit Int32, rolpassword Nullable(String), rolvaliduntil "
               "Nullable(DateTime), rolbypassrls Bool",
               add_pg_roles);
}

} // namespace basalt
