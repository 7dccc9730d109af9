// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_sequence(PgCatalogTables& tables)
{
    tables.add("pg_sequence",
               "seqrelid UInt32, seqtypid UInt32, seqstart Int64, seqincrement Int64, "
               "seqmax Int64, seqmin Int64, seqcache Int64, seqcycle Bool");
}

} // namespace basalt
