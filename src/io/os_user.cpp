#include "io/os_user.h"

#include "base/error.h"
#include "io/file_system.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/core.h>
#include <fstream>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace basalt
{

using namespace error_codes;

namespace
{

std::string reason(int errno_value)
{
    return std::generic_category().message(errno_value);
}

OsUser from_entry(const passwd& entry)
{
    return {entry.pw_name, entry.pw_dir, entry.pw_uid, entry.pw_gid};
}

int run_and_print(const std::function<int()>& job)
{
    int code = 1;
    try
    {
        code = job();
    }
    catch (const Error& error)
    {
        std::fprintf(stderr, "%s\n", error.full_text().c_str());
        code = error.code() % 256 == 0 ? 1 : error.code() % 256;
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "basalt: %s\n", error.what());
    }
    std::fflush(stdout);
    std::fflush(stderr);
    return code;
}

int fork_or_throw()
{
    std::fflush(stdout);
    std::fflush(stderr);
    const int pid = ::fork();
    if (pid < 0)
        throw Error(CANNOT_FORK, fmt::format("Cannot fork: {}", reason(errno)));
    return pid;
}

int wait_for(int pid)
{
    int raw = 0;
    while (::waitpid(pid, &raw, 0) < 0)
        if (errno != EINTR)
            throw Error(CANNOT_WAITPID,
                        fmt::format("Cannot wait for process {}: {}", pid, reason(errno)));
    return raw;
}

} // namespace

OsUser current_os_user()
{
    if (const passwd* entry = ::getpwuid(::geteuid()))
        return from_entry(*entry);
    const char* home = std::getenv("HOME");
    return {std::to_string(::geteuid()), home ? home : "/", ::geteuid(), ::getegid()};
}

std::optional<OsUser> find_os_user(const std::string& name)
{
    if (const passwd* entry = ::getpwnam(name.c_str()))
        return from_entry(*entry);
    return std::nullopt;
}

void become_user(const OsUser& user)
{
    if (::geteuid() == user.uid && ::getuid() == user.uid)
        return;
    if (::initgroups(user.name.c_str(), user.gid) != 0 ||
        ::setresgid(user.gid, user.gid, user.gid) != 0 ||
        ::setresuid(user.uid, user.uid, user.uid) != 0)
        throw Error(BAD_ARGUMENTS, fmt::format("Cannot work as user {}: {}; only root can",
                                               user.name, reason(errno)));
    ::setenv("HOME", user.home.c_str(), 1);
    ::setenv("USER", user.name.c_str(), 1);
    ::setenv("LOGNAME", user.name.c_str(), 1);
    (void)!::chdir("/");
}

int run_as_user(const OsUser& user, const std::function<int()>& job)
{
    if (user.uid == ::geteuid() && user.uid == ::getuid())
        return job();
    const int pid = fork_or_throw();
    if (pid == 0)
        ::_exit(run_and_print(
            [&]
            {
                become_user(user);
                return job();
            }));
    const int raw = wait_for(pid);
    return WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
}

int start_detached(const OsUser& user, const std::string& log_path,
                   const std::function<int()>& job)
{
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0)
        throw Error(CANNOT_PIPE, fmt::format("Cannot make a pipe: {}", reason(errno)));
    const int pid = fork_or_throw();
    if (pid != 0)
    {
        ::close(report[1]);
        int grandchild = -1;
        const ssize_t n = ::read(report[0], &grandchild, sizeof(grandchild));
        ::close(report[0]);
        wait_for(pid);
        if (n != sizeof(grandchild) || grandchild < 0)
            throw Error(CANNOT_FORK, "Cannot start a process in the background");
        return grandchild;
    }
    // The child of a child has no parent to wait for it and no terminal to hang up.
    ::setsid();
    const int inner = ::fork();
    if (inner != 0)
    {
        (void)!::write(report[1], &inner, sizeof(inner));
        ::_exit(0);
    }
    ::_exit(run_and_print(
        [&]
        {
            become_user(user);
            (void)!::chdir("/");
            const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
            if (log < 0)
                throw_file_error(CANNOT_OPEN_FILE, "open file", log_path, errno);
            const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            ::dup2(null, 0);
            ::dup2(log, 1);
            ::dup2(log, 2);
            // A pipe or lock of the caller must not stay open with us.
            ::close_range(3, ~0u, 0);
            return job();
        }));
}

void give_file(const std::string& path, const OsUser& user)
{
    if (::lchown(path.c_str(), user.uid, user.gid) != 0)
        throw_file_error(CANNOT_OPEN_FILE, fmt::format("give to user {}", user.name), path, errno);
}

void set_file_mode(const std::string& path, uint32_t mode)
{
    if (::chmod(path.c_str(), mode) != 0)
        throw_file_error(CANNOT_OPEN_FILE, "set the mode of", path, errno);
}

std::optional<std::string> unreachable_folder(const std::string& path)
{
    for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1))
    {
        const std::string folder = path.substr(0, slash);
        if (::access(folder.c_str(), X_OK) != 0)
        {
            if (errno == ENOENT)
                return std::nullopt;
            return folder;
        }
        if (slash == std::string::npos)
            return std::nullopt;
    }
}

bool process_exists(int pid)
{
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno != EPERM))
        return false;
    // "17 (name) S …": the name may hold anything.
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    const size_t name_end = line.rfind(") ");
    return name_end == std::string::npos || name_end + 2 >= line.size() ||
           line[name_end + 2] != 'Z';
}

} // namespace basalt
