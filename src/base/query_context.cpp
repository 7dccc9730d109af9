#include "base/query_context.h"

#include "base/error.h"
#include "base/threads.h"

#include <fmt/format.h>

namespace basalt
{

QueryContext::QueryContext(MemoryTracker* server_memory)
    : memory("query", 0, server_memory), counters(&server_profile_counters())
{
    start_unix_us = clock->unix_us();
    start_monotonic_ns = clock->monotonic_ns();
}

void QueryContext::start()
{
    start_unix_us = clock->unix_us();
    start_monotonic_ns = clock->monotonic_ns();
    max_execution_time_ns_ =
        static_cast<uint64_t>(settings.get_float("max_execution_time") * 1e9);
    max_rows_to_read_ = settings.get_uint("max_rows_to_read");
    max_bytes_to_read_ = settings.get_uint("max_bytes_to_read");
    memory.set_limit(settings.get_uint("max_memory_usage"));
}

void QueryContext::check_alive() const
{
    if (cancelled())
        throw Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled");
    if (max_execution_time_ns_ == 0)
        return;
    const auto elapsed = static_cast<uint64_t>(clock->monotonic_ns() - start_monotonic_ns);
    if (elapsed > max_execution_time_ns_)
        throw Error(error_codes::TIMEOUT_EXCEEDED,
                    fmt::format("Timeout exceeded: elapsed {} ms, maximum: {} ms",
                                elapsed / 1000000, max_execution_time_ns_ / 1000000));
}

void QueryContext::add_read(uint64_t rows, uint64_t bytes) const
{
    const uint64_t all_rows = read_rows.fetch_add(rows) + rows;
    const uint64_t all_bytes = read_bytes.fetch_add(bytes) + bytes;
    counters.add(ProfileEvent::SelectedRows, rows);
    counters.add(ProfileEvent::SelectedBytes, bytes);
    if (max_rows_to_read_ && all_rows > max_rows_to_read_)
        throw Error(error_codes::TOO_MANY_ROWS,
                    fmt::format("Limit for rows (controlled by 'max_rows_to_read' setting) "
                                "exceeded, max rows: {}, current rows: {}",
                                max_rows_to_read_, all_rows));
    if (max_bytes_to_read_ && all_bytes > max_bytes_to_read_)
        throw Error(error_codes::TOO_MANY_BYTES,
                    fmt::format("Limit for bytes (controlled by 'max_bytes_to_read' setting) "
                                "exceeded, max bytes: {}, current bytes: {}",
                                max_bytes_to_read_, all_bytes));
}

size_t QueryContext::max_threads() const
{
    const uint64_t threads = settings.get_uint("max_threads");
    return threads ? threads : granted_cores();
}

std::string QueryContext::timezone() const
{
    const auto zone = settings.get("session_timezone");
    return zone.empty() ? server_timezone : std::string(zone);
}

} // namespace basalt
