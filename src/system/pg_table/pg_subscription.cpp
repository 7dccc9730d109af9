// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_subscription(PgCatalogTables& tables)
{
    tables.add("pg_subscription",
               "oid UInt32, subdbid UInt32, subname String, subowner UInt32, subenabled "
               "Bool");
}

} // namespace basalt
