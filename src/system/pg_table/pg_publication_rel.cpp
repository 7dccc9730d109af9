// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_publication_rel(PgCatalogTables& tables)
{
    tables.add("pg_publication_rel",
               "oid UInt32, prpubid UInt32, prrelid UInt32, prqual Nullable(String), "
               "prattrs Array(Int16)");
}

} // namespace basalt
