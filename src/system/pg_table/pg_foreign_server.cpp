// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_foreign_server(PgCatalogTables& tables)
{
    tables.add("pg_foreign_server",
               "oid UInt32, srvname String, srvowner UInt32, srvfdw UInt32, srvtype "
               "Nullable(String), srvversion Nullable(String), srvacl Array(String), "
               "srvoptions Array(String)");
}

} // namespace basalt
