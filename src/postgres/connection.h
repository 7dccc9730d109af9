#pragma once

// A connection to PostgreSQL through libpq: statements with parameters, answers as text.
// Errors: POSTGRESQL_CONNECTION_FAILURE with the server's own words (and SQLSTATE for statements).
// Threads: one at a time. Blocks until the server answers.

#include "base/int_types.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace basalt::pg
{

struct Instance;

using Cell = std::optional<std::string>; // nothing is NULL
using Row = std::vector<Cell>;

class Connection
{
public:
    // Keywords and values of libpq: host, port, user, dbname …
    explicit Connection(const std::vector<std::pair<std::string, std::string>>& options);
    // As the superuser, through the instance's socket.
    Connection(const Instance& instance, const std::string& database);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    std::vector<Row> query(const std::string& sql, const std::vector<Cell>& parameters = {});
    // The first column of the first row; empty text if NULL or none.
    std::string value(const std::string& sql, const std::vector<Cell>& parameters = {});

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt::pg
