// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_inherits(PgCatalogTables& tables)
{
    tables.add("pg_inherits",
               "inhrelid UInt32, inhparent UInt32, inhseqno Int32, inhdetachpending Bool");
}

} // namespace basalt
