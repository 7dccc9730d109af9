#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& entry : engine.async_inserts().log())
    {
        const AsyncInsert& insert = entry.insert;
        rows.add_row();
        rows.set("hostname", context.host_name);
        rows.set_int("event_date", insert.received_unix_us / 1000000 / 86400);
        rows.set_int("event_time", insert.received_unix_us / 1000000);
        rows.set_value("event_time_microseconds",
                       DecimalValue{Int256(insert.received_unix_us), 6});
        rows.set("query", insert.query);
        rows.set("database", insert.database);
        rows.set("table", insert.table);
        rows.set("format", insert.format);
        rows.set("query_id", insert.query_id);
        rows.set_uint("bytes", insert.bytes);
        rows.set_uint("rows", insert.rows);
        rows.set("exception", entry.exception);
        rows.set_int("status", static_cast<int64_t>(entry.status));
        rows.set_int("data_kind", insert.is_preprocessed ? 1 : 0);
        rows.set_int("flush_time", entry.flushed_unix_us / 1000000);
        rows.set_value("flush_time_microseconds", DecimalValue{Int256(entry.flushed_unix_us), 6});
        rows.set("flush_query_id", insert.query_id);
    }
}

} // namespace

void register_asynchronous_insert_log(SystemTables& tables)
{
    tables.add({"asynchronous_insert_log",
                parse_header("hostname LowCardinality(String), event_date Date, event_time DateTime, "
                             "event_time_microseconds DateTime64(6), query String, database String, "
                             "table String, format String, query_id String, bytes UInt64, rows "
                             "UInt64, exception String, status Enum8('Ok' = 0, 'ParsingError' = 1, "
                             "'FlushError' = 2), data_kind Enum8('Parsed' = 0, 'Preprocessed' = 1), "
                             "flush_time DateTime, flush_time_microseconds DateTime64(6), "
                             "flush_query_id String, timeout_milliseconds UInt64"),
                fill, ""});
}

} // namespace basalt
