#include "integrations/postgres/replica_options.h"

#include "base/error.h"
#include "sql/ast_create.h"
#include "sql/ast_expression.h"
#include "sql/ast_statements.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

std::string text_of(const AstPtr& ast, const char* what)
{
    if (const auto* literal = ast ? ast->as<AstLiteral>() : nullptr)
    {
        if (literal->literal_kind == LiteralKind::String)
            return literal->text;
        if (literal->literal_kind == LiteralKind::UInt64 ||
            literal->literal_kind == LiteralKind::Bool)
            return std::to_string(literal->unsigned_value);
    }
    throw Error(error_codes::BAD_ARGUMENTS, fmt::format("{} must be a literal", what));
}

// "a, b ,c"
std::set<std::string> names_of(const std::string& list)
{
    std::set<std::string> names;
    size_t at = 0;
    while (at <= list.size())
    {
        const size_t end = std::min(list.find(',', at), list.size());
        std::string name = list.substr(at, end - at);
        name.erase(0, std::min(name.find_first_not_of(" \t\n"), name.size()));
        name.erase(name.find_last_not_of(" \t\n") + 1);
        if (name.find('(') != std::string::npos)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Columns in materialized_postgresql_tables_list are not implemented");
        if (!name.empty())
            names.insert(std::move(name));
        at = end + 1;
    }
    return names;
}

void apply_setting(ReplicaOptions& options, const std::string& name, const std::string& value)
{
    if (name == "materialized_postgresql_tables_list")
        options.tables = names_of(value);
    else if (name == "materialized_postgresql_schema")
    {
        options.main_schema = value;
        options.schemas = {value};
    }
    else if (name == "materialized_postgresql_schema_list")
    {
        options.main_schema.clear();
        options.schemas = names_of(value);
    }
    else if (name == "basalt_postgres_all_schemas")
    {
        if (value == "1" || value == "true")
            options.schemas.clear();
    }
    else if (name == "basalt_postgres_owns_server")
        options.owns_server = value == "1" || value == "true";
    else if (name == "materialized_postgresql_max_block_size" ||
             name == "materialized_postgresql_backoff_min_ms" ||
             name == "materialized_postgresql_backoff_max_ms" ||
             name == "materialized_postgresql_backoff_factor")
        return; // batches and pauses are chosen here
    else if (name == "materialized_postgresql_tables_list_with_schema" ||
             name == "materialized_postgresql_replication_slot" ||
             name == "materialized_postgresql_snapshot" ||
             name == "materialized_postgresql_use_unique_replication_consumer_identifier")
        throw Error(error_codes::NOT_IMPLEMENTED, fmt::format("Setting {} is not implemented", name));
    else
        throw Error(error_codes::UNKNOWN_SETTING,
                    fmt::format("Unknown setting '{}' of MaterializedPostgreSQL", name));
}

} // namespace

std::pair<std::string, uint16_t> parse_address(const std::string& address)
{
    std::string host = address;
    uint16_t port = 5432;
    if (const size_t colon = address.rfind(':');
        colon != std::string::npos && address.find(':') == colon)
    {
        host = address.substr(0, colon);
        const char* end = address.data() + address.size();
        const auto done = std::from_chars(address.data() + colon + 1, end, port);
        if (done.ec != std::errc() || done.ptr != end)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("'{}' is no address of a PostgreSQL server", address));
    }
    if (host.empty())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("'{}' is no address of a PostgreSQL server", address));
    return {host, port};
}

ConnectionOptions ReplicaOptions::connection() const
{
    return {{"host", host},
            {"port", std::to_string(port)},
            {"dbname", database},
            {"user", user},
            {"password", password},
            // A host that vanished must not hold up the end of the server.
            {"keepalives_idle", "10"},
            {"keepalives_interval", "5"},
            {"keepalives_count", "3"},
            {"tcp_user_timeout", "30000"}};
}

ReplicaOptions replica_options(const Ast& ast)
{
    const auto& storage = *ast.as<AstStorage>();
    const auto& engine = *storage.engine->as<AstFunction>();
    constexpr size_t kArguments = 4;
    if (engine.arguments.size() != kArguments)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "MaterializedPostgreSQL needs 4 arguments: 'host:port', 'database', 'user', "
                    "'password'");
    ReplicaOptions options;
    std::tie(options.host, options.port) =
        parse_address(text_of(engine.arguments[0], "The address of PostgreSQL"));
    options.database = text_of(engine.arguments[1], "The database of PostgreSQL");
    options.user = text_of(engine.arguments[2], "The user of PostgreSQL");
    options.password = text_of(engine.arguments[3], "The password of PostgreSQL");
    if (storage.settings)
        for (const SettingChange& change : storage.settings->as<AstSetQuery>()->changes)
            apply_setting(options, change.name, text_of(change.value, change.name.c_str()));
    return options;
}

} // namespace basalt::pg
