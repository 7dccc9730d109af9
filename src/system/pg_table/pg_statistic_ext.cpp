// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_statistic_ext(PgCatalogTables& tables)
{
    tables.add("pg_statistic_ext",
               "oid UInt32, stxrelid UInt32, stxname String, stxnamespace UInt32, "
               "stxowner UInt32, stxstattarget Int32, stxkeys Array(Int16), stxkind "
               "Array(String), stxexprs Nullable(String)");
}

} // namespace basalt
