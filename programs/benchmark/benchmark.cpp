// basalt benchmark: runs queries against one server, or two in turn, and says how fast they were. The
// flags and the shape of the report are those of clickhouse-benchmark.

#include "programs/benchmark/report.h"
#include "programs/programs.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "io/file_system.h"
#include "net/native/client.h"
#include "programs/script.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>

namespace basalt
{

namespace
{

using namespace benchmark;

constexpr size_t kMaxConcurrency = 4096;
constexpr size_t kMaxServers = 16;
constexpr auto kLookAtSignals = std::chrono::milliseconds(50);
// Of --confidence, by its number.
constexpr double kConfidences[] = {0.80, 0.90, 0.95, 0.98, 0.99, 0.995};

std::atomic<bool> g_interrupted{false};

struct Options
{
    std::vector<std::string> hosts;
    std::vector<uint16_t> ports;
    std::string user = "default", password, database;
    std::string query, query_id, json_path, stage = "complete";
    size_t concurrency = 1;
    uint64_t iterations = 0;      // 0: without end
    double time_limit_s = 0;      // 0: none
    double delay_s = 1;           // between reports; 0: only the last one
    uint64_t max_consecutive_errors = 0;
    size_t reconnect_every = 0;   // queries of a connection; 0: never
    int confidence = 5;
    bool randomize = false, cumulative = false, continue_on_errors = false;
    bool client_side_time = false, precise = false, round_robin = false, compressed = true;
    Settings settings;
};

std::vector<std::string> queries_of(const Options& options)
{
    const std::string text =
        options.query.empty() ? read_descriptor(STDIN_FILENO) : options.query;
    std::vector<std::string> queries;
    if (!options.query.empty())
        queries.push_back(text);
    else // one a line
        for (size_t at = 0; at < text.size();)
        {
            const size_t end = std::min(text.find('\n', at), text.size());
            queries.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    std::erase_if(queries, [](const std::string& query)
                  { return query.find_first_not_of(" \t\r;") == std::string::npos; });
    if (queries.empty())
        throw Error(error_codes::BAD_ARGUMENTS, "There are no queries: give --query, or queries "
                                                "on standard input, one a line");
    return queries;
}

class Run
{
public:
    explicit Run(const Options& options) : options_(options), queries_(queries_of(options))
    {
        const size_t count = std::max({options.hosts.size(), options.ports.size(), size_t{1}});
        if (count > kMaxServers)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("More than {} servers", kMaxServers));
        for (size_t i = 0; i < count; ++i)
        {
            NativeClientOptions server;
            if (i < options.hosts.size())
                server.host = options.hosts[i];
            if (i < options.ports.size())
                server.port = options.ports[i];
            server.user = options.user;
            server.password = options.password;
            server.database = options.database;
            server.client_name = "Basalt benchmark";
            server.compressed = options.compressed;
            servers_.push_back(server);
        }
        interval_.resize(options.round_robin ? 1 : count);
        std::string all;
        for (size_t i = 0; i < count; ++i)
        {
            const std::string name = fmt::format("{}:{}", servers_[i].host, servers_[i].port);
            all += (i ? ", " : "") + name;
            if (!options.round_robin)
                interval_[i].server = name;
        }
        if (options.round_robin)
            interval_[0].server = all;
        total_ = interval_;
    }

    int run()
    {
        std::fprintf(stderr, "Loaded %zu queries.\n\n", queries_.size());
        // A server that is not there is told of before anything is measured.
        for (const auto& server : servers_)
            NativeClient(server).connect();
        started_ns_ = interval_ns_ = now_ns();
        for (size_t i = 0; i < options_.concurrency; ++i)
        {
            workers_.push_back(std::make_unique<Worker>());
            for (const auto& server : servers_)
                workers_.back()->clients.push_back(std::make_unique<NativeClient>(server));
        }
        running_ = workers_.size();
        for (auto& worker : workers_)
            worker->thread = std::thread([this, &worker = *worker] { work(worker); });
        watch();
        for (auto& worker : workers_)
            worker->thread.join();

        std::lock_guard lock(mutex_);
        const double elapsed_s = seconds_since(started_ns_);
        std::fprintf(stderr, "\nQueries executed: %llu.\n",
                     static_cast<unsigned long long>(finished_));
        print(total_, elapsed_s);
        if (!options_.json_path.empty())
        {
            const std::string json = json_report(total_, elapsed_s);
            if (options_.json_path == "-")
                std::fwrite(json.data(), 1, json.size(), stdout);
            else
                real_file_system().replace_whole(options_.json_path, json);
        }
        return exit_code_;
    }

private:
    struct Worker
    {
        std::vector<std::unique_ptr<NativeClient>> clients; // one for each server
        std::vector<size_t> uses;
        std::thread thread;
    };
    struct Task
    {
        size_t server;
        const std::string* query;
    };

    static int64_t now_ns() { return system_clock().monotonic_ns(); }
    static double seconds_since(int64_t ns) { return static_cast<double>(now_ns() - ns) / 1e9; }

    // Reports from time to time, until the workers are done.
    void watch()
    {
        std::unique_lock lock(mutex_);
        bool told = false;
        while (running_ > 0)
        {
            changed_.wait_for(lock, kLookAtSignals);
            if (g_interrupted && !told)
            {
                stop_ = told = true;
                for (auto& worker : workers_)
                    for (auto& client : worker->clients)
                        client->cancel();
            }
            if (options_.delay_s <= 0 || running_ == 0 ||
                seconds_since(interval_ns_) < options_.delay_s)
                continue;
            std::string share;
            if (options_.iterations)
                share = fmt::format(" ({:.3f}%)", 100 * static_cast<double>(finished_) /
                                                      static_cast<double>(options_.iterations));
            std::fprintf(stderr, "\nQueries executed: %llu%s.\n",
                         static_cast<unsigned long long>(finished_), share.c_str());
            if (options_.cumulative)
                print(total_, seconds_since(started_ns_));
            else
                print(interval_, seconds_since(interval_ns_));
            for (auto& figures : interval_)
                figures.clear();
            interval_ns_ = now_ns();
        }
    }

    void print(const std::vector<Figures>& figures, double elapsed_s) const
    {
        const std::string text = text_report(figures, elapsed_s, kConfidences[options_.confidence],
                                             options_.precise ? 6 : 3);
        std::fwrite(text.data(), 1, text.size(), stderr);
    }

    bool take(Task& task)
    {
        std::lock_guard lock(mutex_);
        if (stop_ || (options_.iterations && issued_ >= options_.iterations) ||
            (options_.time_limit_s > 0 && seconds_since(started_ns_) >= options_.time_limit_s))
            return false;
        const uint64_t number = issued_++;
        const size_t at = options_.randomize ? std::uniform_int_distribution<size_t>(
                                                   0, queries_.size() - 1)(random_)
                                             : number % queries_.size();
        task.query = &queries_[at];
        task.server = servers_.size() == 1 ? 0
                      : options_.round_robin
                          ? number % servers_.size()
                          : std::uniform_int_distribution<size_t>(0, servers_.size() - 1)(random_);
        return true;
    }

    void work(Worker& worker)
    {
        worker.uses.resize(worker.clients.size());
        Task task;
        while (take(task))
        {
            Figures one;
            const Error* failure = nullptr;
            std::optional<Error> caught;
            try
            {
                auto& client = worker.clients[task.server];
                if (options_.reconnect_every &&
                    worker.uses[task.server]++ % options_.reconnect_every == 0)
                    reset(client, task.server);
                run_query(*client, *task.query, one);
            }
            catch (const Error& error)
            {
                caught.emplace(error);
                failure = &*caught;
            }
            if (!count(task, one, failure))
                break;
        }
        std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_all();
    }

    // Under the lock: watch() may be cancelling it.
    void reset(std::unique_ptr<NativeClient>& client, size_t server)
    {
        auto fresh = std::make_unique<NativeClient>(servers_[server]);
        std::lock_guard lock(mutex_);
        client = std::move(fresh);
    }

    void run_query(NativeClient& client, const std::string& text, Figures& one)
    {
        client.connect(); // not part of the query's time
        NativeQuery query;
        query.text = text;
        query.query_id = options_.query_id;
        for (const auto& [name, value] : options_.settings.changes())
            query.settings.push_back({name, value, true, false});
        uint64_t server_ns = 0;
        NativeHandlers handlers;
        handlers.on_progress = [&](const NativeProgress& step)
        {
            one.read_rows += step.read_rows;
            one.read_bytes += step.read_bytes;
            server_ns += step.elapsed_ns;
        };
        handlers.on_profile_info = [&](const NativeProfileInfo& info)
        {
            one.result_rows = info.rows;
            one.result_bytes = info.bytes;
        };
        const int64_t started = now_ns();
        client.run(std::move(query), handlers);
        const bool by_client = options_.client_side_time || server_ns == 0;
        one.latencies.add(by_client ? seconds_since(started)
                                    : static_cast<double>(server_ns) / 1e9);
    }

    // False: no further query.
    bool count(const Task& task, const Figures& one, const Error* failure)
    {
        std::lock_guard lock(mutex_);
        const size_t slot = options_.round_robin ? 0 : task.server;
        if (failure && g_interrupted)
            return false;
        if (failure)
        {
            ++total_[slot].errors;
            ++interval_[slot].errors;
            ++consecutive_errors_;
            const bool goes_on = options_.continue_on_errors ||
                                 consecutive_errors_ < options_.max_consecutive_errors;
            if (stop_ && !goes_on)
                return false; // told already
            std::fprintf(stderr, "%s\nThat was the answer to: %s\n", failure->full_text().c_str(),
                         task.query->c_str());
            if (goes_on)
                return true;
            exit_code_ = exit_code_of(*failure);
            stop_ = true;
            return false;
        }
        consecutive_errors_ = 0;
        ++finished_;
        for (auto* figures : {&total_[slot], &interval_[slot]})
        {
            ++figures->queries;
            figures->read_rows += one.read_rows;
            figures->read_bytes += one.read_bytes;
            figures->result_rows += one.result_rows;
            figures->result_bytes += one.result_bytes;
            figures->latencies.add(one.latencies.sum());
        }
        return true;
    }

    const Options& options_;
    const std::vector<std::string> queries_;
    std::vector<NativeClientOptions> servers_;
    std::vector<std::unique_ptr<Worker>> workers_;

    std::mutex mutex_; // all below
    std::condition_variable changed_;
    std::mt19937_64 random_{std::random_device{}()};
    std::vector<Figures> total_, interval_;
    int64_t started_ns_ = 0, interval_ns_ = 0;
    uint64_t issued_ = 0, finished_ = 0, consecutive_errors_ = 0;
    size_t running_ = 0;
    bool stop_ = false;
    int exit_code_ = 0;
};

} // namespace

int benchmark_main(int argc, char** argv)
{
    Options options;
    const auto from_environment = [](const char* name, std::string& into)
    {
        if (const char* value = std::getenv(name))
            into = value;
    };
    from_environment("CLICKHOUSE_USER", options.user);
    from_environment("CLICKHOUSE_PASSWORD", options.password);
    std::vector<std::string> arguments = take_settings(argc, argv, options.settings);

    CLI::App app("Runs queries and says how fast they were", "basalt benchmark");
    app.set_help_flag("--help", "print this and exit");
    app.add_option("-q,--query", options.query, "default: queries on standard input, one a line");
    app.add_option("-c,--concurrency", options.concurrency, "queries at the same time")
        ->check(CLI::Range(size_t{1}, kMaxConcurrency))
        ->capture_default_str();
    app.add_option("-i,--iterations", options.iterations, "queries in all; 0: without end");
    app.add_option("-t,--timelimit", options.time_limit_s, "seconds in which queries are begun");
    app.add_option("-d,--delay", options.delay_s, "seconds between reports; 0: one, at the end")
        ->capture_default_str();
    app.add_flag("-r,--randomize", options.randomize, "queries in random order");
    app.add_option("-h,--host", options.hosts, "may be repeated, to compare servers")
        ->allow_extra_args(false);
    app.add_option("--port", options.ports, "may be repeated, to compare servers")
        ->allow_extra_args(false);
    app.add_flag("--roundrobin", options.round_robin, "servers are one cluster: do not compare");
    app.add_flag("--cumulative", options.cumulative, "reports on all that was run until then");
    app.add_option("--confidence", options.confidence,
                   "of the comparison: 0 to 5 are 80, 90, 95, 98, 99 and 99.5 %")
        ->check(CLI::Range(0, static_cast<int>(std::size(kConfidences)) - 1))
        ->capture_default_str();
    app.add_option("--json", options.json_path, "file for the last report; -: standard output");
    app.add_option("-u,--user", options.user)->capture_default_str();
    app.add_option("--password", options.password);
    app.add_option("--database", options.database);
    app.add_option("--query_id,--query-id", options.query_id);
    app.add_option("--stage", options.stage)->check(CLI::IsMember({"complete"}));
    app.add_flag("--continue_on_errors,--continue-on-errors", options.continue_on_errors);
    app.add_option("--max-consecutive-errors", options.max_consecutive_errors,
                   "errors in a row that are put up with");
    app.add_option("--reconnect", options.reconnect_every, "queries after which to connect anew")
        ->expected(0, 1)
        ->default_str("1");
    app.add_option("--compression", options.compressed, "of blocks")->capture_default_str();
    app.add_flag("--client-side-time", options.client_side_time,
                 "measure with the way there and back, not what the server says");
    app.add_flag("--precise", options.precise, "microseconds");
    std::reverse(arguments.begin(), arguments.end());
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }
    struct sigaction action = {};
    action.sa_handler = [](int)
    {
        // The second one ends the program.
        if (g_interrupted.exchange(true))
            _exit(130);
    };
    sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return Run(options).run();
}

} // namespace basalt
