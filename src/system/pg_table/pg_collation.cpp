#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& [oid, name] : {std::pair<uint32_t, const char*>{100, "default"},
                                    {kPgCollationOid, "C"}})
    {
        rows.add_row();
        rows.set_uint("oid", oid);
        rows.set("collname", name);
        rows.set_uint("collnamespace", pg_schema_oid(kPgCatalog));
        rows.set_uint("collowner", kPgOwnerOid);
        rows.set("collprovider", "c");
        rows.set_uint("collisdeterministic", 1);
        rows.set_int("collencoding", -1);
        rows.set("collcollate", "C");
        rows.set("collctype", "C");
    }
}

} // namespace

void register_pg_collation(PgCatalogTables& tables)
{
    tables.add("pg_collation",
               "oid UInt32, collname String, collnamespace UInt32, collowner UInt32, "
               "collprovider String, collisdeterministic Bool, collencoding Int32, "
               "collcollate Nullable(String), collctype Nullable(String), colliculocale "
               "Nullable(String), collversion Nullable(String)",
               fill);
}

} // namespace basalt
