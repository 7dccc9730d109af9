#pragma once

// Accounts of the operating system: looking them up and working as one of them, for servers that
// refuse to run as root.
// Errors: BAD_ARGUMENTS (no such account), CANNOT_FORK, CANNOT_WAITPID, and those of files.
// Threads: run_as_user() and start_detached() fork; no other thread of ours may run then.

#include "base/int_types.h"

#include <functional>
#include <optional>
#include <string>

namespace basalt
{

struct OsUser
{
    std::string name;
    std::string home;
    uint32_t uid = 0;
    uint32_t gid = 0;
};

OsUser current_os_user();
std::optional<OsUser> find_os_user(const std::string& name);

// What `job` returns, computed as `user`: at once if that is who we are, otherwise in a child
// process that gives up every right of root for good, stands in "/" and has that user's HOME. An
// Error that leaves the job in a child is printed to standard error and becomes the exit code.
int run_as_user(const OsUser& user, const std::function<int()>& job);

// The same in a process of its own session that outlives us; standard output and error are
// appended to `log_path` (opened as that user). Returns its process id at once.
int start_detached(const OsUser& user, const std::string& log_path,
                   const std::function<int()>& job);

// Gives up every right of root for good, in this process. BAD_ARGUMENTS if we may not.
void become_user(const OsUser& user);

// Owner and mode of one file or folder. Only root may give files away.
void give_file(const std::string& path, const OsUser& user);
void set_file_mode(const std::string& path, uint32_t mode);

// The topmost folder on the way to `path` (itself included) that we may not enter; nothing if the
// way is free. A folder that does not exist ends the way.
std::optional<std::string> unreachable_folder(const std::string& path);

// Whether a process with this id runs; it may belong to another user. One that has ended and was not
// waited for (a zombie) does not.
bool process_exists(int pid);

} // namespace basalt
