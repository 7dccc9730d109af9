#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    for (const auto& name : engine.catalog().table_function_names())
    {
        rows.add_row();
        rows.set("name", name);
        rows.set_uint("allow_readonly", 1);
    }
}

} // namespace

void register_table_functions(SystemTables& tables)
{
    tables.add({"table_functions",
                parse_header(
                    "name String, description String, allow_readonly UInt8"),
                fill, ""});
}

} // namespace basalt
