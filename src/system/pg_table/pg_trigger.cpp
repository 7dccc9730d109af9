// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_trigger(PgCatalogTables& tables)
{
    tables.add("pg_trigger",
               "oid UInt32, tgrelid UInt32, tgparentid UInt32, tgname String, tgfoid "
               "UInt32, tgtype Int16, tgenabled String, tgisinternal Bool, tgconstrrelid "
               "UInt32, tgconstrindid UInt32, tgconstraint UInt32, tgdeferrable Bool, "
               "tginitdeferred Bool, tgnargs Int16, tgattr Array(Int16), tgargs String, "
               "tgqual Nullable(String), tgoldtable Nullable(String), tgnewtable "
               "Nullable(String)");
}

} // namespace basalt
