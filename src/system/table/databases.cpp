#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    const std::string& path = engine.catalog().data_path();
    for (const auto& database : engine.catalog().databases())
    {
        if (!context.granted("SHOW DATABASES", database.name))
            continue;
        rows.add_row();
        rows.set("name", database.name);
        rows.set("engine", database.engine);
        rows.set("data_path", path + "/store/");
        rows.set("metadata_path", path + "/metadata/" + database.name + "/");
        if (!database.uuid.empty())
            rows.set("uuid", database.uuid);
        rows.set("engine_full", database.engine);
        rows.set("comment", database.comment);
    }
}

} // namespace

void register_databases(SystemTables& tables)
{
    tables.add({"databases",
                parse_header(
                    "name String, engine String, data_path String, metadata_path String, "
                    "uuid UUID, engine_full String, comment String, is_external UInt8"),
                fill, "", {{"database", "name"}}});
}

} // namespace basalt
