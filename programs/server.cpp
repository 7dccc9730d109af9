// basalt server: flags, start and stop order.

#include "programs/programs.h"

#include "base/error.h"
#include "base/settings.h"
#include "engine/engine.h"
#include "integrations/files/file_table.h"
#include "integrations/postgres/foreign_table.h"
#include "integrations/postgres/replication.h"
#include "io/file_system.h"
#include "io/host_name.h"
#include "net/http/server.h"
#include "net/native/server.h"
#include "net/postgres/server.h"
#include "programs/pg/commands.h"
#include "programs/play_page.h"
#include "programs/replication_table.h"
#include "programs/server_tls.h"
#include "programs/server_users.h"
#include "system/system_tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace basalt
{

int server_main(int argc, char** argv)
{
    EngineOptions options;
    HttpServerOptions http;
    options.path = "./basalt-data";
    NativeServerOptions native;
    PostgresServerOptions postgres_wire;
    std::vector<std::string> arguments = take_settings(argc, argv, options.default_settings);
    // clickhouse-server -- --http_port=8123: there what follows is put over the config file.
    std::erase(arguments, "--");

    CLI::App app("The Basalt server", "basalt server");
    app.set_config("--config,--config-file,-C", "", "file with any of these flags (TOML or INI)");
    app.add_option("--path", options.path, "data folder")->capture_default_str();
    app.add_option("--listen,--listen_host", http.host, "address to listen on")
        ->capture_default_str();
    app.add_option("--http-port,--http_port", http.port, "0 turns HTTP off")
        ->capture_default_str();
    app.add_option("--tcp-port,--tcp_port", native.port, "native protocol; 0 turns it off")
        ->capture_default_str();
    app.add_option("--postgres-port,--postgresql_port", postgres_wire.port,
                   "PostgreSQL's wire protocol; 0 turns it off")
        ->capture_default_str();
    app.add_option("--timezone", options.timezone, "of DateTime without a zone")
        ->capture_default_str();
    app.add_option("--max-server-memory-usage,--max_server_memory_usage",
                   options.memory_limit_bytes, "bytes; 0 is 90% of what the cgroup grants")
        ->capture_default_str();
    app.add_option("--max-concurrent-queries,--max_concurrent_queries",
                   options.max_concurrent_queries, "0 is no limit")
        ->capture_default_str();
    app.add_option("--max-connections,--max_connections", http.max_connections)
        ->capture_default_str();
    app.add_option("--backups-path,--backups.allowed_path", options.backups_path,
                   "where backups stand; default: backups in the data folder");
    std::string user_files;
    app.add_option("--user-files-path,--user_files_path", user_files,
                   "the only folder that file() reads and writes; default: user_files in the data "
                   "folder");
    std::vector<std::string> handlers;
    app.add_option("--http-handler", handlers,
                   "'METHODS PATH query SQL', also static, redirect, dynamic; may be repeated");
    ServerUsers users;
    users.add_options(app);
    ServerTls tls;
    tls.add_options(app);
    std::vector<std::string> postgres_instances;
    std::string postgres_home;
    app.add_option("--pg", postgres_instances,
                   "PostgreSQL instances (basalt pg) that run as long as this server");
    app.add_option("--pg-home", postgres_home, "where they are listed, as of basalt pg --home");
    std::reverse(arguments.begin(), arguments.end());
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }

    // Signals are waited for below and nowhere else.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    // What is stored, passwords among it, is nobody else's to read.
    ::umask(027);
    FileSystem& files = real_file_system();
    users.read(files, options);
    if (handlers.size() > kMaxHandlerRules)
        throw Error(error_codes::BAD_ARGUMENTS, "Too many HTTP handlers");
    for (const auto& text : handlers)
        http.handlers.push_back(parse_handler_rule(text));
    const auto tls_context = tls.context();
    files.create_directories(options.path);
    const auto lock = files.lock_file(options.path + "/lock");
    const pg::OwnedInstances postgres(postgres_home, postgres_instances);
    pg::PostgresReplication replication;
    if (user_files.empty())
        user_files = options.path + "/user_files";
    files.create_directories(user_files);
    options.register_more = [&replication, &user_files](Engine& engine)
    {
        replication.register_in(engine);
        pg::register_foreign_tables(engine.catalog());
        auto access = std::make_shared<FileAccess>();
        access->root = user_files;
        register_file_function(engine.catalog(), real_file_system(), access);
    };
    Engine engine(files, options);
    engine.start();
    users.check_listen(engine, http.host);
    register_system_tables(engine);
    add_replication_table(engine, replication);
    replication.start();

    std::unique_ptr<HttpServer> server, https_server;
    http.display_name = host_name();
    http.play_page = play_page();
    if (http.port != 0)
        server = std::make_unique<HttpServer>(engine, http);
    if (tls.https_port != 0)
    {
        HttpServerOptions https = http;
        https.port = tls.https_port;
        https.tls = tls_context;
        https_server = std::make_unique<HttpServer>(engine, https);
    }
    native.host = http.host;
    native.max_connections = http.max_connections;
    native.display_name = http.display_name;
    if (server)
        native.http_hint = "port " + std::to_string(server->port());
    std::unique_ptr<NativeServer> native_server, secure_native_server;
    if (native.port != 0)
        native_server = std::make_unique<NativeServer>(engine, native);
    if (tls.tcp_port != 0)
    {
        NativeServerOptions secure = native;
        secure.port = tls.tcp_port;
        secure.tls = tls_context;
        secure_native_server = std::make_unique<NativeServer>(engine, secure);
    }
    std::unique_ptr<PostgresServer> postgres_server;
    if (postgres_wire.port != 0)
    {
        postgres_wire.host = http.host;
        postgres_wire.max_connections = http.max_connections;
        postgres_wire.tls = tls_context;
        postgres_wire.require_tls = tls.require_postgres;
        postgres_server = std::make_unique<PostgresServer>(engine, postgres_wire);
    }
    // Nothing is served before every port could be had.
    const auto each = [&](auto&& what)
    {
        const auto one = [&](auto& owned)
        {
            if (owned)
                what(*owned);
        };
        one(postgres_server);
        one(secure_native_server);
        one(native_server);
        one(https_server);
        one(server);
    };
    each([](auto& one) { one.start(); });
    std::string secure_ports;
    if (https_server)
        secure_ports += ", https port " + std::to_string(https_server->port());
    if (secure_native_server)
        secure_ports += ", secure tcp port " + std::to_string(secure_native_server->port());
    std::printf("Basalt %s is ready: http://%s:%u, tcp port %u, postgres port %u%s, data in %s\n",
                kBasaltVersion,
                http.host.c_str(), server ? server->port() : 0,
                native_server ? native_server->port() : 0,
                postgres_server ? postgres_server->port() : 0, secure_ports.c_str(),
                options.path.c_str());
    std::fflush(stdout);

    int signal = 0;
    sigwait(&signals, &signal);
    each([](auto& one) { one.stop(); });
    replication.stop();
    engine.stop();
    return 0;
}

} // namespace basalt
