// Always empty: there is none here.

#include "system/pg_catalog.h"

namespace basalt
{

void register_pg_proc(PgCatalogTables& tables)
{
    tables.add("pg_proc",
               "oid UInt32, proname String, pronamespace UInt32, proowner UInt32, "
               "prolang UInt32, procost Float32, prorows Float32, provariadic UInt32, "
               "prosupport String, prokind String, prosecdef Bool, proleakproof Bool, "
               "proisstrict Bool, proretset Bool, provolatile String, proparallel "
               "String, pronargs Int16, pronargdefaults Int16, prorettype UInt32, "
               "proargtypes Array(UInt32), proallargtypes Array(UInt32), proargmodes "
               "Array(String), proargnames Array(String), proargdefaults "
               "Nullable(String), protrftypes Array(UInt32), prosrc String, probin "
               "Nullable(String), prosqlbody Nullable(String), proconfig Array(String), "
               "proacl Array(String)");
}

} // namespace basalt
