#include "postgres/control.h"

#include "base/error.h"
#include "io/os_user.h"
#include "io/socket.h"
#include "postgres/backup.h"
#include "postgres/connection.h"
#include "postgres/create.h"
#include "postgres/server_files.h"

#include <algorithm>
#include <csignal>
#include <fmt/core.h>
#include <thread>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int64_t kPollMs = 50;
constexpr uint64_t kTailBytes = 1 << 20;
// Where report_on() puts the state.
constexpr size_t kStateFact = 1;

void pause()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
}

std::string duration_text(int64_t seconds)
{
    if (seconds < 120)
        return fmt::format("{} s", seconds);
    if (seconds < 7200)
        return fmt::format("{} min", seconds / 60);
    if (seconds < 172800)
        return fmt::format("{} h", seconds / 3600);
    return fmt::format("{} days", seconds / 86400);
}

[[noreturn]] void throw_start_failure(FileSystem& files, const Instance& instance,
                                      const std::string& how)
{
    std::string words;
    for (const LogKind kind : {LogKind::Startup, LogKind::Server})
        if (const auto path = log_file(files, instance, kind))
            words += fmt::format("\n{}:\n{}", *path, last_lines(files, *path, 8));
    const bool full = words.find("No space left on device") != std::string::npos;
    throw Error(full ? NOT_ENOUGH_SPACE : CANNOT_CREATE_CHILD_PROCESS,
                fmt::format("Instance '{}' did not start: {}.{}", instance.name, how, words));
}

std::string backups_text(FileSystem& files, const Instance& instance)
{
    try
    {
        const auto backups = list_backups(files, instance);
        std::string text = backups.empty()
                               ? "none"
                               : fmt::format("{}, the last of {} UTC", backups.size(),
                                             utc_text(backups.back().finished_unix_us / 1000000));
        if (instance.backup_every_hours > 0)
            text += fmt::format(", every {} h", instance.backup_every_hours);
        return text;
    }
    catch (const Error& error)
    {
        return error.message();
    }
}

void ask_server(ServerReport& report, const Instance& instance)
{
    const auto add = [&](const char* name, std::string text)
    { report.facts.emplace_back(name, std::move(text)); };
    try
    {
        Connection connection(instance, "postgres");
        const Row row = connection.query(
            "SELECT pg_size_pretty(sum(pg_database_size(oid))), "
            "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "
            "current_setting('max_connections'), pg_is_in_recovery(), "
            "CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END "
            "FROM pg_database")[0];
        add("databases", row[0].value_or(""));
        add("connections", fmt::format("{} of {}", row[1].value_or(""), row[2].value_or("")));
        if (row[4])
            add("log position", *row[4]);
        else
            add("recovery", "under way");
        const Row archive = connection.query(
            "SELECT archived_count, coalesce(last_archived_wal, ''), "
            "coalesce(to_char(last_archived_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), ''), "
            "failed_count, coalesce(last_failed_wal, ''), "
            "coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) "
            "FROM pg_stat_archiver")[0];
        add("archive",
            *archive[5] == "t"
                ? fmt::format("FAILING at {}: {} failures; see basalt pg logs {}", *archive[4],
                              *archive[3], instance.name)
            : *archive[0] == "0" ? "nothing to archive yet"
                                 : fmt::format("{} segments, the last {} at {}", *archive[0],
                                               *archive[1], *archive[2]));
        for (const auto& slot : connection.query(
                 "SELECT slot_name, active, pg_size_pretty(pg_wal_lsn_diff("
                 "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
                 "ELSE pg_current_wal_lsn() END, restart_lsn)), wal_status "
                 "FROM pg_replication_slots ORDER BY slot_name"))
            add("slot", fmt::format("{}: {}, holds back {}, {}", slot[0].value_or(""),
                                    slot[1] == "t" ? "active" : "inactive", slot[2].value_or("0"),
                                    slot[3].value_or("")));
    }
    catch (const Error& error)
    {
        // After a crash of one process PostgreSQL replays its log before it answers again.
        add("no answer", error.message());
        report.is_running = false;
        report.state = "running, no answer";
        report.facts[kStateFact].second = report.state;
    }
}

} // namespace

void prepare_start(FileSystem& files, const Instance& instance, const std::string& program)
{
    if (is_supervised(files, instance))
        throw Error(BAD_ARGUMENTS, fmt::format("Instance '{}' runs already", instance.name));
    check_reachable(instance.data(), "the data folder");
    if (!live_postmaster(files, instance))
    {
        try
        {
            Listener probe("127.0.0.1", instance.port);
        }
        catch (const Error&)
        {
            throw Error(NETWORK_ERROR,
                        fmt::format("Instance '{}' cannot start: port {} of 127.0.0.1 is in use by "
                                    "another program",
                                    instance.name, instance.port));
        }
    }
    write_server_files(files, instance, program, false);
    SupervisorState state;
    state.state = "starting";
    state.save(files, instance);
}

void wait_until_running(FileSystem& files, Clock& clock, const Instance& instance,
                        int supervisor_pid, int64_t timeout_ms)
{
    const int64_t deadline_ns = clock.monotonic_ns() + timeout_ms * 1000000;
    for (;;)
    {
        const SupervisorState state = SupervisorState::load(files, instance);
        if (state.state == "running")
            return;
        if (state.state == "failed")
            throw_start_failure(files, instance, state.last_exit);
        if (!process_exists(supervisor_pid))
        {
            const auto log = log_file(files, instance, LogKind::Supervisor);
            throw_start_failure(files, instance,
                                "its supervisor ended: " +
                                    (log ? last_lines(files, *log, 2) : std::string()));
        }
        if (clock.monotonic_ns() > deadline_ns)
            throw Error(TIMEOUT_EXCEEDED,
                        fmt::format("Instance '{}' is not ready after {} s; it goes on starting "
                                    "(basalt pg status {}, basalt pg logs {})",
                                    instance.name, timeout_ms / 1000, instance.name, instance.name));
        pause();
    }
}

bool stop_server(FileSystem& files, Clock& clock, const Instance& instance, bool immediate,
                 int64_t timeout_ms)
{
    const bool supervised = is_supervised(files, instance);
    const auto alone = live_postmaster(files, instance);
    if (!supervised && !alone)
        return false;
    const SupervisorState state = SupervisorState::load(files, instance);
    const int pid = supervised ? state.supervisor_pid : alone->pid;
    const int signal = immediate ? SIGQUIT : supervised ? SIGTERM : SIGINT;
    if (pid <= 0 || ::kill(pid, signal) != 0)
        throw Error(CANNOT_SEND_SIGNAL,
                    fmt::format("Cannot stop instance '{}' (process {}): run this as root or as {}",
                                instance.name, pid, instance.os_user));
    const int64_t deadline_ns = clock.monotonic_ns() + timeout_ms * 1000000;
    while (is_supervised(files, instance) || live_postmaster(files, instance))
    {
        if (clock.monotonic_ns() > deadline_ns)
            throw Error(TIMEOUT_EXCEEDED,
                        fmt::format("Instance '{}' has not stopped after {} s; --immediate does not "
                                    "wait for its last checkpoint",
                                    instance.name, timeout_ms / 1000));
        pause();
    }
    return true;
}

std::optional<std::string> log_file(FileSystem& files, const Instance& instance, LogKind kind)
{
    if (kind != LogKind::Server)
    {
        const std::string path = instance.log() + (kind == LogKind::Startup ? "/startup.log"
                                                                            : "/supervisor.log");
        return files.exists(path) ? std::optional(path) : std::nullopt;
    }
    std::optional<std::string> newest;
    int64_t newest_us = -1;
    for (const auto& entry : files.list(instance.log()))
    {
        const std::string path = instance.log() + "/" + entry.name;
        const auto status = files.status(path);
        if (entry.name.starts_with("postgresql-") && status && status->modified_unix_us > newest_us)
        {
            newest = path;
            newest_us = status->modified_unix_us;
        }
    }
    return newest;
}

std::string last_lines(FileSystem& files, const std::string& path, size_t lines)
{
    const auto file = files.open_for_read(path);
    const uint64_t size = file->size();
    const uint64_t from = size > kTailBytes ? size - kTailBytes : 0;
    std::string text(size - from, '\0');
    text.resize(file->pread(text.data(), text.size(), from));
    size_t start = text.size();
    for (size_t i = 0; i < lines && start != 0; ++i)
    {
        const size_t line = start >= 2 ? text.rfind('\n', start - 2) : std::string::npos;
        start = line == std::string::npos ? 0 : line + 1;
    }
    return text.substr(start);
}

ServerReport report_on(FileSystem& files, Clock& clock, const Instance& instance, bool ask)
{
    ServerReport report;
    const auto add = [&](const char* name, std::string text)
    { report.facts.emplace_back(name, std::move(text)); };
    const SupervisorState state = SupervisorState::load(files, instance);
    const bool supervised = is_supervised(files, instance);
    const auto alive = live_postmaster(files, instance);
    if (supervised)
        report.state = state.state;
    else if (alive)
        report.state = "running, unsupervised";
    else if (state.state == "stopped" || state.state == "failed")
        report.state = state.state;
    else
        report.state = "crashed";
    report.is_running = alive && alive->status == "ready";
    add("name", instance.name);
    add("state", report.state);
    if (report.state == "running, unsupervised" || report.state == "crashed")
        add("what to do", fmt::format("basalt pg start {}", instance.name));
    if (report.state == "backoff")
        add("next start", fmt::format("{} UTC", utc_text(state.next_start_unix_s)));
    add("version", instance.version);
    add("listens", fmt::format("{} port {}", instance.listen, instance.port));
    add("folder", instance.path);
    const DiskSpace space = files.space(instance.path);
    add("disk", fmt::format("{} free of {}", readable_size(space.free_bytes),
                            readable_size(space.total_bytes)));
    add("user", instance.os_user);
    if (alive)
    {
        add("process", std::to_string(alive->pid));
        add("up for", duration_text(clock.unix_s() - alive->start_unix_s));
    }
    if (supervised)
        add("restarts", std::to_string(state.restarts));
    if (!state.last_exit.empty())
        add("last crash",
            fmt::format("{} at {} UTC", state.last_exit, utc_text(state.last_exit_unix_s)));
    if (ask)
        report.facts.emplace_back("backups", backups_text(files, instance));
    if (ask && report.is_running)
        ask_server(report, instance);
    return report;
}

std::string ServerReport::to_text() const
{
    std::string out;
    for (const auto& [name, text] : facts)
        out += fmt::format("{:<13} {}\n", name, text);
    return out;
}

std::string ServerReport::to_json() const
{
    std::string out = "{";
    for (const auto& [name, text] : facts)
    {
        std::string key = name;
        std::replace(key.begin(), key.end(), ' ', '_');
        // Slots are many; each has a name of its own in its text.
        if (key == "slot")
            key += "_" + text.substr(0, text.find(':'));
        out += fmt::format("{}{}: {}", out.size() > 1 ? ", " : "", json_string(key),
                           json_string(text));
    }
    return out + "}\n";
}

std::string json_string(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (byte < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
        else
            out.push_back(c);
    }
    return out + "\"";
}

} // namespace basalt::pg
