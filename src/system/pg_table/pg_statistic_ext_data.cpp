// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_statistic_ext_data(PgCatalogTables& tables)
{
    tables.add("pg_statistic_ext_data",
               "stxoid UInt32, stxdinherit Bool");
}

} // namespace basalt
