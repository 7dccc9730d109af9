#include "system/system_tables.h"

#include "columns/address_text.h"
#include "engine/query_objects.h"

namespace basalt
{

namespace
{

// An IPv6 address for "127.0.0.1" or "::1"; "::" for what is neither.
std::string address_text(const std::string& text)
{
    const std::string whole =
        text.find(':') == std::string::npos && !text.empty() ? "::ffff:" + text : text;
    char bytes[16];
    TextCursor cursor(whole, true);
    return parse_ipv6(cursor, bytes) && cursor.at_end() ? whole : "::";
}

Value microseconds(int64_t unix_us)
{
    return DecimalValue{Int256(unix_us), 6};
}

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& entry : engine.query_log().entries())
    {
        rows.add_row();
        rows.set("hostname", context.host_name);
        rows.set_int("type", static_cast<int64_t>(entry.type));
        rows.set_int("event_date", entry.event_unix_us / 1000000 / 86400);
        rows.set_int("event_time", entry.event_unix_us / 1000000);
        rows.set_value("event_time_microseconds", microseconds(entry.event_unix_us));
        rows.set_int("query_start_time", entry.start_unix_us / 1000000);
        rows.set_value("query_start_time_microseconds", microseconds(entry.start_unix_us));
        rows.set_int("initial_query_start_time", entry.start_unix_us / 1000000);
        rows.set_value("initial_query_start_time_microseconds", microseconds(entry.start_unix_us));
        rows.set_uint("query_duration_ms", entry.duration_ms);
        rows.set_uint("read_rows", entry.read_rows);
        rows.set_uint("read_bytes", entry.read_bytes);
        rows.set_uint("written_rows", entry.written_rows);
        rows.set_uint("written_bytes", entry.written_bytes);
        rows.set_uint("result_rows", entry.result_rows);
        rows.set_uint("result_bytes", entry.result_bytes);
        rows.set_uint("memory_usage", entry.memory_usage);
        rows.set("current_database", entry.current_database);
        rows.set("query", entry.query);
        rows.set("query_kind", entry.query_kind);
        rows.set_texts("databases", entry.databases);
        rows.set_texts("tables", entry.tables);
        rows.set_texts("columns", entry.columns);
        rows.set_uint("normalized_query_hash", normalized_query_hash(entry.query));
        rows.set("address", address_text(entry.client.address));
        rows.set("initial_address", address_text(entry.client.address));
        rows.set_int("exception_code", entry.exception_code);
        rows.set("exception", entry.exception);
        rows.set_uint("is_initial_query", 1);
        rows.set("user", entry.client.user);
        rows.set("initial_user", entry.client.user);
        rows.set("query_id", entry.query_id);
        rows.set("initial_query_id", entry.query_id);
        rows.set_uint("port", entry.client.port);
        rows.set_uint("initial_port", entry.client.port);
        rows.set_uint("interface", static_cast<uint64_t>(entry.client.interface));
        rows.set_uint("http_method", static_cast<uint64_t>(entry.client.http_method));
        rows.set("http_user_agent", entry.client.http_user_agent);
        rows.set("client_name", entry.client.client_name);
        rows.set("log_comment", entry.log_comment);
        rows.set_uint_map("ProfileEvents", entry.profile_events);
        rows.set_map("Settings", entry.settings);
    }
}

} // namespace

void register_query_log(SystemTables& tables)
{
    tables.add({"query_log",
                parse_header(
                    "hostname LowCardinality(String), "
                    "type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4), "
                    "event_date Date, event_time DateTime, "
                    "event_time_microseconds DateTime64(6), query_start_time DateTime, "
                    "query_start_time_microseconds DateTime64(6), query_duration_ms UInt64, "
                    "read_rows UInt64, read_bytes UInt64, written_rows UInt64, "
                    "written_bytes UInt64, result_rows UInt64, result_bytes UInt64, "
                    "memory_usage UInt64, current_database LowCardinality(String), "
                    "query String, formatted_query String, normalized_query_hash UInt64, "
                    "query_kind LowCardinality(String), "
                    "databases Array(LowCardinality(String)), "
                    "tables Array(LowCardinality(String)), "
                    "columns Array(LowCardinality(String)), "
                    "partitions Array(LowCardinality(String)), "
                    "projections Array(LowCardinality(String)), "
                    "views Array(LowCardinality(String)), exception_code Int32, "
                    "exception String, stack_trace String, is_initial_query UInt8, "
                    "user LowCardinality(String), query_id String, address IPv6, "
                    "port UInt16, initial_user LowCardinality(String), "
                    "initial_query_id String, initial_address IPv6, initial_port UInt16, "
                    "initial_query_start_time DateTime, "
                    "initial_query_start_time_microseconds DateTime64(6), interface UInt8, "
                    "is_secure UInt8, os_user LowCardinality(String), "
                    "client_hostname LowCardinality(String), "
                    "client_name LowCardinality(String), client_revision UInt32, "
                    "client_version_major UInt32, client_version_minor UInt32, "
                    "client_version_patch UInt32, http_method UInt8, "
                    "http_user_agent LowCardinality(String), http_referer String, "
                    "forwarded_for String, quota_key String, distributed_depth UInt64, "
                    "revision UInt32, log_comment String, thread_ids Array(UInt64), "
                    "peak_threads_usage UInt64, "
                    "ProfileEvents Map(LowCardinality(String), UInt64), "
                    "Settings Map(LowCardinality(String), LowCardinality(String)), "
                    "used_aggregate_functions Array(LowCardinality(String)), "
                    "used_functions Array(LowCardinality(String)), "
                    "used_formats Array(LowCardinality(String)), "
                    "used_storages Array(LowCardinality(String)), "
                    "used_table_functions Array(LowCardinality(String)), "
                    "query_cache_usage Enum8('Unknown' = 0, 'None' = 1, 'Write' = 2, 'Read' = 3)"),
                fill, ""});
}

} // namespace basalt
