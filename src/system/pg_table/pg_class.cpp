#include "system/pg_catalog.h"

#include <algorithm>

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    constexpr uint64_t kPageBytes = 8192; // of PostgreSQL
    for (const PgObject& object : pg_objects(engine, context))
    {
        const auto metadata = object.table->metadata();
        rows.add_row();
        rows.set_uint("oid", object.oid);
        rows.set("relname", object.name);
        rows.set_uint("relnamespace", object.schema);
        rows.set_uint("relowner", kPgOwnerOid);
        rows.set("relkind", std::string(1, object.kind));
        rows.set("relpersistence", "p");
        rows.set("relreplident", object.kind == 'i' ? "n" : "d");
        rows.set_uint("relispopulated", 1);
        if (object.kind != 'v')
            rows.set_uint("relam", pg_method_oid(object.method));
        if (object.kind == 'i')
        {
            rows.set_uint("relnatts", object.keys.size());
            continue;
        }
        rows.set_uint("relnatts", metadata->columns.size());
        rows.set_uint("relchecks", metadata->constraints.size());
        rows.set_uint("relhasrules", object.kind == 'v');
        rows.set_uint("relhasindex",
                      !metadata->sorting_key.text.empty() || !metadata->indexes.empty());
        const auto count = object.table->total_rows();
        rows.set_float("reltuples", count ? static_cast<double>(*count) : -1); // -1: not known
        if (const auto bytes = object.table->total_bytes())
            rows.set_uint("relpages",
                          std::min<uint64_t>((*bytes + kPageBytes - 1) / kPageBytes, INT32_MAX));
    }
}

} // namespace

void register_pg_class(PgCatalogTables& tables)
{
    tables.add("pg_class",
               "oid UInt32, relname String, relnamespace UInt32, reltype UInt32, "
               "reloftype UInt32, relowner UInt32, relam UInt32, relfilenode UInt32, "
               "reltablespace UInt32, relpages Int32, reltuples Float32, relallvisible "
               "Int32, reltoastrelid UInt32, relhasindex Bool, relisshared Bool, "
               "relpersistence String, relkind String, relnatts Int16, relchecks Int16, "
               "relhasrules Bool, relhastriggers Bool, relhassubclass Bool, "
               "relrowsecurity Bool, relforcerowsecurity Bool, relispopulated Bool, "
               "relreplident String, relispartition Bool, relrewrite UInt32, "
               "relfrozenxid UInt32, relminmxid UInt32, relacl Array(String), reloptions "
               "Array(String), relpartbound Nullable(String)",
               fill);
}

} // namespace basalt
