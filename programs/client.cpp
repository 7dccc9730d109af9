// basalt client: queries over HTTP, from flags, files or an interactive prompt.

#include "programs/programs.h"

#include "base/clock.h"
#include "base/error.h"
#include "net/http/client.h"
#include "programs/line_editor.h"
#include "programs/progress_line.h"
#include "programs/script.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

struct ClientOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 8123;
    std::string user = "default", password, database;
    bool show_progress = isatty(STDERR_FILENO) != 0;
    bool vertical = false;
};

std::atomic<HttpClient*> g_running{nullptr};

// Ctrl-C ends the query that runs, not the program. Only async-signal-safe work is done here: the
// connection is broken off by a thread that waits for the flag.
std::atomic<bool> g_interrupted{false};

void on_interrupt(int)
{
    g_interrupted = true;
}

class RemoteRunner : public ScriptRunner
{
public:
    RemoteRunner(const ClientOptions& client, ScriptOptions& script, bool interactive)
        : options_(client), script_(script), interactive_(interactive), client_(url_of(client)),
          progress_(url_of(client), client.show_progress)
    {
        database_ = client.database;
    }

    static HttpUrl url_of(const ClientOptions& options)
    {
        HttpUrl url;
        url.host = options.host;
        url.port = options.port;
        if (options.user != "default" || !options.password.empty())
        {
            url.user = options.user;
            url.password = options.password;
        }
        return url;
    }

    std::string server_version() { return client_.query("SELECT version() FORMAT TSVRaw"); }
    HttpClient& client() { return client_; }
    const std::string& database() const { return database_; }

    void run(const ScriptStatement& statement) override
    {
        std::vector<std::pair<std::string, std::string>> parameters = {
            {"session_id", session_id_}, {"session_timeout", "3600"}};
        std::string query_id = script_.query_id;
        if (query_id.empty())
            query_id = fmt::format("{}-{}", session_id_, ++serial_);
        parameters.emplace_back("query_id", query_id);
        if (!database_.empty())
            parameters.emplace_back("database", database_);
        std::string format = script_.format;
        std::string text(statement.text);
        if (take_vertical_mark(text) || options_.vertical)
            format = "Vertical";
        parameters.emplace_back("default_format", format);
        for (const auto& [name, value] : script_.settings.changes())
            parameters.emplace_back(name, value);
        for (const auto& [name, value] : script_.parameters)
            parameters.emplace_back("param_" + name, value);

        std::unique_ptr<InputBuffer> body;
        if (statement.needs_input && statement.input)
        {
            parameters.emplace_back("query", text);
            body = nullptr;
        }
        else
            body = std::make_unique<StringInputBuffer>(std::move(text));

        g_interrupted = false;
        g_running = &client_;
        progress_.start(query_id, client_);
        std::string error_text;
        std::string tail; // looked at for an error after the first rows
        bool failed = false;
        HttpReply reply;
        const auto started = system_clock().monotonic_ns();
        size_t rows_bytes = 0;
        try
        {
            reply = client_.post(parameters, body ? body.get() : statement.input,
                                 [&](std::string_view piece)
                                 {
                                     progress_.hide();
                                     rows_bytes += piece.size();
                                     if (error_text.size() + piece.size() < kKeptBytes)
                                         error_text.append(piece);
                                     else
                                         flush_kept(error_text, piece);
                                     tail.append(piece);
                                     if (tail.size() > 65536)
                                         tail.erase(0, tail.size() - 32768);
                                 });
            failed = reply.status != 200 || reply.headers.contains("x-clickhouse-exception-code");
        }
        catch (const Error& error)
        {
            progress_.stop();
            g_running = nullptr;
            if (g_interrupted)
                throw Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled");
            if (const size_t at = tail.find("__exception__\r\n"); at != std::string::npos)
                throw error_of_reply({}, tail.substr(at + 15));
            throw;
        }
        g_running = nullptr;
        progress_.stop();
        if (failed)
            throw error_of_reply(reply, error_text);
        std::fwrite(error_text.data(), 1, error_text.size(), stdout);
        kept_flushed_ = false;
        std::fflush(stdout);
        const double elapsed = static_cast<double>(system_clock().monotonic_ns() - started) / 1e9;
        if (script_.print_time)
            std::fprintf(stderr, "%.3f\n", elapsed);
        if (interactive_)
        {
            note_use(statement.text);
            std::printf("%s", progress_.summary(reply, elapsed).c_str());
            std::fflush(stdout);
        }
    }

private:
    static constexpr size_t kKeptBytes = 1 << 20;

    // The first MiB is kept back until the status is known to be good; it always is once more
    // than the server's own buffer has come.
    void flush_kept(std::string& kept, std::string_view piece)
    {
        std::fwrite(kept.data(), 1, kept.size(), stdout);
        kept.clear();
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        kept_flushed_ = true;
    }

    // "SELECT … \G": the result in Vertical format.
    static bool take_vertical_mark(std::string& text)
    {
        size_t end = text.find_last_not_of(" \t\r\n;");
        if (end == std::string::npos || end < 1 || text[end] != 'G' || text[end - 1] != '\\')
            return false;
        text.resize(end - 1);
        return true;
    }

    void note_use(std::string_view text)
    {
        while (!text.empty() && (text.back() == ';' || isspace(static_cast<unsigned char>(text.back()))))
            text.remove_suffix(1);
        if (text.size() > 4 && strncasecmp(text.data(), "use ", 4) == 0)
            database_ = std::string(text.substr(4));
    }

    ClientOptions options_;
    ScriptOptions& script_;
    bool interactive_;
    HttpClient client_;
    ProgressLine progress_;
    std::string session_id_ =
        fmt::format("basalt-client-{}-{:x}", getpid(), system_random().next_u64());
    std::string database_;
    uint64_t serial_ = 0;
    bool kept_flushed_ = false;
};

int interactive(RemoteRunner& runner, ScriptOptions& script, const ClientOptions& options)
{
    const std::string version = runner.server_version();
    std::printf("Basalt client %s\nConnected to %s:%u, server version %s\n", kBasaltVersion,
                options.host.c_str(), options.port, version.c_str());
    LineEditor editor(
        [&runner](const std::string& sql) { return runner.client().query(sql); });
    std::string text;
    for (;;)
    {
        auto line = editor.read(text.empty() ? options.host + " :) " : std::string(
                                                   options.host.size() + 1, ' ') + "-] ");
        if (!line)
            break;
        if (text.empty())
        {
            const std::string word = line->substr(0, line->find_last_not_of(" ;\t") + 1);
            if (word == "exit" || word == "quit" || word == "\\q" || word == ":q" || word == "q")
                break;
            if (word.empty())
                continue;
            if (auto command = expand_shortcut(word))
                *line = *command;
        }
        text += *line + "\n";
        if (!editor.is_complete(text))
            continue;
        editor.remember(text);
        if (run_script_text(text, script, runner, nullptr) == 0)
            std::printf("\n");
        text.clear();
    }
    std::printf("Bye.\n");
    return 0;
}

std::string from_environment(const char* name, const std::string& fallback)
{
    const char* value = std::getenv(name);
    return value ? value : fallback;
}

} // namespace

int client_main(int argc, char** argv)
{
    ClientOptions options;
    ScriptOptions script;
    std::vector<std::string> arguments = take_settings(argc, argv, script.settings);
    take_parameters(arguments, script.parameters);
    options.host = from_environment("CLICKHOUSE_HOST", options.host);
    options.user = from_environment("CLICKHOUSE_USER", options.user);
    options.password = from_environment("CLICKHOUSE_PASSWORD", options.password);

    CLI::App app("The Basalt client (over HTTP)", "basalt client");
    add_script_options(app, script);
    app.set_help_flag("--help", "print this and exit");
    app.add_option("-h,--host", options.host)->capture_default_str();
    app.add_option("--port", options.port, "HTTP port of the server")->capture_default_str();
    app.add_option("-u,--user", options.user)->capture_default_str();
    app.add_option("--password", options.password);
    app.add_option("-d,--database", options.database);
    app.add_flag("-E,--vertical", options.vertical, "results in Vertical format");
    app.add_flag("--progress,!--no-progress", options.show_progress,
                 "show progress on stderr (default: on a terminal)");
    std::reverse(arguments.begin(), arguments.end());
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }

    choose_format(script);
    const bool is_interactive =
        script.queries.empty() && script.files.empty() && isatty(STDIN_FILENO);
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    if (is_interactive)
        sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::atomic<bool> done{false};
    std::thread breaker(
        [&]
        {
            while (!done)
            {
                usleep(50000);
                if (!g_interrupted)
                    continue;
                if (HttpClient* running = g_running.exchange(nullptr))
                    running->abort();
            }
        });
    struct Join
    {
        std::atomic<bool>& done;
        std::thread& thread;
        ~Join()
        {
            done = true;
            thread.join();
        }
    } join{done, breaker};

    RemoteRunner runner(options, script, is_interactive);
    if (!is_interactive)
        return run_script(script, runner);
    return interactive(runner, script, options);
}

} // namespace basalt
