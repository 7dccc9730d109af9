#include "postgres/supervisor.h"

#include "base/error.h"
#include "io/os_user.h"
#include "io/process.h"
#include "postgres/backup.h"
#include "postgres/key_values.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/core.h>
#include <unistd.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

// How soon a signal, an exit or readiness is noticed.
constexpr int64_t kTickMs = 100;
constexpr int64_t kBackupStopTimeoutMs = 5000;

class Supervisor
{
public:
    Supervisor(FileSystem& files, Clock& clock, const Instance& instance)
        : files_(files), clock_(clock), instance_(instance)
    {
    }

    int run()
    {
        block_signals();
        state_.supervisor_pid = ::getpid();
        start_or_adopt();
        for (;;)
        {
            // Leaving here would kill the server with us: no error of ours is worth that.
            try
            {
                if (const auto code = step())
                    return *code;
            }
            catch (const std::exception& error)
            {
                say(fmt::format("goes on after: {}", error.what()));
                next_signal(kTickMs);
            }
        }
    }

private:
    // The exit code, once there is nothing left to do.
    std::optional<int> step()
    {
        if (const int signal = next_signal(kTickMs))
        {
            stop(signal);
            return 0;
        }
        if (state_.state == "backoff")
        {
            if (clock_.monotonic_ns() >= next_start_ns_)
                start_or_adopt();
        }
        else if (const auto exit = server_exit())
        {
            if (!crashed(*exit))
                return 1;
        }
        else if (state_.state == "starting")
            look_for_readiness();
        else
            look_after_backups();
        return std::nullopt;
    }

    void look_after_backups()
    {
        const int64_t now_ns = clock_.monotonic_ns();
        if (backup_)
        {
            const auto status = backup_->wait(0);
            if (!status)
                return;
            backup_.reset();
            say("the backup ended: " + status->text());
            next_backup_check_ns_ = now_ns + (status->ok() ? kBackupCheckMs : kBackupRetryMs) * 1000000;
            return;
        }
        if (now_ns < next_backup_check_ns_)
            return;
        next_backup_check_ns_ = now_ns + kBackupCheckMs * 1000000;
        const int64_t every_s = Instance::load(files_, instance_.path).backup_every_hours * 3600;
        const auto backups = list_backups(files_, instance_);
        if (every_s <= 0 || (!backups.empty() &&
                             clock_.unix_us() / 1000000 - backups.back().finished_unix_us / 1000000 <
                                 every_s))
            return;
        ProcessOptions options;
        // The file of this program, wherever it is.
        options.arguments = {"/proc/self/exe", "pg", "backup-folder", instance_.path};
        options.new_group = true;
        options.stdout_stream.kind = StreamOptions::Kind::Inherit;
        options.stderr_stream.kind = StreamOptions::Kind::Inherit;
        backup_ = std::make_unique<Process>(options);
        say("a backup is due");
    }

    std::string startup_log() const { return instance_.log() + "/startup.log"; }

    static void block_signals()
    {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP})
            ::sigaddset(&set, signal);
        ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }

    // 0 if none came within the timeout. SIGHUP (a closed terminal) means nothing to a server.
    static int next_signal(int64_t timeout_ms)
    {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int signal : {SIGTERM, SIGINT, SIGQUIT})
            ::sigaddset(&set, signal);
        const timespec timeout{timeout_ms / 1000, timeout_ms % 1000 * 1000000};
        return std::max(0, ::sigtimedwait(&set, nullptr, &timeout));
    }

    // Both are written by appending, so they can be emptied under the writer.
    void limit_logs()
    {
        for (const std::string& path : {startup_log(), instance_.log() + "/supervisor.log"})
            if (const auto status = files_.status(path);
                status && status->size_bytes > kMaxSupervisorLogBytes)
                files_.truncate(path, 0);
    }

    void say(const std::string& text)
    {
        std::printf("%s UTC %s\n", utc_text(clock_.unix_s()).c_str(), text.c_str());
        std::fflush(stdout);
    }

    // A full disk must not take the server down with us.
    void set_state(std::string state)
    {
        if (state_.state != state)
            state_.since_unix_s = clock_.unix_s();
        state_.state = std::move(state);
        try
        {
            state_.save(files_, instance_);
        }
        catch (const Error& error)
        {
            say("cannot write the state: " + error.message());
        }
    }

    void start_or_adopt()
    {
        limit_logs();
        started_ns_ = clock_.monotonic_ns();
        state_.next_start_unix_s = 0;
        if (const auto alive = live_postmaster(files_, instance_))
        {
            state_.server_pid = alive->pid;
            say(fmt::format("takes over the server, process {}", alive->pid));
            set_state("starting");
            return;
        }
        ProcessOptions options;
        options.arguments = {instance_.program("postgres"), "-D", instance_.data()};
        // Ctrl-C at a terminal reaches us, and we stop the server in order.
        options.new_group = true;
        options.stdout_stream = {StreamOptions::Kind::File, startup_log()};
        options.stderr_stream = {StreamOptions::Kind::ToStdout, {}};
        try
        {
            process_ = std::make_unique<Process>(options);
        }
        catch (const Error& error)
        {
            say("cannot start the server: " + error.message());
            state_.server_pid = 0;
            start_error_ = error.message();
            set_state("starting");
            return;
        }
        state_.server_pid = process_->pid();
        say(fmt::format("started the server, process {}", process_->pid()));
        set_state("starting");
    }

    // How the server ended, if it did.
    std::optional<std::string> server_exit()
    {
        if (process_)
        {
            const auto status = process_->wait(0);
            if (!status)
                return std::nullopt;
            process_.reset();
            return status->text();
        }
        if (state_.server_pid == 0)
            return start_error_;
        if (process_exists(state_.server_pid))
            return std::nullopt;
        return "an exit that nobody saw";
    }

    void look_for_readiness()
    {
        const auto postmaster = live_postmaster(files_, instance_);
        if (!postmaster || postmaster->pid != state_.server_pid || postmaster->status != "ready")
            return;
        ever_ready_ = true;
        say("the server is ready");
        set_state("running");
    }

    // False if there is no use in trying again.
    bool crashed(const std::string& how)
    {
        const int64_t uptime_ms = (clock_.monotonic_ns() - started_ns_) / 1000000;
        state_.last_exit = how;
        state_.last_exit_unix_s = clock_.unix_s();
        state_.server_pid = 0;
        if (!ever_ready_)
        {
            say("the server ended before it was ready: " + how);
            set_state("failed");
            return false;
        }
        const int64_t pause_ms = backoff_.next_ms(uptime_ms);
        ++state_.restarts;
        next_start_ns_ = clock_.monotonic_ns() + pause_ms * 1000000;
        state_.next_start_unix_s = clock_.unix_s() + (pause_ms + 999) / 1000;
        say(fmt::format("the server ended by itself: {}; starting it again in {} ms", how, pause_ms));
        set_state("backoff");
        return true;
    }

    void stop(int signal)
    {
        if (backup_)
        {
            backup_->kill_group(SIGTERM);
            backup_->wait(kBackupStopTimeoutMs);
            backup_.reset();
        }
        say(fmt::format("stops the server ({})", signal == SIGQUIT ? "immediate" : "fast"));
        set_state("stopping");
        int64_t deadline_ns = clock_.monotonic_ns() + kFastStopTimeoutMs * 1000000;
        // PostgreSQL's signals: SIGINT is the fast stop, SIGQUIT the immediate one.
        bool immediate = signal == SIGQUIT;
        if (state_.server_pid > 0)
            ::kill(state_.server_pid, immediate ? SIGQUIT : SIGINT);
        while (state_.server_pid > 0 && !server_exit())
        {
            const int again = next_signal(kTickMs);
            if (!immediate && (again == SIGQUIT || clock_.monotonic_ns() > deadline_ns))
            {
                say("stops the server at once");
                immediate = true;
                ::kill(state_.server_pid, SIGQUIT);
            }
        }
        state_.server_pid = 0;
        say("the server is down");
        set_state("stopped");
    }

    FileSystem& files_;
    Clock& clock_;
    const Instance& instance_;
    SupervisorState state_;
    RestartBackoff backoff_;
    std::unique_ptr<Process> process_; // nothing while the server is one that was taken over
    std::unique_ptr<Process> backup_;
    int64_t next_backup_check_ns_ = 0;
    std::string start_error_;
    int64_t started_ns_ = 0;
    int64_t next_start_ns_ = 0;
    bool ever_ready_ = false;
};

std::string lock_path(const Instance& instance)
{
    return instance.path + "/supervisor.lock";
}

} // namespace

int64_t RestartBackoff::next_ms(int64_t uptime_ms)
{
    if (uptime_ms >= kStableMs || pause_ms_ == 0)
        pause_ms_ = kFirstBackoffMs;
    else
        pause_ms_ = std::min(pause_ms_ * 2, kMaxBackoffMs);
    return pause_ms_;
}

std::optional<PostmasterFile> parse_postmaster_file(std::string_view text)
{
    // Lines: pid, data folder, start time, port, socket folder, address, shared memory, status.
    std::vector<std::string> lines;
    while (!text.empty())
    {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    PostmasterFile result;
    if (lines.empty() || (result.pid = std::atoi(lines[0].c_str())) <= 0)
        return std::nullopt;
    if (lines.size() > 2)
        result.start_unix_s = std::atoll(lines[2].c_str());
    if (lines.size() > 3)
        result.port = static_cast<uint16_t>(std::atoi(lines[3].c_str()));
    if (lines.size() > 7)
        result.status = lines[7].substr(0, lines[7].find(' '));
    return result;
}

std::optional<PostmasterFile> live_postmaster(FileSystem& files, const Instance& instance)
{
    const std::string path = instance.data() + "/postmaster.pid";
    std::optional<PostmasterFile> result;
    try
    {
        if (!files.exists(path))
            return std::nullopt;
        result = parse_postmaster_file(files.read_whole(path, 64 << 10));
    }
    catch (const Error&) // removed in between
    {
        return std::nullopt;
    }
    if (!result || !process_exists(result->pid))
        return std::nullopt;
    // A number may have gone to another program: a server stands in its data folder.
    std::error_code error;
    const auto where =
        std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", result->pid), error);
    if (!error && where != std::filesystem::canonical(instance.data(), error))
        return std::nullopt;
    return result;
}

void SupervisorState::save(FileSystem& files, const Instance& instance) const
{
    KeyValues values;
    values.set("state", state);
    values.set("supervisor_pid", supervisor_pid);
    values.set("server_pid", server_pid);
    values.set("since", since_unix_s);
    values.set("restarts", restarts);
    values.set("last_exit", last_exit);
    values.set("last_exit_at", last_exit_unix_s);
    values.set("next_start", next_start_unix_s);
    files.replace_whole(instance.path + "/state", values.to_text());
}

SupervisorState SupervisorState::load(FileSystem& files, const Instance& instance)
{
    const std::string path = instance.path + "/state";
    SupervisorState result;
    if (!files.exists(path))
        return result;
    const KeyValues values = KeyValues::parse(files.read_whole(path, kMaxKeyValueFileBytes), path);
    result.state = values.text("state", "stopped");
    result.supervisor_pid = static_cast<int>(values.number("supervisor_pid"));
    result.server_pid = static_cast<int>(values.number("server_pid"));
    result.since_unix_s = values.number("since");
    result.restarts = values.number("restarts");
    result.last_exit = values.text("last_exit");
    result.last_exit_unix_s = values.number("last_exit_at");
    result.next_start_unix_s = values.number("next_start");
    return result;
}

bool is_supervised(FileSystem& files, const Instance& instance)
{
    if (!files.exists(lock_path(instance)))
        return false;
    try
    {
        files.lock_file(lock_path(instance));
        return false;
    }
    catch (const Error&)
    {
        // Held by another; or not ours to open, and then what was written down must do.
        return process_exists(SupervisorState::load(files, instance).supervisor_pid);
    }
}

int supervise(FileSystem& files, Clock& clock, const Instance& instance)
{
    std::unique_ptr<FileLock> lock;
    try
    {
        lock = files.lock_file(lock_path(instance), std::to_string(::getpid()));
    }
    catch (const Error&)
    {
        throw Error(BAD_ARGUMENTS,
                    fmt::format("Instance '{}' is supervised already", instance.name));
    }
    return Supervisor(files, clock, instance).run();
}

} // namespace basalt::pg
