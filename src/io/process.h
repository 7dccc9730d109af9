#pragma once

// Child processes: started from an argument list (no shell), fed and read through pipes or files,
// waited for with a timeout, killed at the latest by the destructor.
// Errors: CANNOT_CREATE_CHILD_PROCESS (program not found, not executable …), CANNOT_WAITPID,
// CANNOT_READ_FROM_FILE_DESCRIPTOR, CANNOT_WRITE_TO_FILE_DESCRIPTOR.
// Threads: one thread at a time.

#include "base/int_types.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt
{

// Most bytes of output that run_process() keeps of each stream; the rest is read and dropped.
inline constexpr size_t kMaxProcessOutputBytes = 64 << 20;

struct StreamOptions
{
    enum class Kind : uint8_t
    {
        Null, // /dev/null
        Inherit,
        Pipe,
        File,    // stdin: read from it; stdout, stderr: appended to it
        ToStdout // stderr only: where stdout goes
    };
    Kind kind = Kind::Null;
    std::string path; // of File
};

struct ProcessOptions
{
    // arguments[0] is the program: a path, or a name looked up in PATH.
    std::vector<std::string> arguments;
    // Added to the environment; an empty value removes the variable.
    std::vector<std::pair<std::string, std::string>> environment;
    bool clear_environment = false;
    std::string working_directory; // empty: ours
    // A group of its own, so that kill_group() reaches its children and Ctrl-C does not.
    bool new_group = false;
    // The kernel ends it with SIGKILL when the thread that started it ends.
    bool die_with_parent = false;
    StreamOptions stdin_stream;
    StreamOptions stdout_stream;
    StreamOptions stderr_stream;
};

struct ExitStatus
{
    int code = 0;   // 0 to 255 if it exited by itself
    int signal = 0; // or the signal that ended it

    bool ok() const { return code == 0 && signal == 0; }
    // "exit code 3", "signal 9".
    std::string text() const;
};

class Process
{
public:
    explicit Process(const ProcessOptions& options);
    // Kills and reaps what still runs.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int pid() const { return pid_; }

    void write_stdin(std::string_view bytes);
    void close_stdin();
    // Up to `size` bytes, waiting for at least one; 0 at the end. Only for pipes.
    size_t read_stdout(char* to, size_t size);
    size_t read_stderr(char* to, size_t size);
    // Descriptors of our ends of the pipes, -1 if there is none.
    int stdin_descriptor() const { return pipes_[0]; }
    int stdout_descriptor() const { return pipes_[1]; }
    int stderr_descriptor() const { return pipes_[2]; }

    // Nothing if it still runs after the timeout; -1 waits for ever. Can be called again.
    std::optional<ExitStatus> wait(int64_t timeout_ms = -1);
    bool is_running() { return !wait(0).has_value(); }
    // False if it has ended already.
    bool send_signal(int signal);
    // To its whole group (new_group).
    bool kill_group(int signal);
    // SIGTERM, then SIGKILL after the timeout; then reaped.
    ExitStatus terminate(int64_t timeout_ms);

private:
    int pid_ = -1;
    int pidfd_ = -1;
    int pipes_[3] = {-1, -1, -1};
    bool new_group_ = false;
    std::optional<ExitStatus> status_;
};

struct ProcessResult
{
    ExitStatus status;
    bool timed_out = false; // and killed
    std::string output;
    std::string errors;
};

// Runs to the end: feeds `input`, collects both outputs (the stream options are overridden) and
// kills at the timeout (-1: none).
ProcessResult run_process(ProcessOptions options, std::string_view input = {},
                          int64_t timeout_ms = -1);

} // namespace basalt
