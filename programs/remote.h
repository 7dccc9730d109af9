#pragma once

// What `basalt client` runs statements over: the native protocol or HTTP.

#include "base/error.h"
#include "io/tls.h"
#include "programs/script.h"

#include <memory>
#include <optional>
#include <string>

namespace basalt
{

struct RemoteOptions
{
    std::string host = "127.0.0.1";
    std::optional<uint16_t> port; // none: the protocol's usual one
    std::string user = "default", password, database;
    std::string protocol = "auto"; // native, http, auto: native where the server answers to it
    bool show_progress = false;
    bool vertical = false;
    bool compressed = false;
    bool multiline = false;   // at the prompt a statement ends with ; or \G only
    std::string history_path; // empty: ~/.basalt-client-history
    std::string pager;        // command that results are shown with; empty: none
    bool secure = false; // TLS
    TlsClientOptions tls = {};
};

class RemoteRunner : public ScriptRunner
{
public:
    // For completion and the greeting: a whole answer in TSV.
    virtual std::string query(const std::string& sql) = 0;
    // "127.0.0.1:9000, native protocol".
    virtual std::string where() const = 0;
    // From any thread: ends the statement that runs, which then throws QUERY_WAS_CANCELLED. False
    // when none runs or it was told before.
    virtual bool interrupt() = 0;
    // From any thread: whether a statement runs.
    virtual bool is_running() const = 0;
};

// interactive: summaries behind results.
std::unique_ptr<RemoteRunner> make_http_runner(const RemoteOptions& options, ScriptOptions& script,
                                               bool interactive);
// Connects; throws CLIENT_HAS_CONNECTED_TO_WRONG_PORT where another protocol is spoken.
std::unique_ptr<RemoteRunner> make_native_runner(const RemoteOptions& options,
                                                 ScriptOptions& script, bool interactive);
std::unique_ptr<RemoteRunner> make_remote_runner(const RemoteOptions& options,
                                                 ScriptOptions& script, bool interactive);

// "SELECT … \G": takes the mark away; the result is wanted in Vertical format.
bool take_vertical_mark(std::string& text);

} // namespace basalt
