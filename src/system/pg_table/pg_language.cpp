// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_language(PgCatalogTables& tables)
{
    tables.add("pg_language",
               "oid UInt32, lanname String, lanowner UInt32, lanispl Bool, lanplcallfoid UInt32, lanpltrusted "
               "Bool");
}

} // namespace basalt
