// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_opclass(PgCatalogTables& tables)
{
    tables.add("pg_opclass",
               "oid UInt32, opcmethod UInt32, opcname String, opcnamespace UInt32, "
               "opcowner UInt32, opcfamily UInt32, opcintype UInt32, opcdefault Bool, "
               "opckeytype UInt32");
}

} // namespace basalt
