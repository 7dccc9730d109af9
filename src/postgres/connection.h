#pragma once

// A connection to PostgreSQL through libpq: statements with parameters, answers as text.
// Errors: POSTGRESQL_CONNECTION_FAILURE with the server's own words (and SQLSTATE for statements).
// Threads: one at a time. Blocks until the server answers.

#include "base/int_types.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_conn; // of libpq

namespace basalt::pg
{

struct Instance;

using Cell = std::optional<std::string>; // nothing is NULL
using Row = std::vector<Cell>;

// "shop"."my table": names as SQL has them.
std::string quote_name(std::string_view name);
// 'it''s'
std::string quote_text(std::string_view text);

// libpq prints notices and its own complaints to stderr otherwise; whatever matters is an error too.
void ignore_notices(pg_conn* connection);

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

    // COPY … TO STDOUT: rows one by one, without their line ends; a row lives until the next call.
    void start_copy_out(const std::string& sql);
    std::optional<std::string_view> next_copy_row();
    // COPY … FROM STDIN: bytes in any pieces; finish_copy_in() says what the server made of them.
    void start_copy_in(const std::string& sql);
    void put_copy_bytes(std::string_view bytes);
    void finish_copy_in();
    // Asks the server to end what it does for this connection. From any thread.
    void cancel();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt::pg
