#pragma once

// What ENGINE = MaterializedPostgreSQL('host:port', 'database', 'user', 'password') SETTINGS … says.
// Pure.

#include "sql/ast.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace basalt::pg
{

using ConnectionOptions = std::vector<std::pair<std::string, std::string>>;

struct ReplicaOptions
{
    std::string host;
    uint16_t port = 5432;
    std::string database;
    std::string user;
    std::string password;
    // Tables of the main schema keep their names, those of others become "schema.name".
    std::string main_schema = "public";
    std::set<std::string> schemas = {"public"}; // empty: all
    std::set<std::string> tables; // by our names; empty: all of the schemas
    // The PostgreSQL server is ours to change: tables without a key get REPLICA IDENTITY FULL.
    bool owns_server = false;

    ConnectionOptions connection() const; // keywords and values of libpq
};

// storage: AstStorage. BAD_ARGUMENTS, UNKNOWN_SETTING, NOT_IMPLEMENTED.
ReplicaOptions replica_options(const Ast& storage);

// "host:port" apart; the port may be missing. BAD_ARGUMENTS for what is no address.
std::pair<std::string, uint16_t> parse_address(const std::string& address);

} // namespace basalt::pg
