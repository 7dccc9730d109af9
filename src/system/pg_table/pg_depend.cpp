// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_depend(PgCatalogTables& tables)
{
    tables.add("pg_depend",
               "classid UInt32, objid UInt32, objsubid Int32, refclassid UInt32, "
               "refobjid UInt32, refobjsubid Int32, deptype String");
}

} // namespace basalt
