// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_conversion(PgCatalogTables& tables)
{
    tables.add("pg_conversion",
               "oid UInt32, conname String, connamespace UInt32, conowner UInt32, "
               "conforencoding Int32, contoencoding Int32, conproc String, condefault "
               "Bool");
}

} // namespace basalt
