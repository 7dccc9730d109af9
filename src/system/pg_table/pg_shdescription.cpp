// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_shdescription(PgCatalogTables& tables)
{
    tables.add("pg_shdescription",
               "objoid UInt32, classoid UInt32, description String");
}

} // namespace basalt
