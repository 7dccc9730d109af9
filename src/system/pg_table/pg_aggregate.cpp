// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_aggregate(PgCatalogTables& tables)
{
    tables.add("pg_aggregate",
               "aggfnoid UInt32, aggkind String, aggnumdirectargs Int16");
}

} // namespace basalt
