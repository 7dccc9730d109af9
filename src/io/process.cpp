#include "io/process.h"

#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <map>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace basalt
{

using namespace error_codes;

namespace
{

std::string reason(int errno_value)
{
    return std::generic_category().message(errno_value);
}

int64_t now_ms()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void close_fd(int& fd)
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

std::vector<std::string> child_environment(const ProcessOptions& options)
{
    std::map<std::string, std::string> variables;
    if (!options.clear_environment)
        for (char** entry = environ; *entry; ++entry)
            if (const char* equals = std::strchr(*entry, '='))
                variables.emplace(std::string_view(*entry, static_cast<size_t>(equals - *entry)),
                                  equals + 1);
    for (const auto& [name, value] : options.environment)
    {
        if (value.empty())
            variables.erase(name);
        else
            variables[name] = value;
    }
    std::vector<std::string> result;
    for (const auto& [name, value] : variables)
        result.push_back(name + "=" + value);
    return result;
}

// Full path of the program, so that the child needs no lookup between fork and exec.
std::string find_program(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return name;
    const char* path = std::getenv("PATH");
    std::string_view left = path ? path : "/usr/bin:/bin";
    while (!left.empty())
    {
        const size_t colon = std::min(left.find(':'), left.size());
        const std::string candidate = std::string(left.substr(0, colon)) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        left.remove_prefix(std::min(colon + 1, left.size()));
    }
    throw Error(CANNOT_CREATE_CHILD_PROCESS,
                fmt::format("Cannot start {}: not found in PATH", name));
}

// Descriptors of a start that is under way; closed if it fails.
struct Plumbing
{
    int child[3] = {-1, -1, -1};
    int ours[3] = {-1, -1, -1};
    int report[2] = {-1, -1}; // the child tells why exec failed

    ~Plumbing()
    {
        for (int i = 0; i < 3; ++i)
        {
            close_fd(child[i]);
            close_fd(ours[i]);
        }
        close_fd(report[0]);
        close_fd(report[1]);
    }

    void open(int stream, const StreamOptions& options)
    {
        switch (options.kind)
        {
        case StreamOptions::Kind::Inherit:
            child[stream] = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
            break;
        case StreamOptions::Kind::ToStdout:
            child[stream] = ::fcntl(child[1], F_DUPFD_CLOEXEC, 3);
            break;
        case StreamOptions::Kind::Null:
            child[stream] = ::open("/dev/null", O_RDWR | O_CLOEXEC);
            break;
        case StreamOptions::Kind::File:
            child[stream] = stream == 0 ? ::open(options.path.c_str(), O_RDONLY | O_CLOEXEC)
                                        : ::open(options.path.c_str(),
                                                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
            break;
        case StreamOptions::Kind::Pipe:
        {
            int ends[2];
            if (::pipe2(ends, O_CLOEXEC) != 0)
                break;
            child[stream] = ends[stream == 0 ? 0 : 1];
            ours[stream] = ends[stream == 0 ? 1 : 0];
            break;
        }
        }
        if (child[stream] < 0)
            throw Error(CANNOT_CREATE_CHILD_PROCESS,
                        fmt::format("Cannot open stream {} of a child process{}{}: {}", stream,
                                    options.path.empty() ? "" : " at ", options.path,
                                    reason(errno)));
        // Above the standard ones, so that dup2 in the child cannot overwrite one still needed.
        if (child[stream] < 3)
        {
            const int moved = ::fcntl(child[stream], F_DUPFD_CLOEXEC, 3);
            close_fd(child[stream]);
            child[stream] = moved;
        }
    }
};

// Between fork and exec only calls that are safe after fork in a program with threads.
[[noreturn]] void run_child(const Plumbing& plumbing, const ProcessOptions& options,
                            const char* program, char* const* arguments, char* const* environment,
                            int parent_pid)
{
    const auto fail = [&]
    {
        const int error = errno;
        (void)!::write(plumbing.report[1], &error, sizeof(error));
        ::_exit(127);
    };
    if (options.die_with_parent)
    {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent_pid)
            ::_exit(127);
    }
    if (options.new_group)
        ::setpgid(0, 0);
    for (int signal = 1; signal < NSIG; ++signal)
        if (signal != SIGKILL && signal != SIGSTOP)
            ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int stream = 0; stream < 3; ++stream)
        if (::dup2(plumbing.child[stream], stream) < 0)
            fail();
    if (!options.working_directory.empty() && ::chdir(options.working_directory.c_str()) != 0)
        fail();
    ::execve(program, arguments, environment);
    fail();
    ::_exit(127);
}

size_t read_pipe(int fd, char* to, size_t size)
{
    if (fd < 0)
        throw Error(CANNOT_READ_FROM_FILE_DESCRIPTOR, "This stream of the process is no pipe");
    for (;;)
    {
        const ssize_t n = ::read(fd, to, size);
        if (n >= 0)
            return static_cast<size_t>(n);
        if (errno != EINTR)
            throw Error(CANNOT_READ_FROM_FILE_DESCRIPTOR,
                        fmt::format("Cannot read from a pipe: {}", reason(errno)));
    }
}

// write() without SIGPIPE: pipes have no MSG_NOSIGNAL, so the signal is blocked and taken back.
// False if the reader is gone.
bool write_pipe(int fd, std::string_view bytes, size_t& written)
{
    sigset_t pipe_signal;
    sigset_t before;
    sigset_t pending;
    ::sigemptyset(&pipe_signal);
    ::sigaddset(&pipe_signal, SIGPIPE);
    ::sigpending(&pending);
    const bool was_pending = ::sigismember(&pending, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    const int error = errno;
    if (n < 0 && error == EPIPE && !was_pending)
    {
        const timespec now{};
        while (::sigtimedwait(&pipe_signal, nullptr, &now) < 0 && errno == EINTR)
        {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    written = n > 0 ? static_cast<size_t>(n) : 0;
    if (n < 0 && error == EPIPE)
        return false;
    if (n < 0 && error != EINTR && error != EAGAIN)
        throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                    fmt::format("Cannot write to a pipe: {}", reason(error)));
    return true;
}

} // namespace

std::string ExitStatus::text() const
{
    return signal ? fmt::format("signal {}", signal) : fmt::format("exit code {}", code);
}

Process::Process(const ProcessOptions& options) : new_group_(options.new_group)
{
    if (options.arguments.empty())
        throw Error(CANNOT_CREATE_CHILD_PROCESS, "No program to start");
    // Everything that allocates comes before the fork.
    const std::string program = find_program(options.arguments[0]);
    const auto pointers = [](const std::vector<std::string>& texts)
    {
        std::vector<char*> result;
        for (const auto& text : texts)
            result.push_back(const_cast<char*>(text.c_str()));
        result.push_back(nullptr);
        return result;
    };
    const auto variables = child_environment(options);
    const auto arguments = pointers(options.arguments);
    const auto environment = pointers(variables);
    Plumbing plumbing;
    plumbing.open(0, options.stdin_stream);
    plumbing.open(1, options.stdout_stream);
    plumbing.open(2, options.stderr_stream);
    if (::pipe2(plumbing.report, O_CLOEXEC) != 0)
        throw Error(CANNOT_PIPE, fmt::format("Cannot make a pipe: {}", reason(errno)));

    const int parent_pid = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0)
        throw Error(CANNOT_FORK, fmt::format("Cannot fork: {}", reason(errno)));
    if (pid_ == 0)
        run_child(plumbing, options, program.c_str(), arguments.data(), environment.data(),
                  parent_pid);

    close_fd(plumbing.report[1]);
    int error = 0;
    ssize_t n = 0;
    do
        n = ::read(plumbing.report[0], &error, sizeof(error));
    while (n < 0 && errno == EINTR);
    if (n == sizeof(error))
    {
        ::waitpid(pid_, nullptr, 0);
        throw Error(CANNOT_CREATE_CHILD_PROCESS,
                    fmt::format("Cannot start {}: {}", program, reason(error)));
    }
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    for (int i = 0; i < 3; ++i)
        std::swap(pipes_[i], plumbing.ours[i]);
}

Process::~Process()
{
    for (int& pipe : pipes_)
        close_fd(pipe);
    if (!status_ && pid_ > 0)
    {
        if (new_group_)
            ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    close_fd(pidfd_);
}

void Process::write_stdin(std::string_view bytes)
{
    if (pipes_[0] < 0)
        throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR, "Standard input of the process is no pipe");
    while (!bytes.empty())
    {
        size_t written = 0;
        if (!write_pipe(pipes_[0], bytes, written))
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        "The process does not read its input any more");
        bytes.remove_prefix(written);
    }
}

void Process::close_stdin()
{
    close_fd(pipes_[0]);
}
size_t Process::read_stdout(char* to, size_t size)
{
    return read_pipe(pipes_[1], to, size);
}
size_t Process::read_stderr(char* to, size_t size)
{
    return read_pipe(pipes_[2], to, size);
}

std::optional<ExitStatus> Process::wait(int64_t timeout_ms)
{
    if (status_)
        return status_;
    constexpr int64_t kPollMs = 5; // where the kernel has no pidfd
    const int64_t deadline_ms = now_ms() + std::max<int64_t>(timeout_ms, 0);
    for (;;)
    {
        int raw = 0;
        const int result = ::waitpid(pid_, &raw, WNOHANG);
        if (result == pid_)
        {
            ExitStatus status;
            if (WIFSIGNALED(raw))
                status.signal = WTERMSIG(raw);
            else
                status.code = WEXITSTATUS(raw);
            status_ = status;
            return status_;
        }
        if (result < 0 && errno != EINTR)
            throw Error(CANNOT_WAITPID,
                        fmt::format("Cannot wait for process {}: {}", pid_, reason(errno)));
        int64_t left_ms = -1;
        if (timeout_ms >= 0)
        {
            left_ms = deadline_ms - now_ms();
            if (left_ms <= 0)
                return std::nullopt;
        }
        pollfd polled = {pidfd_, POLLIN, 0};
        if (pidfd_ >= 0)
            ::poll(&polled, 1, static_cast<int>(std::min<int64_t>(left_ms, INT32_MAX)));
        else
            ::poll(nullptr, 0,
                   static_cast<int>(left_ms < 0 ? kPollMs : std::min(left_ms, kPollMs)));
    }
}

bool Process::send_signal(int signal)
{
    return is_running() && ::kill(pid_, signal) == 0;
}

bool Process::kill_group(int signal)
{
    BASALT_ASSERT(new_group_);
    return ::kill(-pid_, signal) == 0;
}

ExitStatus Process::terminate(int64_t timeout_ms)
{
    send_signal(SIGTERM);
    if (const auto status = wait(timeout_ms))
        return *status;
    send_signal(SIGKILL);
    return *wait();
}

ProcessResult run_process(ProcessOptions options, std::string_view input, int64_t timeout_ms)
{
    options.stdin_stream = {StreamOptions::Kind::Pipe, {}};
    options.stdout_stream = {StreamOptions::Kind::Pipe, {}};
    options.stderr_stream = {StreamOptions::Kind::Pipe, {}};
    Process process(options);
    ProcessResult result;
    const int64_t deadline_ms = now_ms() + std::max<int64_t>(timeout_ms, 0);
    // A child that does not read must not stop us from reading it.
    ::fcntl(process.stdin_descriptor(), F_SETFL, O_NONBLOCK);
    bool open[2] = {true, true};
    std::string buffer(64 << 10, '\0');
    while (open[0] || open[1])
    {
        if (input.empty())
            process.close_stdin();
        pollfd polled[3] = {{process.stdin_descriptor(), POLLOUT, 0},
                            {open[0] ? process.stdout_descriptor() : -1, POLLIN, 0},
                            {open[1] ? process.stderr_descriptor() : -1, POLLIN, 0}};
        const int64_t left_ms = timeout_ms < 0 ? -1 : std::max<int64_t>(0, deadline_ms - now_ms());
        const int ready =
            ::poll(polled, 3, static_cast<int>(std::min<int64_t>(left_ms, INT32_MAX)));
        if (ready == 0 && left_ms >= 0)
        {
            result.timed_out = true;
            break;
        }
        if (polled[0].revents)
        {
            size_t written = 0;
            if (write_pipe(process.stdin_descriptor(), input, written))
                input.remove_prefix(written);
            else
                input = {};
        }
        for (int i = 0; i < 2; ++i)
        {
            if (!polled[i + 1].revents)
                continue;
            const size_t n = i == 0 ? process.read_stdout(buffer.data(), buffer.size())
                                    : process.read_stderr(buffer.data(), buffer.size());
            open[i] = n > 0;
            std::string& text = i == 0 ? result.output : result.errors;
            text.append(buffer, 0, std::min(n, kMaxProcessOutputBytes - text.size()));
        }
    }
    const int64_t left_ms = timeout_ms < 0 ? -1 : std::max<int64_t>(0, deadline_ms - now_ms());
    const auto status = result.timed_out ? std::nullopt : process.wait(left_ms);
    if (status)
    {
        result.status = *status;
        return result;
    }
    result.timed_out = true;
    if (options.new_group)
        process.kill_group(SIGKILL);
    process.send_signal(SIGKILL);
    result.status = *process.wait();
    return result;
}

} // namespace basalt
