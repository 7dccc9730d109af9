#include "system/system_tables.h"

namespace basalt
{

namespace
{

void add(RowBuilder& rows, const char* name, int64_t value, const char* description)
{
    rows.add_row();
    rows.set("metric", name);
    rows.set("name", name);
    rows.set_int("value", value);
    rows.set("description", description);
}

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    add(rows, "Query", static_cast<int64_t>(engine.processes().size()), "Queries that run now");
    add(rows, "MemoryTracking", engine.memory().used_bytes(), "Bytes held by queries and merges");
    size_t tables = 0, databases = 0;
    for (const auto& database : engine.catalog().databases())
    {
        ++databases;
        tables += engine.catalog().tables(database.name).size();
    }
    add(rows, "AttachedDatabase", static_cast<int64_t>(databases), "Databases");
    add(rows, "AttachedTable", static_cast<int64_t>(tables), "Tables and views");
}

} // namespace

void register_metrics(SystemTables& tables)
{
    tables.add({"metrics",
                parse_header(
                    "metric String, value Int64, description String, name String"),
                fill, ""});
}

} // namespace basalt
