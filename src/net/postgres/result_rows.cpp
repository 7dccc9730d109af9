// Running queries and their rows.

#include "net/postgres/connection.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

// How often a running query is looked after: a client that left, a server that stops.
constexpr int64_t kTickMs = 100;

} // namespace

PostgresConnection::QuerySettings
PostgresConnection::settings_for(const PostgresStatement& statement) const
{
    // A client that looks plain names up in pg_catalog alone, as postgres_fdw does, means
    // PostgreSQL's functions.
    const auto path = postgres_settings_.find("search_path");
    const bool semantics = path != postgres_settings_.end() && path->second == "pg_catalog";
    if (!semantics && !statement.reads_catalog)
        return {};
    QuerySettings settings = {{"join_use_nulls", "1"},
                              {"cast_keep_nullable", "1"},
                              {"prefer_column_name_to_alias", "1"},
                              {"union_default_mode", "DISTINCT"}};
    if (semantics && !statement.reads_catalog)
    {
        settings.emplace_back("basalt_postgres_semantics", "1");
        settings.emplace_back("output_format_decimal_trailing_zeros", "1");
    }
    return settings;
}

std::unique_ptr<PostgresConnection::Running> PostgresConnection::start(
    std::string text, const std::vector<std::pair<std::string, std::string>>& settings,
    InputBuffer* more)
{
    QueryRequest request;
    request.text = std::move(text);
    request.more = more;
    for (const auto& [name, value] : settings)
        request.settings.set(name, value);
    request.client.interface = ClientInfo::Interface::PostgreSql;
    request.client.address = socket_.peer().host;
    request.client.port = socket_.peer().port;
    request.client.client_name = application_;
    auto running = std::make_unique<Running>();
    running->cancels = &cancels_;
    running->process_id = process_id_;
    running->task = std::make_unique<QueryTask>(engine_, session_, std::move(request));
    running->task->ready();
    cancels_.set_task(process_id_, running->task.get());
    return running;
}

QueryEvent PostgresConnection::next_event(Running& running)
{
    for (;;)
    {
        if (auto event = running.task->wait(kTickMs))
        {
            if (event->kind == QueryEvent::Kind::Failed)
            {
                running.over = true;
                throw Error(*event->error);
            }
            if (event->kind == QueryEvent::Kind::InsertHeader)
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "INSERT needs its rows in the statement, or use COPY");
            return std::move(*event);
        }
        if (stopping_())
            running.task->cancel();
        if (socket_.peer_hung_up())
            throw Error(error_codes::NETWORK_ERROR, "The client left while its query ran");
    }
}

bool PostgresConnection::wait_for_header(Running& running, const std::vector<int16_t>& formats)
{
    const QueryEvent event = next_event(running);
    if (event.kind == QueryEvent::Kind::Finished)
    {
        running.over = true;
        return false;
    }
    running.header = event.block.header();
    const auto context = running.task->context();
    running.options = std::make_unique<FormatOptions>(
        FormatOptions::from(context->settings, context->timezone()));
    for (size_t i = 0; i < running.header.size(); ++i)
    {
        const auto& column = running.header[i];
        running.columns.push_back(postgres_column_of(column.name, column.type));
        const int16_t format = formats.empty()       ? int16_t{0}
                               : formats.size() == 1 ? formats[0]
                               : i < formats.size()  ? formats[i]
                                                     : int16_t{0};
        running.columns.back().format = format;
        running.values.emplace_back(column.type, format, running.options->text);
    }
    return true;
}

void PostgresConnection::wait_for_end(Running& running)
{
    while (!running.over)
        running.over = next_event(running).kind == QueryEvent::Kind::Finished;
}

bool PostgresConnection::next_block(Running& running)
{
    for (;;)
    {
        if (running.over)
            return false;
        QueryEvent event = next_event(running);
        if (event.kind == QueryEvent::Kind::Finished)
        {
            running.over = true;
            return false;
        }
        if (event.kind != QueryEvent::Kind::Rows)
            continue; // totals and extremes have no place here
        running.block = std::move(event.block);
        running.row = 0;
        for (size_t i = 0; i < running.values.size(); ++i)
            running.values[i].set(running.block[i].column);
        return true;
    }
}

bool PostgresConnection::send_rows(Running& running, uint64_t max_rows)
{
    for (uint64_t sent = 0; max_rows == 0 || sent < max_rows; ++sent)
    {
        if (running.row >= running.block.rows() && !next_block(running))
            return false;
        PostgresWriter row('D');
        row.i16(static_cast<int64_t>(running.values.size()));
        for (const auto& values : running.values)
            row.value(values.at(running.row));
        row.send(out_);
        ++running.row;
        ++running.sent_rows;
    }
    return true;
}

uint64_t PostgresConnection::written_rows(const Running& running) const
{
    const auto context = running.task->context();
    return context ? context->written_rows.load() : 0;
}

std::string PostgresConnection::tag_of(const PostgresStatement& statement, uint64_t rows)
{
    const std::string word = statement.words.empty() ? "" : statement.words[0];
    if (word == "INSERT")
        return fmt::format("INSERT 0 {}", rows);
    if (word == "UPDATE" || word == "DELETE")
        return fmt::format("{} {}", word, rows);
    if (word == "CREATE" || word == "DROP" || word == "ALTER")
        return statement.words.size() > 1 ? word + " " + statement.words[1] : word;
    if (statement.returns_rows())
        return fmt::format("SELECT {}", rows);
    return word;
}

} // namespace basalt
