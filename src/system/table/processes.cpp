#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext& context, RowBuilder& rows)
{
    for (const auto& process : engine.processes().entries())
    {
        const QueryContext& c = *process.context;
        // Queries of others need a grant.
        if (c.user != context.user && !context.granted("SHOW USERS"))
            continue;
        rows.add_row();
        rows.set_uint("is_initial_query", 1);
        rows.set("user", c.user);
        rows.set("initial_user", c.user);
        rows.set("query_id", c.query_id);
        rows.set("initial_query_id", c.query_id);
        rows.set_uint("port", process.client.port);
        rows.set_uint("initial_port", process.client.port);
        rows.set_uint("interface", static_cast<uint64_t>(process.client.interface));
        rows.set_uint("http_method", static_cast<uint64_t>(process.client.http_method));
        rows.set("http_user_agent", process.client.http_user_agent);
        rows.set("client_name", process.client.client_name);
        rows.set_float("elapsed",
                       static_cast<double>(c.clock->monotonic_ns() - c.start_monotonic_ns) / 1e9);
        rows.set_uint("is_cancelled", c.cancelled());
        rows.set_uint("read_rows", c.read_rows);
        rows.set_uint("read_bytes", c.read_bytes);
        rows.set_uint("total_rows_approx", c.total_rows_to_read);
        rows.set_uint("written_rows", c.written_rows);
        rows.set_uint("written_bytes", c.written_bytes);
        rows.set_int("memory_usage", c.memory.used_bytes());
        rows.set_int("peak_memory_usage", c.memory.peak_bytes());
        rows.set("query", process.query);
        rows.set("query_kind", process.kind);
        rows.set("current_database", c.current_database);
        std::vector<std::pair<std::string, uint64_t>> events;
        for (size_t i = 0; i < kProfileEventCount; ++i)
            if (const uint64_t n = c.counters.get(static_cast<ProfileEvent>(i)))
                events.emplace_back(profile_event_name(static_cast<ProfileEvent>(i)), n);
        rows.set_uint_map("ProfileEvents", events);
        std::vector<std::pair<std::string, std::string>> settings;
        for (const auto& [name, value] : c.settings.changes())
            settings.emplace_back(name, value);
        rows.set_map("Settings", settings);
    }
}

} // namespace

void register_processes(SystemTables& tables)
{
    tables.add({"processes",
                parse_header(
                    "is_initial_query UInt8, user String, query_id String, address IPv6, "
                    "port UInt16, initial_user String, initial_query_id String, "
                    "initial_address IPv6, initial_port UInt16, "
                    "interface UInt8, os_user String, client_hostname String, "
                    "client_name String, client_agent String, client_revision UInt64, "
                    "client_version_major UInt64, client_version_minor UInt64, "
                    "client_version_patch UInt64, http_method UInt8, http_user_agent String, "
                    "http_referer String, forwarded_for String, quota_key String, "
                    "distributed_depth UInt64, elapsed Float64, is_cancelled UInt8, "
                    "is_all_data_sent UInt8, read_rows UInt64, read_bytes UInt64, "
                    "total_rows_approx UInt64, written_rows UInt64, written_bytes UInt64, "
                    "memory_usage Int64, peak_memory_usage Int64, query String, "
                    "normalized_query_hash UInt64, query_kind String, "
                    "thread_ids Array(UInt64), peak_threads_usage UInt64, "
                    "ProfileEvents Map(LowCardinality(String), UInt64), "
                    "Settings Map(LowCardinality(String), LowCardinality(String)), "
                    "current_database String, is_internal UInt8"),
                fill, ""});
}

} // namespace basalt
