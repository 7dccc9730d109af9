// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_rewrite(PgCatalogTables& tables)
{
    tables.add("pg_rewrite",
               "oid UInt32, rulename String, ev_class UInt32, ev_type String, ev_enabled "
               "String, is_instead Bool, ev_qual String, ev_action String");
}

} // namespace basalt
