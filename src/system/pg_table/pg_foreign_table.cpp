// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_foreign_table(PgCatalogTables& tables)
{
    tables.add("pg_foreign_table",
               "ftrelid UInt32, ftserver UInt32, ftoptions Array(String)");
}

} // namespace basalt
