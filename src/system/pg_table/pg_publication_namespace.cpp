// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_publication_namespace(PgCatalogTables& tables)
{
    tables.add("pg_publication_namespace",
               "oid UInt32, pnpubid UInt32, pnnspid UInt32");
}

} // namespace basalt
