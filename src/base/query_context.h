#pragma once

// What one query, insert or background task carries through every room: settings, limits, the
// cancel flag, the clock, randomness, counters. It never points at a higher room.
// Threads: const methods and the atomics from any thread; `settings` is set before execution.

#include "base/clock.h"
#include "base/memory_tracker.h"
#include "base/permissions.h"
#include "base/profile_events.h"
#include "base/settings.h"

#include <atomic>
#include <memory>
#include <string>

namespace basalt
{

struct QueryContext
{
    explicit QueryContext(MemoryTracker* server_memory = nullptr);

    std::string query_id;
    std::string user = "default";
    std::shared_ptr<const Permissions> permissions; // null: of the server itself, all is allowed
    std::string current_database = "default";
    std::string server_timezone = "UTC"; // of the server; session_timezone overrides it
    std::string host_name;
    uint64_t server_uptime_s = 0;
    Settings settings;

    Clock* clock = &system_clock();
    RandomSource* random = &system_random();
    int64_t start_unix_us = 0; // now() and today() use this: one value per query
    int64_t start_monotonic_ns = 0;

    mutable MemoryTracker memory;
    mutable ProfileCounters counters;

    // Progress, for headers, the client's bar, query_log and limits.
    mutable std::atomic<uint64_t> read_rows{0};
    mutable std::atomic<uint64_t> read_bytes{0};
    mutable std::atomic<uint64_t> total_rows_to_read{0};
    mutable std::atomic<uint64_t> written_rows{0};
    mutable std::atomic<uint64_t> written_bytes{0};
    mutable std::atomic<uint64_t> result_rows{0};
    mutable std::atomic<uint64_t> result_bytes{0};

    void cancel() const { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

    // Called once per block. Throws QUERY_WAS_CANCELLED (394) or TIMEOUT_EXCEEDED (159).
    void check_alive() const;

    // Adds to read_rows/read_bytes and throws TOO_MANY_ROWS (158) or TOO_MANY_BYTES (307).
    void add_read(uint64_t rows, uint64_t bytes) const;

    // Whether the user may; the arguments are those of Permissions.
    bool granted(std::string_view privilege, std::string_view database = {},
                 std::string_view table = {}, std::string_view column = {}) const
    {
        return !permissions || permissions->granted(privilege, database, table, column);
    }
    bool granted_on_some(std::string_view privilege, std::string_view database = {},
                         std::string_view table = {}) const
    {
        return !permissions || permissions->granted_on_some(privilege, database, table);
    }

    // max_threads, or the number of cores the cgroup grants.
    size_t max_threads() const;
    // session_timezone or the server's.
    std::string timezone() const;

    // Called after settings are final: reads the limits that are checked per block.
    void start();

private:
    mutable std::atomic<bool> cancelled_{false};
    uint64_t max_execution_time_ns_ = 0;
    uint64_t max_rows_to_read_ = 0;
    uint64_t max_bytes_to_read_ = 0;
};

using QueryContextPtr = std::shared_ptr<QueryContext>;

} // namespace basalt
