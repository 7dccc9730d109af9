#pragma once

// Starting, stopping and looking at servers from outside their supervisor.
// Errors: BAD_ARGUMENTS (runs already, does not run), NETWORK_ERROR (port in use), TIMEOUT_EXCEEDED,
// CANNOT_CREATE_CHILD_PROCESS with the end of the server's log when it does not come up.

#include "base/clock.h"
#include "postgres/instance.h"
#include "postgres/supervisor.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace basalt::pg
{

inline constexpr int64_t kStartTimeoutMs = 60000;

// As the instance's user: checks that it can start, and writes the server's files.
void prepare_start(FileSystem& files, const Instance& instance, const std::string& program);

// After the supervisor was started. Returns at "running".
void wait_until_running(FileSystem& files, Clock& clock, const Instance& instance,
                        int supervisor_pid, int64_t timeout_ms);

// Stops supervisor and server, or a server without a supervisor. False if nothing ran.
bool stop_server(FileSystem& files, Clock& clock, const Instance& instance, bool immediate,
                 int64_t timeout_ms);

enum class LogKind : uint8_t
{
    Server,    // what PostgreSQL says once it runs
    Startup,   // what it says before that
    Supervisor // what Basalt did
};
// The file written last; nothing if there is none yet.
std::optional<std::string> log_file(FileSystem& files, const Instance& instance, LogKind kind);
std::string last_lines(FileSystem& files, const std::string& path, size_t lines);

struct ServerReport
{
    std::string state; // as SupervisorState, or "running, unsupervised", "crashed",
                       // "running, no answer"
    bool is_running = false;
    // Name and text of everything worth knowing, in the order to print.
    std::vector<std::pair<std::string, std::string>> facts;

    std::string to_text() const;
    std::string to_json() const;
};

// With `ask`, a running server is asked for sizes, connections, the archive and slots.
ServerReport report_on(FileSystem& files, Clock& clock, const Instance& instance, bool ask);

std::string json_string(const std::string& text);

} // namespace basalt::pg
