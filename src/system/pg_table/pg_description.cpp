#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    constexpr uint32_t kClassOfTables = 1259;
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind == 'i')
            continue;
        const auto metadata = object.table->metadata();
        const auto add = [&](size_t number, const std::string& text)
        {
            if (text.empty())
                return;
            rows.add_row();
            rows.set_uint("objoid", object.oid);
            rows.set_uint("classoid", kClassOfTables);
            rows.set_uint("objsubid", number);
            rows.set("description", text);
        };
        add(0, metadata->comment);
        size_t number = 0;
        for (const auto& column : metadata->columns)
        {
            ++number;
            if (context.granted("SHOW COLUMNS", object.database, object.name, column.name))
                add(number, column.comment);
        }
    }
}

} // namespace

void register_pg_description(PgCatalogTables& tables)
{
    tables.add("pg_description",
               "objoid UInt32, classoid UInt32, objsubid Int32, description String",
               fill);
}

} // namespace basalt
