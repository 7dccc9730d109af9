// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_policy(PgCatalogTables& tables)
{
    tables.add("pg_policy",
               "oid UInt32, polname String, polrelid UInt32, polcmd String, "
               "polpermissive Bool, polroles Array(UInt32), polqual Nullable(String), "
               "polwithcheck Nullable(String)");
}

} // namespace basalt
