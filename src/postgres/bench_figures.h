#pragma once

// The arithmetic of `basalt pg bench`: what pgbench prints and logs, what the kernel counts, and
// the ratios that make a small machine's run comparable with a large one's. Pure.

#include "base/int_types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::pg
{

// The measurements this repeats at any size: 500 GB of data to 64 GB of memory, 16 clients and
// 1,000 IOPS for each vCPU; 2 GB to 8 GB for the test that fits in memory.
inline constexpr double kDataToMemory = 7.8;
inline constexpr double kFittingDataToMemory = 0.25;
inline constexpr uint64_t kClientsPerCore = 16;
inline constexpr uint64_t kIopsPerCore = 1000;
// One unit of pgbench's scale with its indexes.
inline constexpr uint64_t kBytesPerScale = 15ull << 20;

// pgbench's scale for data of `ratio` times the memory; at least 1.
uint64_t scale_for(uint64_t memory_bytes, double ratio);

struct PgbenchSummary
{
    double tps = 0;
    uint64_t transactions = 0;
    uint64_t failed = 0;
    double latency_ms = 0; // average
};
// Nothing if the text holds no result.
std::optional<PgbenchSummary> parse_pgbench(std::string_view output);

// Appends the latencies (microseconds, the third word) of a `pgbench -l` log; lines that are none
// are left out.
void add_latencies(std::string_view log, std::vector<uint32_t>& latencies_us);

struct Percentiles
{
    double p50_ms = 0, p95_ms = 0, p99_ms = 0, max_ms = 0;
};
// Sorts. All zero if there are none.
Percentiles percentiles_of(std::vector<uint32_t>& latencies_us);

// /sys/block/NAME/stat.
struct DiskCounters
{
    uint64_t reads = 0, writes = 0, read_bytes = 0, written_bytes = 0, flushes = 0;

    DiskCounters since(const DiskCounters& before) const;
};
std::optional<DiskCounters> parse_disk_counters(std::string_view stat);

double median_of(std::vector<double> values);

} // namespace basalt::pg
