// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_db_role_setting(PgCatalogTables& tables)
{
    tables.add("pg_db_role_setting",
               "setdatabase UInt32, setrole UInt32, setconfig Array(String)");
}

} // namespace basalt
