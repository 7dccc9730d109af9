// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_event_trigger(PgCatalogTables& tables)
{
    tables.add("pg_event_trigger",
               "oid UInt32, evtname String, evtevent String, evtowner UInt32, evtfoid "
               "UInt32, evtenabled String, evttags Array(String)");
}

} // namespace basalt
