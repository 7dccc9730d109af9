// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_publication(PgCatalogTables& tables)
{
    tables.add("pg_publication",
               "oid UInt32, pubname String, pubowner UInt32, puballtables Bool, "
               "pubinsert Bool, pubupdate Bool, pubdelete Bool, pubtruncate Bool, "
               "pubviaroot Bool");
}

} // namespace basalt
