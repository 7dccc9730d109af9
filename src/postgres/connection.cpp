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

    ~Impl() { PQfinish(connection); }
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
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        values.empty() ? PQexec(impl_->connection, sql.c_str())
                       : PQexecParams(impl_->connection, sql.c_str(),
                                      static_cast<int>(values.size()), nullptr, values.data(),
                                      nullptr, nullptr, 0),
        &PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
    {
        const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        throw Error(POSTGRESQL_CONNECTION_FAILURE,
                    fmt::format("PostgreSQL refuses a statement: {}{}{}",
                                trimmed_message(PQerrorMessage(impl_->connection)),
                                state ? ", SQLSTATE " : "", state ? state : ""));
    }
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

} // namespace basalt::pg
