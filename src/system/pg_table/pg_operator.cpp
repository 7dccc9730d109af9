// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_operator(PgCatalogTables& tables)
{
    tables.add("pg_operator",
               "oid UInt32, oprname String, oprnamespace UInt32, oprowner UInt32, "
               "oprkind String, oprcanmerge Bool, oprcanhash Bool, oprleft UInt32, "
               "oprright UInt32, oprresult UInt32, oprcom UInt32, oprnegate UInt32, "
               "oprcode UInt32, oprrest UInt32, oprjoin UInt32");
}

} // namespace basalt
