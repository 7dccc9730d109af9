// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_auth_members(PgCatalogTables& tables)
{
    tables.add("pg_auth_members",
               "roleid UInt32, member UInt32, grantor UInt32, admin_option Bool");
}

} // namespace basalt
