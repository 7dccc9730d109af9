// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_partitioned_table(PgCatalogTables& tables)
{
    tables.add("pg_partitioned_table",
               "partrelid UInt32, partstrat String, partnatts Int16, partdefid UInt32, "
               "partattrs Array(Int16), partclass Array(UInt32), partcollation "
               "Array(UInt32), partexprs Nullable(String)");
}

} // namespace basalt
