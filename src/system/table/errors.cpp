#include "system/system_tables.h"

#include "base/error.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    for (const auto& error : engine.error_counts().counts())
    {
        rows.add_row();
        rows.set("name", error_code_name(error.code));
        rows.set_int("code", error.code);
        rows.set_uint("value", error.count);
        rows.set_int("last_error_time", error.last_unix_s);
        rows.set("last_error_message", error.last_message);
    }
}

} // namespace

void register_errors(SystemTables& tables)
{
    tables.add({"errors",
                parse_header(
                    "name String, code Int32, value UInt64, last_error_time DateTime, "
                    "last_error_message String, last_error_format_string String, "
                    "last_error_trace Array(UInt64), remote UInt8, query_id String"),
                fill, ""});
}

} // namespace basalt
