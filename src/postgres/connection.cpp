#include "postgres/connection.h"

#include "base/error.h"
#include "postgres/instance.h"

#include <fmt/core.h>
#include <libpq-fe.h>

namespace basalt::pg
{

using namespace error_codes;

struct Connection::Impl
{
    PGconn* connection = nullptr;
    char* copied = nullptr; // the last row of COPY

    ~Impl()
    {
        PQfreemem(copied);
        PQfinish(connection);
    }
};

namespace
{

std::string trimmed_message(const char* message)
{
    std::string text = message ? message : "";
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    return text;
}

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

[[noreturn]] void throw_refused(PGconn* connection, const PGresult* result)
{
    const char* state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
    throw Error(POSTGRESQL_CONNECTION_FAILURE,
                fmt::format("PostgreSQL refuses a statement: {}{}{}",
                            trimmed_message(PQerrorMessage(connection)),
                            state ? ", SQLSTATE " : "", state ? state : ""));
}

std::string doubled(std::string_view text, char quote)
{
    std::string out(1, quote);
    for (const char c : text)
    {
        if (c == quote)
            out.push_back(c);
        out.push_back(c);
    }
    out.push_back(quote);
    return out;
}

} // namespace

Connection::Connection(const std::vector<std::pair<std::string, std::string>>& options)
    : impl_(std::make_unique<Impl>())
{
    std::vector<const char*> names, values;
    for (const auto& [name, value] : options)
    {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    for (const auto& [name, value] :
         {std::pair("connect_timeout", "10"), std::pair("application_name", "basalt")})
    {
        names.push_back(name);
        values.push_back(value);
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    impl_->connection = PQconnectdbParams(names.data(), values.data(), 0);
    ignore_notices(impl_->connection);
    if (PQstatus(impl_->connection) != CONNECTION_OK)
        throw Error(POSTGRESQL_CONNECTION_FAILURE,
                    fmt::format("Cannot connect to PostgreSQL: {}",
                                trimmed_message(PQerrorMessage(impl_->connection))));
}

Connection::Connection(const Instance& instance, const std::string& database)
    : Connection({{"host", instance.run()},
                  {"port", std::to_string(instance.port)},
                  {"user", kSuperuser},
                  {"dbname", database}})
{
}

Connection::~Connection() = default;

std::vector<Row> Connection::query(const std::string& sql, const std::vector<Cell>& parameters)
{
    std::vector<const char*> values;
    for (const auto& parameter : parameters)
        values.push_back(parameter ? parameter->c_str() : nullptr);
    // Without parameters several statements may stand in one text.
    const Result result(
        values.empty() ? PQexec(impl_->connection, sql.c_str())
                       : PQexecParams(impl_->connection, sql.c_str(),
                                      static_cast<int>(values.size()), nullptr, values.data(),
                                      nullptr, nullptr, 0),
        &PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
        throw_refused(impl_->connection, result.get());
    std::vector<Row> rows(static_cast<size_t>(PQntuples(result.get())));
    const int columns = PQnfields(result.get());
    for (size_t i = 0; i < rows.size(); ++i)
        for (int column = 0; column < columns; ++column)
        {
            const int row = static_cast<int>(i);
            if (PQgetisnull(result.get(), row, column))
                rows[i].emplace_back();
            else
                rows[i].emplace_back(std::in_place, PQgetvalue(result.get(), row, column),
                                     static_cast<size_t>(PQgetlength(result.get(), row, column)));
        }
    return rows;
}

std::string Connection::value(const std::string& sql, const std::vector<Cell>& parameters)
{
    const auto rows = query(sql, parameters);
    if (rows.empty() || rows[0].empty() || !rows[0][0])
        return {};
    return *rows[0][0];
}

void Connection::start_copy_out(const std::string& sql)
{
    const Result result(PQexec(impl_->connection, sql.c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COPY_OUT)
        throw_refused(impl_->connection, result.get());
}

std::optional<std::string_view> Connection::next_copy_row()
{
    PQfreemem(impl_->copied);
    impl_->copied = nullptr;
    const int bytes = PQgetCopyData(impl_->connection, &impl_->copied, 0);
    if (bytes > 0)
    {
        std::string_view row(impl_->copied, static_cast<size_t>(bytes));
        if (row.back() == '\n')
            row.remove_suffix(1);
        return row;
    }
    if (bytes == -2)
        throw_refused(impl_->connection, nullptr);
    for (;;)
    {
        const Result result(PQgetResult(impl_->connection), &PQclear);
        if (!result)
            return std::nullopt;
        if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
            throw_refused(impl_->connection, result.get());
    }
}

void Connection::start_copy_in(const std::string& sql)
{
    const Result result(PQexec(impl_->connection, sql.c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COPY_IN)
        throw_refused(impl_->connection, result.get());
}

void Connection::put_copy_bytes(std::string_view bytes)
{
    if (PQputCopyData(impl_->connection, bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw_refused(impl_->connection, nullptr);
}

void Connection::finish_copy_in()
{
    if (PQputCopyEnd(impl_->connection, nullptr) != 1)
        throw_refused(impl_->connection, nullptr);
    for (;;)
    {
        const Result result(PQgetResult(impl_->connection), &PQclear);
        if (!result)
            return;
        if (PQresultStatus(result.get()) != PGRES_COMMAND_OK)
            throw_refused(impl_->connection, result.get());
    }
}

void Connection::cancel()
{
    const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> request(
        PQgetCancel(impl_->connection), &PQfreeCancel);
    char message[256];
    if (request)
        PQcancel(request.get(), message, sizeof(message));
}

void ignore_notices(pg_conn* connection)
{
    if (connection)
        PQsetNoticeReceiver(connection, [](void*, const PGresult*) {}, nullptr);
}

std::string quote_name(std::string_view name)
{
    return doubled(name, '"');
}

std::string quote_text(std::string_view text)
{
    // standard_conforming_strings is on since 9.1: a backslash is a backslash.
    return doubled(text, '\'');
}

} // namespace basalt::pg
