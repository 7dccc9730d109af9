#include "system/system_tables.h"

namespace basalt
{

namespace
{

// One row for each INSERT that waits: each keeps its own transaction.
void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    for (const auto& insert : engine.async_inserts().pending())
    {
        rows.add_row();
        rows.set("query", insert.query);
        rows.set("database", insert.database);
        rows.set("table", insert.table);
        rows.set("format", insert.format);
        rows.set_value("first_update", DecimalValue{Int256(insert.received_unix_us), 6});
        rows.set_uint("total_bytes", insert.bytes);
        rows.set_texts("entries.query_id", {insert.query_id});
        rows.set_value("entries.bytes", ArrayValue{{insert.bytes}});
    }
}

} // namespace

void register_asynchronous_inserts(SystemTables& tables)
{
    tables.add({"asynchronous_inserts",
                parse_header("query String, database String, table String, format String, "
                             "first_update DateTime64(6), total_bytes UInt64, entries.query_id "
                             "Array(String), entries.bytes Array(UInt64)"),
                fill, ""});
}

} // namespace basalt
