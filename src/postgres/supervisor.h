#pragma once

// The process that owns one server: starts it, starts it again when it crashes, stops it when told.
// It runs as the server's user and writes what it knows to the file `state` of the instance, where
// any other process may read it.
//
//   starting   the server was started and is not ready (recovery may take long)
//   running    it answers
//   backoff    it crashed; it is started again at next_start
//   stopping   it was told to stop
//   stopped    it is down because it was told to
//   failed     it never became ready; the supervisor has given up
//
// It also begins the backups that are due (backup_every_hours), each in a process of its own.
//
// A server that survived its supervisor (kill -9) is taken over, not started a second time.
// SIGTERM and SIGINT stop the server the fast way (open transactions are rolled back), SIGQUIT at
// once (the next start replays the log).

#include "base/clock.h"
#include "postgres/instance.h"

#include <optional>
#include <string>
#include <string_view>

namespace basalt::pg
{

inline constexpr int64_t kFirstBackoffMs = 500;
inline constexpr int64_t kMaxBackoffMs = 30000;
// A server that ran this long begins again with the first pause.
inline constexpr int64_t kStableMs = 60000;
// How often a due backup is looked for, and how long one that failed is not tried again.
inline constexpr int64_t kBackupCheckMs = 30000;
inline constexpr int64_t kBackupRetryMs = 600000;
inline constexpr uint64_t kMaxSupervisorLogBytes = 16 << 20;
// After this long a fast stop becomes an immediate one.
inline constexpr int64_t kFastStopTimeoutMs = 300000;

// Pauses between restarts: doubled at each crash, short again after a stable run.
class RestartBackoff
{
public:
    // Called at a crash; `uptime_ms` is how long the server was up.
    int64_t next_ms(int64_t uptime_ms);

private:
    int64_t pause_ms_ = 0;
};

// PostgreSQL's data/postmaster.pid.
struct PostmasterFile
{
    int pid = 0;
    int64_t start_unix_s = 0;
    uint16_t port = 0;
    std::string status; // "starting", "ready", "stopping", "standby"
};

std::optional<PostmasterFile> parse_postmaster_file(std::string_view text);
// Nothing if no server of this instance is alive, whatever the file says.
std::optional<PostmasterFile> live_postmaster(FileSystem& files, const Instance& instance);

struct SupervisorState
{
    std::string state = "stopped";
    int supervisor_pid = 0;
    int server_pid = 0;
    int64_t since_unix_s = 0;
    int64_t restarts = 0;
    std::string last_exit; // "signal 9"
    int64_t last_exit_unix_s = 0;
    int64_t next_start_unix_s = 0;

    void save(FileSystem& files, const Instance& instance) const;
    // "stopped" if there is no file.
    static SupervisorState load(FileSystem& files, const Instance& instance);
};

// Whether a supervisor of this instance is alive.
bool is_supervised(FileSystem& files, const Instance& instance);

// Runs until the server is stopped. 0 after a stop that was asked for, 1 if the server never
// became ready. BAD_ARGUMENTS if another supervisor is at work.
int supervise(FileSystem& files, Clock& clock, const Instance& instance);

} // namespace basalt::pg
