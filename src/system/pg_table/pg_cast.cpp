// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_cast(PgCatalogTables& tables)
{
    tables.add("pg_cast",
               "oid UInt32, castsource UInt32, casttarget UInt32, castfunc UInt32, "
               "castcontext String, castmethod String");
}

} // namespace basalt
