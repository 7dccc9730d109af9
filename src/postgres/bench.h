#pragma once

// `basalt pg bench`: three pgbench tests on one machine, in arms that differ in one thing each.
//
//   tests  read-write  more data than memory, TPC-B-like
//          read-only   the same data, -S
//          in-memory   a quarter of memory, -S, warmed: bound by the processor
//   arms   tuned       Basalt's settings
//          default     PostgreSQL's own settings, same volume
//          capped      Basalt's settings, the volume limited to 1,000 IOPS a core: a simulated
//                      network volume. The in-memory test must come out equal to `tuned`.
//
// Every arm has the same server, data and volume; the archive is off in all of them. The server
// has a memory limit so that little data is much data. Clients run on the same machine, outside
// that limit. Errors: BAD_ARGUMENTS; whatever the steps throw. Cleans up after itself.

#include "io/os_user.h"
#include "postgres/bench_figures.h"
#include "postgres/instance.h"
#include "postgres/server_files.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace basalt::pg
{

inline constexpr uint64_t kMaxBenchRuns = 100;
// Beside its shared memory a server with dozens of clients takes this much; the default arm has
// 128 MB of shared memory whatever the limit is.
inline constexpr uint64_t kMinBenchMemoryBytes = 192ull << 20;
inline constexpr uint64_t kMinDefaultArmMemoryBytes = 384ull << 20;

struct BenchOptions
{
    std::string path = "./basalt-pg-bench"; // made, and removed at the end
    std::string pg_bin;
    std::string os_user;
    int version = 0;
    uint64_t memory_bytes = 1ull << 30; // of the server
    uint64_t cores = 0;
    uint64_t scale = 0;      // 0: 7.8 times the memory
    uint64_t fit_scale = 0;  // of the in-memory test; 0: a quarter of the memory
    uint64_t clients = 0;    // 0: 16 a core
    uint64_t fit_clients = 0;
    uint64_t iops = 0;       // of the capped arm; 0: 1,000 a core
    int64_t io_seconds = 600;
    int64_t fit_seconds = 300;
    int64_t warm_seconds = 60;
    uint64_t runs = 3;
    std::vector<std::string> arms = {"tuned", "default", "capped"};
    std::vector<std::string> tests = {"read-write", "read-only", "in-memory"};
};

struct BenchRun
{
    std::string test;
    std::string arm;
    uint64_t run = 0;
    std::string command;
    PgbenchSummary summary;
    Percentiles latency;
    double latency_sampling = 1;
    bool has_disk = false;
    DiskCounters disk;
};

struct BenchReport
{
    std::string version;
    std::string volume;               // "loop device with ext4 …" or the folder
    std::string memory;               // "512 MiB (control group)" or why there is no limit
    std::vector<std::string> refused; // arms that this machine cannot do, with the reason
    Machine machine;
    uint64_t scale = 0, fit_scale = 0;
    uint64_t iops = 0;
    int64_t io_seconds = 0; // of one run of the first two tests
    std::vector<std::string> commands; // in the order they were run
    std::map<std::string, std::string> settings; // arm: the file the server read
    std::vector<BenchRun> runs;

    std::vector<const BenchRun*> of(const std::string& test, const std::string& arm) const;
    double median_tps(const std::string& test, const std::string& arm) const;
};

// `say` is told what is going on, a line at a time.
BenchReport run_bench(const BenchOptions& options, const std::function<void(const std::string&)>& say);

// The table on a terminal; and report.html, samples.jsonl, commands.txt and settings-ARM.conf.
std::string bench_text(const BenchReport& report);
std::string bench_html(const BenchReport& report);
std::string bench_samples(const BenchReport& report);
void write_bench_report(const std::string& folder, const BenchReport& report);

} // namespace basalt::pg
