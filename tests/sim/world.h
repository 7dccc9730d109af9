#pragma once

// The simulated world: a disk in memory with its faults, a clock that goes where it is told, and a
// server that lives on them. Everything runs on the caller's thread, or waits for it.

#include "engine/engine.h"
#include "engine/run_query.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"
#include "model.h"

#include <memory>
#include <string>

namespace basalt::sim
{

// What went wrong, for whoever reads the trace.
struct SimFailure : std::exception
{
    explicit SimFailure(std::string text) : text(std::move(text)) {}
    const char* what() const noexcept override { return text.c_str(); }
    std::string text;
};

class SimClock final : public Clock
{
public:
    int64_t unix_us() override { return wall_us_; }
    int64_t monotonic_ns() override { return monotonic_ns_; }
    void move_s(int64_t s) // the wall clock; may go back
    {
        wall_us_ += s * 1000000;
        monotonic_ns_ += std::abs(s) * 1000000000;
        latest_us_ = std::max(latest_us_, wall_us_);
    }
    int64_t latest_unix_s() const { return latest_us_ / 1000000; }

private:
    int64_t wall_us_ = 1'700'000'000'000'000;
    int64_t latest_us_ = wall_us_;
    int64_t monotonic_ns_ = 1'000'000'000;
};

// Sizes of this seed's server.
struct WorldOptions
{
    uint64_t direct_insert_rows = 40;
    uint64_t packed_part_bytes = 16 << 20;
    uint64_t log_segment_bytes = 1 << 20;
    uint64_t live_flush_rows = 1000;
    uint64_t live_flush_bytes = 64 << 20;
};

class World
{
public:
    World(Dice& dice, WorldOptions options);
    ~World();

    // Throws basalt::Error; its answer as TabSeparated.
    std::string run(const std::string& sql);
    std::vector<std::string> run_lines(const std::string& sql) { return split(run(sql), '\n'); }

    void start(); // throws
    void stop();  // in order
    // What was not synced is lost, torn or not as the dice say.
    void cut_power();
    bool is_running() const { return engine_ != nullptr; }

    void set_faults(FaultPlan plan) { faulty_.set_plan(std::move(plan)); }
    void clear_faults() { faulty_.set_plan({}); }
    bool has_stopped() const { return faulty_.stopped(); }
    uint64_t changes() const { return faulty_.changes(); }

    // Background work; true when something was done.
    bool background_round(bool long_steps);
    void checkpoint();
    // Until there is nothing left to do. The clock goes on past every pause.
    void run_until_idle();

    SimClock& clock() { return clock_; }
    MemoryFileSystem& disk() { return disk_; }
    std::vector<std::string> take_reports() { return std::exchange(reports_, {}); }

private:
    Dice& dice_;
    WorldOptions options_;
    SimClock clock_;
    MemoryFileSystem disk_;
    SeededRandom fault_random_;
    FaultyFileSystem faulty_;
    std::unique_ptr<Engine> engine_;
    Session session_;
    std::vector<std::string> reports_;
};

} // namespace basalt::sim
