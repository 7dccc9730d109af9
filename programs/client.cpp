// basalt client: queries from flags, files or an interactive prompt.

#include "programs/programs.h"

#include "base/error.h"
#include "programs/line_editor.h"
#include "programs/remote.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace basalt
{

namespace
{

// Ctrl-C ends the query that runs, not the program. Only async-signal-safe work is done in the
// handler: the query is ended by a thread that looks at the flag.
std::atomic<bool> g_interrupted{false};
constexpr int kExitOfInterrupted = 130; // as shells have it

void on_interrupt(int)
{
    g_interrupted = true;
}

class Breaker
{
public:
    Breaker(RemoteRunner& runner, bool interactive)
    {
        struct sigaction action = {};
        action.sa_handler = on_interrupt;
        sigaction(SIGINT, &action, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
        thread_ = std::thread(
            [this, &runner, interactive]
            {
                while (!done_)
                {
                    usleep(50000);
                    if (g_interrupted.exchange(false) && !runner.interrupt() && !interactive)
                        _exit(kExitOfInterrupted);
                }
            });
    }
    ~Breaker()
    {
        done_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> done_{false};
    std::thread thread_;
};

int interactive(RemoteRunner& runner, ScriptOptions& script, const RemoteOptions& options)
{
    const std::string version = runner.query("SELECT version() FORMAT TSVRaw");
    std::printf("Basalt client %s\nConnected to %s, server version %s\n", kBasaltVersion,
                runner.where().c_str(), version.c_str());
    LineEditor editor([&runner](const std::string& sql) { return runner.query(sql); });
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

std::unique_ptr<RemoteRunner> make_remote_runner(const RemoteOptions& options,
                                                 ScriptOptions& script, bool interactive)
{
    if (options.protocol == "http")
        return make_http_runner(options, script, interactive);
    try
    {
        return make_native_runner(options, script, interactive);
    }
    catch (const Error& error)
    {
        // Nobody at the usual port, or somebody who speaks otherwise.
        const bool other_protocol =
            error.code() == error_codes::CLIENT_HAS_CONNECTED_TO_WRONG_PORT ||
            error.code() == error_codes::SOCKET_TIMEOUT ||
            (error.code() == error_codes::NETWORK_ERROR && !options.port);
        // With TLS the other port would only hide what is wrong with the certificate.
        if (options.protocol == "native" || !other_protocol || options.secure)
            throw;
        return make_http_runner(options, script, interactive);
    }
}

bool take_vertical_mark(std::string& text)
{
    const size_t end = text.find_last_not_of(" \t\r\n;");
    if (end == std::string::npos || end < 1 || text[end] != 'G' || text[end - 1] != '\\')
        return false;
    text.resize(end - 1);
    return true;
}

int client_main(int argc, char** argv)
{
    RemoteOptions options;
    options.show_progress = isatty(STDERR_FILENO) != 0;
    ScriptOptions script;
    std::vector<std::string> arguments = take_settings(argc, argv, script.settings);
    take_parameters(arguments, script.parameters);
    options.host = from_environment("CLICKHOUSE_HOST", options.host);
    options.user = from_environment("CLICKHOUSE_USER", options.user);
    options.password = from_environment("CLICKHOUSE_PASSWORD", options.password);

    CLI::App app("The Basalt client", "basalt client");
    add_script_options(app, script);
    app.set_help_flag("--help", "print this and exit");
    app.add_option("-h,--host", options.host)->capture_default_str();
    app.add_option("--port", options.port, "of the server: 9000, or 8123 over HTTP");
    app.add_option("--protocol", options.protocol,
                   "native, http, or auto: native where the server answers to it")
        ->check(CLI::IsMember({"native", "http", "auto"}))
        ->capture_default_str();
    app.add_option("--compression", options.compressed, "of blocks in the native protocol");
    app.add_option("-u,--user", options.user)->capture_default_str();
    app.add_option("--password", options.password);
    app.add_option("-d,--database", options.database);
    app.add_flag("-s,--secure", options.secure, "TLS: port 9440, or 8443 over HTTP");
    app.add_flag("!--accept-invalid-certificate", options.tls.verify,
                 "whoever answers is believed to be the server");
    app.add_option("--tls-ca", options.tls.ca_file,
                   "PEM: who may vouch for the server; default: the system's authorities");
    app.add_option("--tls-certificate", options.tls.certificate_file, "PEM: the user's certificate");
    app.add_option("--tls-key", options.tls.key_file, "PEM: its private key");
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
    std::unique_ptr<RemoteRunner> runner;
    try
    {
        runner = make_remote_runner(options, script, is_interactive);
    }
    catch (const Error& error)
    {
        std::fprintf(stderr, "%s\n", error.full_text().c_str());
        return exit_code_of(error);
    }
    const Breaker breaker(*runner, is_interactive);
    if (!is_interactive)
        return run_script(script, *runner);
    return interactive(*runner, script, options);
}

} // namespace basalt
