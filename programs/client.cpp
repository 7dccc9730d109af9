// basalt client: queries from flags, files or an interactive prompt.

#include "programs/programs.h"

#include "base/error.h"
#include "base/settings.h"
#include "programs/client_config.h"
#include "programs/client_shell.h"
#include "programs/interrupt.h"
#include "programs/remote.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

// The value of an option that is looked at before all others, which is taken away.
std::string take_value(std::vector<std::string>& arguments,
                       std::initializer_list<std::string_view> names)
{
    for (size_t i = 0; i < arguments.size(); ++i)
        for (const std::string_view name : names)
        {
            const std::string argument = arguments[i];
            const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
            if (argument.starts_with(std::string(name) + "=") && name.starts_with("--"))
            {
                arguments.erase(at);
                return argument.substr(name.size() + 1);
            }
            if (argument != name)
                continue;
            if (i + 1 == arguments.size())
                throw Error(error_codes::BAD_ARGUMENTS, fmt::format("{} needs a value", name));
            const std::string value = arguments[i + 1];
            arguments.erase(at, at + 2);
            return value;
        }
    return {};
}

// Typed without being shown.
std::string ask_password()
{
    char* const typed = getpass("Password: ");
    std::string password(typed ? typed : "");
    if (typed)
        explicit_bzero(typed, password.size());
    return password;
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
    Settings flag_settings;
    std::vector<std::string> arguments = take_settings(argc, argv, flag_settings);
    take_parameters(arguments, script.parameters);
    const std::string config_file = take_value(arguments, {"--config-file", "--config", "-C"});
    const std::string connection = take_value(arguments, {"--connection"});
    apply_config(config_file, connection, options, script);
    apply_environment(options);
    bool by_string = false;
    if (!arguments.empty() && is_connection_string(arguments.front()))
    {
        apply_connection_string(arguments.front(), options, script);
        arguments.erase(arguments.begin());
        by_string = true;
    }
    script.settings.apply(flag_settings);

    CLI::App app("The Basalt client", "basalt client");
    add_script_options(app, script);
    app.set_help_flag("--help", "print this and exit");
    app.footer("--config-file FILE and --connection NAME are looked at first; an argument\n"
               "clickhouse://user:password@host:port/database may stand before all others.");
    const auto* host = app.add_option("-h,--host", options.host)->capture_default_str();
    const auto* port =
        app.add_option("--port", options.port, "of the server: 9000, or 8123 over HTTP");
    app.add_option("--protocol", options.protocol,
                   "native, http, or auto: native where the server answers to it")
        ->check(CLI::IsMember({"native", "http", "auto"}))
        ->capture_default_str();
    app.add_option("--compression", options.compressed, "of blocks in the native protocol");
    app.add_option("-u,--user", options.user)->capture_default_str();
    app.add_option("--password", options.password);
    bool asks_password = false;
    app.add_flag("--ask-password", asks_password, "type it");
    app.add_option("-d,--database", options.database);
    app.add_flag("-m,--multiline", options.multiline,
                 "at the prompt a statement ends with ; or \\G, not with Enter");
    app.add_option("--pager", options.pager, "command that shows results: less -S");
    app.add_option("--history_file,--history-file", options.history_path);
    app.add_flag("-s,--secure", options.secure, "TLS: port 9440, or 8443 over HTTP");
    app.add_flag("!--accept-invalid-certificate", options.tls.verify,
                 "whoever answers is believed to be the server");
    app.add_option("--tls-ca", options.tls.ca_file,
                   "PEM: who may vouch for the server; default: the system's authorities");
    app.add_option("--tls-certificate", options.tls.certificate_file, "PEM: the user's certificate");
    app.add_option("--tls-key", options.tls.key_file, "PEM: its private key");
    app.add_flag("-E,--vertical", options.vertical, "results in Vertical format");
    std::string progress;
    app.add_option("--progress", progress, "show progress on stderr: on a terminal (default), on, off")
        ->expected(0, 1)
        ->default_str("on")
        ->check(CLI::IsMember({"on", "off", "tty", "err", "yes", "no", "true", "false", "1", "0"}));
    app.add_flag("!--no-progress", options.show_progress);
    std::reverse(arguments.begin(), arguments.end());
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }
    if (by_string && host->count() + port->count() > 0)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "--host and --port do not go together with a connection string");
    if (asks_password)
        options.password = ask_password();
    if (!progress.empty() && progress != "tty")
        options.show_progress =
            progress != "off" && progress != "no" && progress != "false" && progress != "0";

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
    return run_shell(*runner, script, options);
}

} // namespace basalt
