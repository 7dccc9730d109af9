#include "system/pg_catalog.h"

#include "columns/postgres_type.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PostgresTypeInfo& type : postgres_types())
    {
        rows.add_row();
        rows.set_uint("oid", type.oid);
        rows.set("typname", type.name);
        rows.set_uint("typnamespace", pg_schema_oid(kPgCatalog));
        rows.set_uint("typowner", kPgOwnerOid);
        rows.set_int("typlen", type.bytes);
        rows.set_uint("typbyval", type.bytes > 0 && type.bytes <= 8);
        rows.set("typtype", "b");
        rows.set("typcategory", std::string(1, type.category));
        rows.set_uint("typisdefined", 1);
        rows.set("typdelim", ",");
        rows.set_uint("typelem", type.element);
        rows.set_uint("typarray", type.array);
        const std::string prefix = type.element ? "array_" : std::string(type.name);
        rows.set("typinput", prefix + "in");
        rows.set("typoutput", prefix + "out");
        rows.set("typreceive", prefix + "recv");
        rows.set("typsend", prefix + "send");
        rows.set("typalign", type.bytes == 8 ? "d" : type.bytes == 2 ? "s" : "i");
        rows.set("typstorage", type.bytes > 0 ? "p" : "x");
        rows.set_int("typtypmod", -1);
        // The default collation of PostgreSQL; columns say that theirs is "C".
        rows.set_uint("typcollation", type.category == 'S' ? 100 : 0);
    }
}

} // namespace

void register_pg_type(PgCatalogTables& tables)
{
    tables.add("pg_type",
               "oid UInt32, typname String, typnamespace UInt32, typowner UInt32, typlen "
               "Int16, typbyval Bool, typtype String, typcategory String, typispreferred "
               "Bool, typisdefined Bool, typdelim String, typrelid UInt32, typsubscript "
               "String, typelem UInt32, typarray UInt32, typinput String, typoutput "
               "String, typreceive String, typsend String, typmodin String, typmodout "
               "String, typanalyze String, typalign String, typstorage String, "
               "typnotnull Bool, typbasetype UInt32, typtypmod Int32, typndims Int32, "
               "typcollation UInt32, typdefaultbin Nullable(String), typdefault "
               "Nullable(String), typacl Array(String)",
               fill);
}

} // namespace basalt
