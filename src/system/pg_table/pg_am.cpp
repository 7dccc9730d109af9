// Table engines and types of indexes that are in use.

#include "system/pg_catalog.h"

#include <map>

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    std::map<std::string, const char*> methods;
    for (const PgObject& object : pg_objects(engine, context))
        methods.emplace(object.method, object.kind == 'i' ? "i" : "t");
    for (const auto& [name, type] : methods)
    {
        rows.add_row();
        rows.set_uint("oid", pg_method_oid(name));
        rows.set("amname", name);
        rows.set("amhandler", "-");
        rows.set("amtype", type);
    }
}

} // namespace

void register_pg_am(PgCatalogTables& tables)
{
    tables.add("pg_am",
               "oid UInt32, amname String, amhandler String, amtype String",
               fill);
}

} // namespace basalt
