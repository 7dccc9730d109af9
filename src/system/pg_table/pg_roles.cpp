// Users and roles; a user sees itself and the owner of everything without a grant.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_roles(PgCatalogTables& tables)
{
    tables.add("pg_roles",
               "oid UInt32, rolname String, rolsuper Bool, rolinherit Bool, "
               "rolcreaterole Bool, rolcreatedb Bool, rolcanlogin Bool, rolreplication "
               "Bool, rolconnlimit Int32, rolpassword Nullable(String), rolvaliduntil "
               "Nullable(DateTime), rolbypassrls Bool, rolconfig Array(String)",
               add_pg_roles);
}

} // namespace basalt
