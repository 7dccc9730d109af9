// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_extension(PgCatalogTables& tables)
{
    tables.add("pg_extension",
               "oid UInt32, extname String, extowner UInt32, extnamespace UInt32, "
               "extrelocatable Bool, extversion String, extconfig Array(UInt32), "
               "extcondition Array(String)");
}

} // namespace basalt
