// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_foreign_data_wrapper(PgCatalogTables& tables)
{
    tables.add("pg_foreign_data_wrapper",
               "oid UInt32, fdwname String, fdwowner UInt32, fdwhandler UInt32, "
               "fdwvalidator UInt32, fdwacl Array(String), fdwoptions Array(String)");
}

} // namespace basalt
