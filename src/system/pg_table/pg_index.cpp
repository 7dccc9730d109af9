// Sorting keys and skip indexes. None is unique: rows with equal keys may stand in a table, so that
// no table has a primary key as PostgreSQL means it.

#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind != 'i')
            continue;
        rows.add_row();
        rows.set_uint("indexrelid", object.oid);
        rows.set_uint("indrelid", object.parent);
        rows.set_uint("indnatts", object.keys.size());
        rows.set_uint("indnkeyatts", object.keys.size());
        rows.set_uint("indisclustered", object.method == "sorting");
        for (const char* yes : {"indimmediate", "indisvalid", "indisready", "indislive"})
            rows.set_uint(yes, 1);
        ArrayValue keys;
        for (const int16_t key : object.keys)
            keys.items.push_back(Value(int64_t{key}));
        rows.set_value("indkey", Value(std::move(keys)));
    }
}

} // namespace

void register_pg_index(PgCatalogTables& tables)
{
    tables.add("pg_index",
               "indexrelid UInt32, indrelid UInt32, indnatts Int16, indnkeyatts Int16, "
               "indisunique Bool, indnullsnotdistinct Bool, indisprimary Bool, "
               "indisexclusion Bool, indimmediate Bool, indisclustered Bool, indisvalid "
               "Bool, indcheckxmin Bool, indisready Bool, indislive Bool, indisreplident "
               "Bool, indkey Array(Int16), indcollation Array(UInt32), indclass "
               "Array(UInt32), indoption Array(Int16), indexprs Nullable(String), "
               "indpred Nullable(String)",
               fill);
}

} // namespace basalt
