// Parse, Bind, Describe, Execute, Close.

#include "net/postgres/connection.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

void PostgresConnection::parse(const PostgresMessage& message)
{
    PostgresParse request = parse_postgres_parse(message.body);
    auto statements = split_postgres_text(request.text);
    if (statements.size() > 1)
        throw Error(error_codes::SYNTAX_ERROR, "Only one statement can be prepared at a time");
    if (!request.name.empty() && prepared_.contains(request.name))
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Prepared statement {} already exists", request.name));
    if (prepared_.size() >= kMaxPostgresStatements)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE, "Too many prepared statements");
    Prepared prepared;
    if (!statements.empty())
        prepared.statement = std::move(statements[0]);
    prepared.parameter_types = std::move(request.parameter_types);
    prepared.parameter_types.resize(prepared.statement.parameter_count);
    prepared_[request.name] = std::move(prepared);
    write_postgres_letter(out_, '1');
}

void PostgresConnection::bind(const PostgresMessage& message)
{
    const PostgresBind request = parse_postgres_bind(message.body);
    const auto found = prepared_.find(request.statement);
    if (found == prepared_.end())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("There is no prepared statement {}", request.statement));
    const Prepared& prepared = found->second;
    if (request.parameters.size() != prepared.parameter_types.size())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("{} parameters were bound where the statement has {}",
                                request.parameters.size(), prepared.parameter_types.size()));
    Portal portal;
    portal.statement = prepared.statement;
    portal.result_formats = request.result_formats;
    std::vector<std::string> literals;
    for (size_t i = 0; i < request.parameters.size(); ++i)
    {
        const auto& numbers = prepared.statement.numbers;
        const auto place = std::find(numbers.begin(), numbers.end(), i + 1) - numbers.begin();
        const bool wants_number = static_cast<size_t>(place) < numbers.size() &&
                                  prepared.statement.wants_number[static_cast<size_t>(place)];
        literals.push_back(literal_of_parameter(request.parameters[i], request.parameter_format(i),
                                                prepared.parameter_types[i], wants_number));
    }
    if (!portal.statement.pieces.empty())
        portal.text = portal.statement.text(literals);
    if (portals_.size() >= kMaxPostgresStatements)
        throw Error(error_codes::TOO_LARGE_ARRAY_SIZE, "Too many portals");
    portals_.erase(request.portal);
    portals_.emplace(request.portal, std::move(portal));
    write_postgres_letter(out_, '2');
}

void PostgresConnection::describe(const PostgresMessage& message)
{
    const PostgresTarget target = parse_postgres_target(message.body);
    if (target.kind == 'S')
    {
        const auto found = prepared_.find(target.name);
        if (found == prepared_.end())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("There is no prepared statement {}", target.name));
        describe_statement(found->second);
        return;
    }
    const auto found = portals_.find(target.name);
    if (found == portals_.end())
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("There is no portal {}", target.name));
    Portal& portal = found->second;
    if (show_value(portal.statement))
    {
        write_postgres_row_description(out_, {{fold_name(portal.statement.words[1])}});
        return;
    }
    if (const auto fetch = parse_fetch(portal.statement))
    {
        write_postgres_row_description(out_, cursors_.at(fetch->first)->columns);
        return;
    }
    if (!portal.statement.returns_rows())
    {
        write_postgres_letter(out_, 'n');
        return;
    }
    // The query runs from here on; Execute takes its rows.
    if (!portal.running)
    {
        if (transaction_ == 'E')
            run_ours(portal.statement); // says so
        portal.running = start(portal.text, settings_for(portal.statement));
        if (!wait_for_header(*portal.running, portal.result_formats))
        {
            portal.done = true;
            write_postgres_letter(out_, 'n');
            return;
        }
    }
    write_postgres_row_description(out_, portal.running->columns);
}

void PostgresConnection::describe_statement(const Prepared& prepared)
{
    std::vector<uint32_t> types = prepared.parameter_types;
    for (uint32_t& type : types)
        if (type == 0)
            type = postgres_type::kText;
    write_postgres_parameter_description(out_, types);
    const PostgresStatement& statement = prepared.statement;
    if (show_value(statement))
        write_postgres_row_description(out_, {{fold_name(statement.words[1])}});
    else if (!statement.returns_rows() || statement.is("FETCH"))
        write_postgres_letter(out_, 'n');
    else
    {
        std::vector<std::string> literals;
        for (size_t i = 0; i < types.size(); ++i)
        {
            const auto place = std::find(statement.numbers.begin(), statement.numbers.end(), i + 1);
            const bool wants_number =
                place != statement.numbers.end() &&
                statement.wants_number[static_cast<size_t>(place - statement.numbers.begin())];
            literals.push_back(wants_number ? "0" : null_of_type(prepared.parameter_types[i]));
        }
        std::string text = statement.text(literals);
        if (statement.is("SELECT") || statement.is("WITH"))
            text = "SELECT * FROM (" + text + "\n) LIMIT 0";
        auto running = start(text, settings_for(statement));
        if (wait_for_header(*running, {}))
        {
            write_postgres_row_description(out_, running->columns);
            wait_for_end(*running);
        }
        else
            write_postgres_letter(out_, 'n');
    }
}

void PostgresConnection::execute(const PostgresMessage& message)
{
    const PostgresExecute request = parse_postgres_execute(message.body);
    const auto found = portals_.find(request.portal);
    if (found == portals_.end())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("There is no portal {}", request.portal));
    Portal& portal = found->second;
    const PostgresStatement& statement = portal.statement;
    if (statement.pieces.empty())
    {
        write_postgres_letter(out_, 'I');
        return;
    }
    if (portal.done)
    {
        write_postgres_complete(out_, tag_of(statement, 0));
        return;
    }
    if (const auto value = show_value(statement))
    {
        PostgresWriter row('D');
        row.i16(1);
        row.value(*value);
        row.send(out_);
        write_postgres_complete(out_, "SHOW");
        return;
    }
    if (const auto fetch = parse_fetch(statement))
    {
        auto& running = *cursors_.at(fetch->first);
        const uint64_t before = running.sent_rows;
        send_rows(running, fetch->second);
        write_postgres_complete(out_, fmt::format("FETCH {}", running.sent_rows - before));
        return;
    }
    if (!portal.running)
    {
        if (const auto tag = run_ours(statement))
        {
            // Ending a transaction ends its portals, this one too.
            write_postgres_complete(out_, *tag);
            return;
        }
        if (run_copy(statement))
            return;
        portal.running = start(portal.text, settings_for(statement));
        if (!wait_for_header(*portal.running, portal.result_formats))
        {
            portal.done = true;
            write_postgres_complete(out_, tag_of(statement, written_rows(*portal.running)));
            return;
        }
    }
    if (send_rows(*portal.running, request.max_rows))
    {
        write_postgres_letter(out_, 's');
        return;
    }
    portal.done = true;
    write_postgres_complete(out_, tag_of(statement, portal.running->sent_rows));
    portal.running.reset();
}

void PostgresConnection::close(const PostgresMessage& message)
{
    const PostgresTarget target = parse_postgres_target(message.body);
    if (target.kind == 'S')
        prepared_.erase(target.name);
    else
        portals_.erase(target.name);
    write_postgres_letter(out_, '3');
}

} // namespace basalt
