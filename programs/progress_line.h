#pragma once

// The line on stderr while a query runs: rows, bytes, per second, share done, memory. Threads: any
// may call; one query at a time.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace basalt
{

struct ProgressCounts
{
    double rows = 0, bytes = 0, total_rows = 0, memory_bytes = 0;
    double result_rows = 0;
};

class ProgressLine
{
public:
    explicit ProgressLine(bool enabled) : enabled_(enabled) {}

    bool enabled() const { return enabled_; }
    void start(); // a query begins
    // Draws, unless the query has just begun, was drawn a moment ago, or prints rows.
    void show(const ProgressCounts& counts);
    void hide(); // before rows are printed; nothing is drawn until the next start()
    double elapsed_s() const;

private:
    using Clock = std::chrono::steady_clock;

    bool enabled_;
    mutable std::mutex mutex_;
    Clock::time_point started_, drawn_;
    bool running_ = false, shown_ = false;
};

// "3 rows in set. Elapsed: 0.012 sec. Processed 1.00 million rows, …"
std::string summary_of(const ProgressCounts& counts, double elapsed_s);

} // namespace basalt
