#include "postgres/bench.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "io/process.h"
#include "postgres/bench_machine.h"
#include "postgres/binaries.h"
#include "postgres/connection.h"
#include "postgres/create.h"
#include "postgres/supervisor.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <thread>
#include <unistd.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int64_t kServerTimeoutMs = 120000;
constexpr int64_t kPollMs = 50;
constexpr uint64_t kMaxLatencyLogBytes = 2ull << 30;
// Longer runs log a tenth of their transactions: the log itself costs I/O.
constexpr int64_t kSampledSeconds = 60;
constexpr double kSampledShare = 0.1;
// Room on the volume beside the data: the log, and what tables grow by.
constexpr uint64_t kVolumeSlackBytes = 3ull << 30;
// Every client that fails says so.
constexpr size_t kMaxErrorBytes = 1000;
constexpr const char* kIoDatabase = "bench";
constexpr const char* kFitDatabase = "fit";

volatile std::sig_atomic_t stop_signal = 0;

void check_stop()
{
    if (stop_signal)
        throw Error(QUERY_WAS_CANCELLED, "The measurement was interrupted");
}

// Ctrl-C ends the measurement through its destructors.
class StopOnSignal
{
public:
    StopOnSignal()
    {
        for (const int signal : {SIGINT, SIGTERM})
            std::signal(signal, [](int which) { stop_signal = which; });
    }
    ~StopOnSignal()
    {
        for (const int signal : {SIGINT, SIGTERM})
            std::signal(signal, SIG_DFL);
    }
};

// A server without a supervisor, stopped when the object goes.
class BenchServer
{
public:
    BenchServer(const Instance& instance, const OsUser& user, const MemoryLimit* limit)
        : instance_(instance)
    {
        {
            const MemoryLimit::Inside inside(limit);
            start_detached(user, instance.log() + "/startup.log",
                           [&]
                           {
                               ProcessOptions options;
                               options.arguments = {instance.program("postgres"), "-D",
                                                    instance.data()};
                               options.stdout_stream.kind = StreamOptions::Kind::Inherit;
                               options.stderr_stream.kind = StreamOptions::Kind::Inherit;
                               Process server(options);
                               return server.wait()->code;
                           });
        }
        wait_until([&] { return ready(); }, "start");
    }

    ~BenchServer()
    {
        try
        {
            stop();
        }
        catch (const Error& error)
        {
            std::fprintf(stderr, "%s\n", error.message().c_str());
        }
    }

    void stop()
    {
        const auto alive = live_postmaster(real_file_system(), instance_);
        if (!alive)
            return;
        ::kill(alive->pid, SIGINT);
        const int pid = alive->pid;
        wait_until([pid] { return !process_exists(pid); }, "stop");
    }

private:
    bool ready() const
    {
        const auto alive = live_postmaster(real_file_system(), instance_);
        return alive && alive->status == "ready";
    }

    void wait_until(const std::function<bool()>& condition, const char* what) const
    {
        const int64_t deadline_ns = system_clock().monotonic_ns() + kServerTimeoutMs * 1000000;
        while (!condition())
        {
            if (system_clock().monotonic_ns() > deadline_ns)
                throw Error(TIMEOUT_EXCEEDED,
                            fmt::format("The measured server did not {} within {} s; its log is in "
                                        "{}",
                                        what, kServerTimeoutMs / 1000, instance_.log()));
            std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
        }
    }

    const Instance& instance_;
};

class Bench
{
public:
    Bench(const BenchOptions& options, const std::function<void(const std::string&)>& say)
        : options_(options), say_(say), files_(real_file_system())
    {
    }

    ~Bench()
    {
        // In this order: a volume in use cannot be taken away.
        server_.reset();
        limit_.reset();
        volume_.reset();
        if (made_folder_)
        {
            try
            {
                files_.remove_directory_recursive(options_.path);
            }
            catch (const Error& error)
            {
                std::fprintf(stderr, "%s\n", error.message().c_str());
            }
        }
    }

    BenchReport run()
    {
        const StopOnSignal stop_on_signal;
        prepare_sizes();
        prepare_volume();
        prepare_server();
        fill();
        for (const auto& test : options_.tests)
            for (uint64_t run = 1; run <= options_.runs; ++run)
                for (const auto& arm : options_.arms)
                    measure(test, arm, run);
        return std::move(report_);
    }

private:
    void prepare_sizes()
    {
        for (const auto& arm : options_.arms)
            if (arm != "tuned" && arm != "default" && arm != "capped")
                throw Error(BAD_ARGUMENTS, fmt::format("There is no arm '{}'", arm));
        for (const auto& test : options_.tests)
            if (test != "read-write" && test != "read-only" && test != "in-memory")
                throw Error(BAD_ARGUMENTS, fmt::format("There is no test '{}'", test));
        const bool has_default = std::find(options_.arms.begin(), options_.arms.end(), "default") !=
                                 options_.arms.end();
        const uint64_t least = has_default ? kMinDefaultArmMemoryBytes : kMinBenchMemoryBytes;
        if (options_.memory_bytes < least)
            throw Error(BAD_ARGUMENTS,
                        fmt::format("--memory is at least {}{}", readable_size(least),
                                    has_default ? " for the arm 'default'" : ""));
        if (options_.runs < 1 || options_.runs > kMaxBenchRuns)
            throw Error(BAD_ARGUMENTS, fmt::format("--runs is between 1 and {}", kMaxBenchRuns));
        if (options_.cores == 0)
            options_.cores = granted_cores();
        if (options_.scale == 0)
            options_.scale = scale_for(options_.memory_bytes, kDataToMemory);
        if (options_.fit_scale == 0)
            options_.fit_scale = scale_for(options_.memory_bytes, kFittingDataToMemory);
        if (options_.clients == 0)
            options_.clients = kClientsPerCore * options_.cores;
        if (options_.fit_clients == 0)
            options_.fit_clients = options_.clients;
        if (options_.iops == 0)
            options_.iops = kIopsPerCore * options_.cores;
        report_.scale = options_.scale;
        report_.fit_scale = options_.fit_scale;
        report_.iops = options_.iops;
        report_.io_seconds = options_.io_seconds;
        pgbench_ = need_tool(options_.pg_bin, "pgbench");
    }

    void refuse(const std::string& arm, const std::string& why)
    {
        if (std::erase(options_.arms, arm) > 0)
            report_.refused.push_back(fmt::format("arm '{}': {}", arm, why));
    }

    void prepare_volume()
    {
        options_.path = std::filesystem::absolute(options_.path).lexically_normal();
        if (files_.exists(options_.path))
            throw Error(DIRECTORY_ALREADY_EXISTS,
                        fmt::format("{} exists; name a folder that the measurement may make and "
                                    "remove",
                                    options_.path));
        files_.create_directories(options_.path);
        made_folder_ = true;
        set_file_mode(options_.path, 0755);
        const uint64_t data = (options_.scale + options_.fit_scale) * kBytesPerScale;
        const uint64_t bytes = data + data / 2 + kVolumeSlackBytes;
        if (const uint64_t free = files_.free_space(options_.path); free < bytes)
            throw Error(NOT_ENOUGH_SPACE,
                        fmt::format("Data of scale {} and its log take {}; {} has {} free",
                                    options_.scale, readable_size(bytes), options_.path,
                                    readable_size(free)));
        folder_ = options_.path;
        report_.volume = options_.path;
        std::string why = LoopVolume::why_not();
        if (why.empty())
        {
            try
            {
                say_("making a volume of its own");
                volume_ = std::make_unique<LoopVolume>(options_.path, bytes);
                folder_ = volume_->mount_point();
                report_.volume = fmt::format("a file with ext4 behind {} (direct I/O), in {}",
                                             volume_->device(), options_.path);
                why = IopsLimit::why_not();
            }
            catch (const Error& error)
            {
                why = error.message();
            }
        }
        if (!why.empty())
            refuse("capped", why);
        const std::string no_limit = MemoryLimit::why_not();
        if (no_limit.empty())
        {
            limit_ = std::make_unique<MemoryLimit>(options_.memory_bytes);
            report_.memory = readable_size(options_.memory_bytes) + ", by a control group";
        }
        else
            report_.memory = fmt::format("NOT limited ({}): the data may fit in memory", no_limit);
        if (options_.arms.empty())
            throw Error(BAD_ARGUMENTS,
                        "This machine can do none of the arms: " + report_.refused[0]);
    }

    void prepare_server()
    {
        say_("making a server");
        CreateOptions create;
        create.name = kIoDatabase;
        create.path = folder_ + "/server";
        create.pg_bin = options_.pg_bin;
        create.version = options_.version;
        create.os_user = options_.os_user;
        create.probe.memory_bytes = options_.memory_bytes;
        create.probe.cores = options_.cores;
        const CreatePlan plan =
            plan_instance(files_, InstanceList(files_, options_.path + "/home"), create);
        instance_ = plan.instance;
        user_ = plan.user;
        report_.version = instance_.version;
        make_instance_folder(files_, plan);
        const int code = run_as_user(user_,
                                     [&]
                                     {
                                         fill_instance_folder(files_, instance_, create.probe);
                                         initialise_data(files_, instance_, "basalt");
                                         return 0;
                                     });
        if (code != 0)
            throw Error(CANNOT_CREATE_CHILD_PROCESS, "The server to measure could not be made");
        const MachineFile machine = load_machine(files_, instance_);
        report_.machine = machine.machine;
        // Of Basalt's own settings only those that place the server stay in the default arm.
        Instance bare = instance_;
        const std::string common = basalt_conf(bare, {}, "basalt") +
                                   "archive_mode = off\nlisten_addresses = ''\n";
        report_.settings["default"] = common + "max_connections = 600\n";
        report_.settings["tuned"] =
            basalt_conf(bare, derive_settings(machine.machine, machine.features), "basalt") +
            "archive_mode = off\nlisten_addresses = ''\nmax_connections = 600\n";
        report_.settings["capped"] = report_.settings["tuned"];
    }

    void start(const std::string& arm)
    {
        server_.reset();
        const int code = run_as_user(user_,
                                     [&]
                                     {
                                         files_.replace_whole(instance_.data() + "/basalt.conf",
                                                              report_.settings[arm]);
                                         return 0;
                                     });
        if (code != 0)
            throw Error(CANNOT_OPEN_FILE, "Cannot write the server's settings");
        drop_cached_pages(instance_.data());
        server_ = std::make_unique<BenchServer>(instance_, user_, limit_.get());
    }

    ProcessResult pgbench(const std::vector<std::string>& arguments, const char* database)
    {
        ProcessOptions process;
        process.arguments = {pgbench_};
        process.arguments.insert(process.arguments.end(), arguments.begin(), arguments.end());
        process.arguments.emplace_back(database);
        process.environment = {{"PGHOST", instance_.run()},
                               {"PGPORT", std::to_string(instance_.port)},
                               {"PGUSER", kSuperuser}};
        process.working_directory = options_.path;
        last_command_ = fmt::format("pgbench {} {}", fmt::join(arguments, " "), database);
        report_.commands.push_back(last_command_);
        const ProcessResult result = run_process(process);
        check_stop();
        if (!result.status.ok())
            throw Error(CANNOT_CREATE_CHILD_PROCESS, fmt::format("{} failed ({}): {}", last_command_,
                                                                 result.status.text(),
                                                                 result.errors.substr(
                                                                     0, kMaxErrorBytes)));
        return result;
    }

    void fill()
    {
        start("tuned");
        {
            Connection connection(instance_, "postgres");
            connection.query(fmt::format("CREATE DATABASE {}", kFitDatabase));
        }
        const auto wants = [&](const char* test)
        { return std::find(options_.tests.begin(), options_.tests.end(), test) !=
                 options_.tests.end(); };
        if (wants("read-write") || wants("read-only"))
        {
            say_(fmt::format("filling tables, scale {} (about {})", options_.scale,
                             readable_size(options_.scale * kBytesPerScale)));
            pgbench({"-i", "-q", "-s", std::to_string(options_.scale)}, kIoDatabase);
        }
        if (wants("in-memory"))
            pgbench({"-i", "-q", "-s", std::to_string(options_.fit_scale)}, kFitDatabase);
    }

    void measure(const std::string& test, const std::string& arm, uint64_t run)
    {
        check_stop();
        const bool fits = test == "in-memory";
        const char* database = fits ? kFitDatabase : kIoDatabase;
        start(arm);
        std::unique_ptr<IopsLimit> cap;
        if (arm == "capped")
            cap = std::make_unique<IopsLimit>(volume_->device(), options_.iops);
        Connection(instance_, "postgres").query("CHECKPOINT");
        const uint64_t clients = fits ? options_.fit_clients : options_.clients;
        const int64_t seconds = fits ? options_.fit_seconds : options_.io_seconds;
        if (fits)
            warm(database);
        BenchRun result;
        result.test = test;
        result.arm = arm;
        result.run = run;
        result.latency_sampling = seconds > kSampledSeconds ? kSampledShare : 1;
        std::vector<std::string> arguments = {
            "-n", "-c", std::to_string(clients), "-j",
            std::to_string(std::min(clients, std::max<uint64_t>(options_.cores, 1))), "-T",
            std::to_string(seconds), "-M", "prepared", "-P", "30", "-l",
            "--log-prefix=latencies"};
        if (test != "read-write")
            arguments.emplace_back("-S");
        if (result.latency_sampling < 1)
            arguments.push_back(fmt::format("--sampling-rate={}", result.latency_sampling));
        const auto before = disk_counters(instance_.data());
        const ProcessResult output = pgbench(arguments, database);
        const auto after = disk_counters(instance_.data());
        result.command = last_command_;
        const auto summary = parse_pgbench(output.output);
        if (!summary)
            throw Error(INCORRECT_DATA, "pgbench printed no result: " + output.output);
        result.summary = *summary;
        result.has_disk = before && after;
        if (result.has_disk)
            result.disk = after->since(*before);
        result.latency = take_latencies();
        say_(fmt::format("{:<10} {:<8} run {}: {:.0f} TPS, p99 {:.1f} ms", test, arm, run,
                         summary->tps, result.latency.p99_ms));
        report_.runs.push_back(std::move(result));
    }

    // The table and its index into memory, then the usual single client.
    void warm(const char* database)
    {
        {
            Connection connection(instance_, database);
            // A sum needs the table itself, a count of keys only the index.
            connection.query("SELECT sum(abalance) FROM pgbench_accounts");
            connection.query("SET enable_seqscan = off; SET enable_bitmapscan = off; "
                             "SELECT count(*) FROM pgbench_accounts WHERE aid > 0");
        }
        pgbench({"-n", "-c", "1", "-T", std::to_string(options_.warm_seconds), "-S", "-M",
                 "prepared"},
                database);
    }

    Percentiles take_latencies()
    {
        std::vector<uint32_t> latencies_us;
        for (const auto& entry : files_.list(options_.path))
        {
            if (!entry.name.starts_with("latencies."))
                continue;
            const std::string path = options_.path + "/" + entry.name;
            add_latencies(files_.read_whole(path, kMaxLatencyLogBytes), latencies_us);
            files_.remove_file(path);
        }
        return percentiles_of(latencies_us);
    }

    BenchOptions options_;
    const std::function<void(const std::string&)>& say_;
    FileSystem& files_;
    BenchReport report_;
    std::unique_ptr<LoopVolume> volume_;
    std::unique_ptr<MemoryLimit> limit_;
    std::unique_ptr<BenchServer> server_;
    Instance instance_;
    OsUser user_;
    std::string folder_;
    std::string pgbench_;
    std::string last_command_;
    bool made_folder_ = false;
};

} // namespace

BenchReport run_bench(const BenchOptions& options,
                      const std::function<void(const std::string&)>& say)
{
    return Bench(options, say).run();
}

std::vector<const BenchRun*> BenchReport::of(const std::string& test, const std::string& arm) const
{
    std::vector<const BenchRun*> result;
    for (const auto& run : runs)
        if (run.test == test && run.arm == arm)
            result.push_back(&run);
    return result;
}

double BenchReport::median_tps(const std::string& test, const std::string& arm) const
{
    std::vector<double> values;
    for (const auto* run : of(test, arm))
        values.push_back(run->summary.tps);
    return median_of(std::move(values));
}

} // namespace basalt::pg
