#include "system/system_tables.h"

namespace basalt
{

namespace
{

void add(RowBuilder& rows, const char* name, const std::string& value, const char* by_default,
         const char* type, const char* description)
{
    rows.add_row();
    rows.set("name", name);
    rows.set("value", value);
    rows.set("default", by_default);
    rows.set_uint("changed", value != by_default);
    rows.set("description", description);
    rows.set("type", type);
    rows.set("changeable_without_restart", "No");
}

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const EngineOptions& options = engine.options();
    add(rows, "max_concurrent_queries", std::to_string(options.max_concurrent_queries), "0",
        "UInt64", "Queries that may run at once; 0: no limit");
    add(rows, "max_server_memory_usage", std::to_string(options.memory_limit_bytes), "0", "UInt64",
        "Bytes that queries and merges may hold; 0: 90% of what the machine grants");
    add(rows, "path", options.path, "", "String", "The data folder");
    add(rows, "timezone", options.timezone, "UTC", "String", "Of DateTime without a zone");
}

} // namespace

void register_server_settings(SystemTables& tables)
{
    tables.add({"server_settings",
                parse_header(
                    "name String, value String, default String, changed UInt8, description "
                    "String, type String, changeable_without_restart Enum8('No' = 0, "
                    "'IncreaseOnly' = 1, 'DecreaseOnly' = 2, 'Yes' = 3), is_obsolete UInt8"),
                fill, ""});
}

} // namespace basalt
