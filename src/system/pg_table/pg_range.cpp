// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_range(PgCatalogTables& tables)
{
    tables.add("pg_range",
               "rngtypid UInt32, rngsubtype UInt32, rngmultitypid UInt32, rngcollation "
               "UInt32, rngsubopc UInt32, rngcanonical String, rngsubdiff String");
}

} // namespace basalt
