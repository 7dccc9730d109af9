// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_enum(PgCatalogTables& tables)
{
    tables.add("pg_enum",
               "oid UInt32, enumtypid UInt32, enumsortorder Float32, enumlabel String");
}

} // namespace basalt
