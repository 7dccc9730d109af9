#include "system/pg_catalog.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const PgObject& object : pg_objects(engine, context))
    {
        if (object.kind == 'i')
            continue;
        size_t number = 0;
        for (const auto& column : object.table->metadata()->columns)
        {
            ++number;
            if (column.default_kind == DefaultKind::None ||
                column.default_kind == DefaultKind::Ephemeral ||
                !context.granted("SHOW COLUMNS", object.database, object.name, column.name))
                continue;
            rows.add_row();
            rows.set_uint("oid", pg_constraint_oid(object.oid, column.name));
            rows.set_uint("adrelid", object.oid);
            rows.set_uint("adnum", number);
            rows.set("adbin", column.default_text);
        }
    }
}

} // namespace

void register_pg_attrdef(PgCatalogTables& tables)
{
    tables.add("pg_attrdef",
               "oid UInt32, adrelid UInt32, adnum Int16, adbin String",
               fill);
}

} // namespace basalt
