// basalt pg link: makes a database of Basalt follow an instance.

#include "programs/pg/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "net/http/client.h"
#include "postgres/connection.h"
#include "postgres/control.h"
#include "postgres/source_table.h"
#include "sql/formatter.h"

#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <thread>

namespace basalt::pg
{

namespace
{

constexpr const char* kAllSchemas = "basalt_postgres_all_schemas = 1";

std::string random_secret()
{
    return fmt::format("{:016x}{:016x}", system_random().next_u64(), system_random().next_u64());
}

// A role of the link's own: it can be taken away without touching anything else.
std::string make_role(Connection& connection, const std::string& role)
{
    const std::string password = random_secret();
    const bool exists =
        !connection.value("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1", {role}).empty();
    // Tables can be published by their owners and by superusers only.
    connection.query(fmt::format("{} ROLE {} LOGIN SUPERUSER REPLICATION PASSWORD {}",
                                 exists ? "ALTER" : "CREATE", quote_name(role),
                                 quote_text(password)));
    return password;
}

void tell_identities(Connection& connection)
{
    for (const SourceTable& table : describe_tables(connection, {}))
        if (!table.has_identity())
            std::printf("Table %s has no primary key: its REPLICA IDENTITY becomes FULL.\n",
                        table.quoted().c_str());
}

// Prints tables as they are copied; returns when all are.
void wait_until_copied(HttpClient& client, const std::string& database, int64_t timeout_s)
{
    constexpr auto kPoll = std::chrono::milliseconds(200);
    const std::string of_database =
        fmt::format("FROM system.postgres_replication WHERE database = {}", quote_string(database));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
    while (client.query("SELECT state " + of_database + " AND table = '' FORMAT TSVRaw") !=
           "following\n")
    {
        if (std::chrono::steady_clock::now() > end)
            throw Error(error_codes::TIMEOUT_EXCEEDED,
                        fmt::format("The tables are still being copied, or cannot be: {}",
                                    client.query("SELECT last_error " + of_database +
                                                 " AND table = '' FORMAT TSVRaw")));
        std::this_thread::sleep_for(kPoll);
    }
    std::fputs(client.query("SELECT format('{} {}: {} rows{}', table, state, copied_rows, "
                            "if(last_error = '', '', ' (' || last_error || ')')) " +
                            of_database + " AND table != '' ORDER BY table FORMAT TSVRaw")
                   .c_str(),
               stdout);
}

// The way back: Basalt's tables of the database as foreign tables of the instance, for its superuser.
void make_foreign_tables(const Instance& instance, const LinkOptions& options, const HttpUrl& url,
                         const std::string& database)
{
    const std::string server = quote_name("basalt_" + database);
    const std::string schema = quote_name(options.foreign_schema);
    Connection connection(instance, instance.database);
    connection.query("CREATE EXTENSION IF NOT EXISTS postgres_fdw");
    // Left by an earlier link; it holds nothing but names.
    connection.query("DROP SERVER IF EXISTS " + server + " CASCADE");
    connection.query(fmt::format(
        "CREATE SERVER {} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host {}, port {}, dbname {}, "
        "fetch_size '10000')",
        server, quote_text(url.host), quote_text(std::to_string(options.wire_port)),
        quote_text(database)));
    connection.query(fmt::format(
        "CREATE USER MAPPING FOR CURRENT_USER SERVER {} OPTIONS (user {}, password {})", server,
        quote_text(url.user.empty() ? "default" : url.user), quote_text(url.password)));
    connection.query("CREATE SCHEMA IF NOT EXISTS " + schema);
    connection.query(fmt::format("IMPORT FOREIGN SCHEMA {} FROM SERVER {} INTO {}",
                                 quote_name(database), server, schema));
    std::printf("Schema %s of the instance has Basalt's tables.\n", schema.c_str());
}

} // namespace

int link_command(const CommonOptions& common, const LinkOptions& options)
{
    const Instance instance = open_list(common).find(common.name);
    const std::string database =
        options.database.empty() ? instance.database : options.database;
    HttpClient client(parse_http_url(options.url));
    // Before anything is changed.
    if (client.query(fmt::format("SELECT count() FROM system.databases WHERE name = {}",
                                 quote_string(database))) != "0\n")
        throw Error(error_codes::DATABASE_ALREADY_EXISTS,
                    fmt::format("Basalt has a database {} already; --database gives another name",
                                database));
    const std::string role = "basalt_" + database;
    std::string password;
    {
        Connection connection(instance, instance.database);
        tell_identities(connection);
        password = make_role(connection, role);
    }
    client.query(fmt::format(
        "CREATE DATABASE {} ENGINE = MaterializedPostgreSQL({}, {}, {}, {}) SETTINGS "
        "basalt_postgres_owns_server = 1, {}",
        quote_identifier(database), quote_string(fmt::format("127.0.0.1:{}", instance.port)),
        quote_string(instance.database), quote_string(role), quote_string(password), kAllSchemas));
    std::printf("Database %s at %s follows instance %s.\n", database.c_str(), options.url.c_str(),
                instance.name.c_str());
    std::fflush(stdout);
    wait_until_copied(client, database, options.timeout_s);
    if (options.foreign_schema.empty())
        return 0;
    try
    {
        make_foreign_tables(instance, options, client.url(), database);
    }
    catch (const Error& error)
    {
        // The database follows all the same.
        std::fprintf(stderr, "Basalt's tables are not in PostgreSQL's schema %s: %s\n",
                     options.foreign_schema.c_str(), error.message().c_str());
    }
    return 0;
}

} // namespace basalt::pg
