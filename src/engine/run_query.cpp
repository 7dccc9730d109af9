#include "engine/run_query.h"

#include "base/error.h"
#include "binder/binder.h"
#include "columns/timezone.h"
#include "engine/access_check.h"
#include "engine/insert.h"
#include "engine/statement.h"
#include "io/host_name.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

const char* verb_of(AccessVerb verb)
{
    return verb == AccessVerb::Alter ? "Alter" : "Create";
}

std::string kind_of(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::Query:
        return kind_of(*static_cast<const AstQuery&>(ast).statement);
    case AstKind::SelectUnion:
    case AstKind::Select:
        return "Select";
    case AstKind::Insert:
        return "Insert";
    case AstKind::CreateTable:
    case AstKind::CreateDatabase:
    case AstKind::CreateFunction:
    case AstKind::CreateDictionary:
        return "Create";
    case AstKind::Drop:
    case AstKind::DropAccess:
        return "Drop";
    case AstKind::CreateUser:
        return verb_of(static_cast<const AstCreateUser&>(ast).verb);
    case AstKind::CreateRole:
        return verb_of(static_cast<const AstCreateRole&>(ast).verb);
    case AstKind::CreateSettingsProfile:
        return verb_of(static_cast<const AstCreateSettingsProfile&>(ast).verb);
    case AstKind::Grant:
        return static_cast<const AstGrant&>(ast).revoke ? "Revoke" : "Grant";
    case AstKind::SetRole:
        return "Set";
    case AstKind::Alter:
        return "Alter";
    case AstKind::Rename:
        return "Rename";
    case AstKind::Show:
    case AstKind::Exists:
        return "Show";
    case AstKind::Describe:
        return "Describe";
    case AstKind::Explain:
        return "Explain";
    case AstKind::SetQuery:
        return "Set";
    case AstKind::Use:
        return "Use";
    case AstKind::System:
        return "System";
    case AstKind::Optimize:
        return "Optimize";
    case AstKind::Kill:
        return "KillQuery";
    case AstKind::Backup:
        return static_cast<const AstBackup&>(ast).restore ? "Restore" : "Backup";
    case AstKind::Delete:
        return "Delete";
    case AstKind::Update:
        return "Update";
    default:
        return std::string(ast_kind_name(ast.kind));
    }
}

bool only_reads(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::Query:
        return only_reads(*static_cast<const AstQuery&>(ast).statement);
    case AstKind::SelectUnion:
    case AstKind::Select:
    case AstKind::Show:
    case AstKind::Exists:
    case AstKind::Describe:
    case AstKind::Explain:
    case AstKind::Use:
    case AstKind::SetQuery:
    case AstKind::SetRole:
        return true;
    default:
        return false;
    }
}

// What stands behind the head of an INSERT in the text, then the rest of the request.
class DataBuffer : public InputBuffer
{
public:
    DataBuffer(std::string head, InputBuffer* rest) : head_(std::move(head)), rest_(rest) {}

protected:
    size_t read_some(char* to, size_t size) override
    {
        if (at_ < head_.size())
        {
            const size_t count = std::min(size, head_.size() - at_);
            std::memcpy(to, head_.data() + at_, count);
            at_ += count;
            return count;
        }
        return rest_ ? rest_->read(to, size) : 0;
    }

private:
    std::string head_;
    size_t at_ = 0;
    InputBuffer* rest_;
};

class BlocksResult : public ResultStream
{
public:
    BlocksResult(Header header, std::vector<Block> blocks)
        : header_(std::move(header)), blocks_(std::move(blocks))
    {
    }
    const Header& header() const override { return header_; }
    Block next() override
    {
        while (at_ < blocks_.size())
        {
            Block block = std::move(blocks_[at_++]);
            if (block.rows() > 0)
                return block;
        }
        return {};
    }

private:
    Header header_;
    std::vector<Block> blocks_;
    size_t at_ = 0;
};

void append_more(QueryRequest& request, size_t max_bytes)
{
    if (!request.more)
        return;
    while (request.text.size() < max_bytes && !request.more->eof())
    {
        const auto piece = request.more->available();
        const size_t take = std::min(piece.size(), max_bytes - request.text.size());
        request.text.append(piece.data(), take);
        request.more->consume(take);
    }
}

} // namespace

ResultPtr result_of_blocks(Header header, std::vector<Block> blocks)
{
    return std::make_unique<BlocksResult>(std::move(header), std::move(blocks));
}

namespace
{

// What is logged of a text that cannot be parsed: nothing behind a word that comes before passwords.
std::string without_secret(const std::string& text)
{
    static constexpr std::string_view kWord = "IDENTIFIED";
    const auto at = std::search(text.begin(), text.end(), kWord.begin(), kWord.end(),
                                [](char a, char b) { return (a & ~0x20) == b; });
    if (at == text.end())
        return text;
    return std::string(text.begin(), at + static_cast<std::ptrdiff_t>(kWord.size())) + " [HIDDEN]";
}

} // namespace

class QueryStarter
{
public:
    QueryStarter(Engine& engine, Session& session, QueryRequest& request)
        : engine_(engine), session_(session), request_(request), query_(new RunningQuery)
    {
    }

    std::unique_ptr<RunningQuery> start()
    {
        prepare_context();
        try
        {
            run();
        }
        catch (Error& error)
        {
            // What fails while it is analysed or prepared has not started, for the log.
            const auto& context = *query_->context_;
            if (started_ && !start_logged_ && context.read_rows + context.written_rows > 0)
                log_start();
            query_->log(start_logged_ ? QueryLogEntry::Type::ExceptionWhileProcessing
                                      : QueryLogEntry::Type::ExceptionBeforeStart,
                        &error);
            query_->ended_ = true;
            throw;
        }
        catch (const std::bad_alloc&)
        {
            const Error error(error_codes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate memory");
            query_->log(QueryLogEntry::Type::ExceptionWhileProcessing, &error);
            query_->ended_ = true;
            throw error;
        }
        return std::move(query_);
    }

private:
    void prepare_context()
    {
        refresh_access(engine_, session_);
        auto context = std::make_shared<QueryContext>(&engine_.memory());
        context->clock = engine_.options().clock;
        context->user = session_.user;
        context->permissions = session_.access;
        context->current_database =
            request_.database.empty() ? session_.current_database : request_.database;
        context->server_timezone = engine_.options().timezone;
        context->query_id = request_.query_id.empty() ? random_uuid(*context->random)
                                                      : request_.query_id;
        context->settings.apply(engine_.options().default_settings);
        if (session_.access)
            context->settings.apply(session_.access->default_settings());
        context->settings.apply(session_.settings);
        context->host_name = host_name();
        context->server_uptime_s =
            static_cast<uint64_t>(context->clock->unix_s() - engine_.start_unix_s());
        query_->engine_ = &engine_;
        query_->context_ = context;
        query_->client_ = request_.client;
        query_->client_.user = session_.user;
        query_->format_ = request_.default_format;
    }

    void run()
    {
        auto& context = query_->context_;
        if (const auto check = setting_check(session_, context->settings))
            for (const auto& [name, value] : request_.settings.changes())
                check(name, value);
        context->settings.apply(request_.settings);
        const size_t max_query_bytes = context->settings.get_uint("max_query_size");
        append_more(request_, std::max<size_t>(max_query_bytes, 1) + request_.text.size());
        query_->text_ = request_.text.substr(0, context->settings.get_uint(
                                                    "log_queries_cut_to_length"));
        const std::string logged = std::exchange(query_->text_, without_secret(query_->text_));
        ParserLimits limits;
        limits.max_depth = static_cast<uint32_t>(context->settings.get_uint("max_parser_depth"));
        limits.max_height = static_cast<uint32_t>(context->settings.get_uint("max_ast_depth"));
        limits.max_backtracks = context->settings.get_uint("max_parser_backtracks");
        limits.postgres = request_.client.interface == ClientInfo::Interface::PostgreSql;
        limits.postgres_semantics = context->settings.get_bool("basalt_postgres_semantics");
        AstPtr ast = parse_query(request_.text, limits);
        query_->text_ = logged;
        query_->kind_ = kind_of(*ast);
        leave_rows_out(*ast);
        check_text_size(*ast, max_query_bytes);
        hide_secrets(*ast);

        substitute_parameters(ast, parameters(), *context);
        for (const auto* set : settings_of(*ast))
            apply_settings(*set, context->settings, nullptr,
                           setting_check(session_, context->settings));
        if (context->settings.changed("session_timezone"))
            timezone(context->timezone()); // throws for one that is not known
        if ((request_.readonly || context->settings.get_uint("readonly") > 0) &&
            !only_reads(*ast))
            throw Error(error_codes::READONLY,
                        "Cannot execute query in readonly mode. For queries over HTTP, method GET "
                        "implies readonly. You should use method POST for modifying queries");
        context->start();
        list_and_log_start();

        if (const auto* output = ast->as<AstQuery>())
        {
            if (!output->format.empty())
                query_->format_ = output->format;
            // Clients of the native protocol write the file themselves.
            if (output->outfile && request_.client.interface != ClientInfo::Interface::Tcp)
                throw Error(error_codes::INTO_OUTFILE_NOT_ALLOWED,
                            "INTO OUTFILE is not allowed: the server writes no files for clients");
        }
        const AstPtr statement_ast =
            ast->as<AstQuery>() ? ast->as<AstQuery>()->statement : ast;
        // What changes tables must not overtake rows that were taken before.
        if (query_->kind_ != "Insert" && !only_reads(*ast))
            engine_.async_inserts().flush();

        std::unique_ptr<DataBuffer> data;
        if (const auto* insert = statement_ast->as<AstInsert>())
        {
            std::string head;
            if (insert->has_inline_data && insert->data_offset < request_.text.size())
                head = request_.text.substr(insert->data_offset);
            data = std::make_unique<DataBuffer>(std::move(head), request_.more);
        }
        if (request_.before_run && !takes_blocks(*statement_ast))
            request_.before_run();
        StatementContext statement{engine_, session_, context, request_, data.get()};
        query_->max_result_rows_ = context->settings.get_uint("max_result_rows");
        query_->max_result_bytes_ = context->settings.get_uint("max_result_bytes");
        query_->break_on_overflow_ = context->settings.get("result_overflow_mode") == "break";
        statement.objects = &query_->objects_;
        query_->result_ = run_statement(statement_ast, statement);
        if (!start_logged_)
            log_start();
    }

    // Passwords must not get into the process list and the query log.
    void hide_secrets(const Ast& ast)
    {
        const std::string& text = query_->text_;
        if (query_->kind_ != "Create" && query_->kind_ != "Alter" &&
            text.find("postgresql(") == std::string::npos)
            return;
        std::string masked = format_query_masked(ast);
        if (masked != format_query(ast))
            query_->text_ = std::move(masked);
    }

    // The rows of an INSERT are no part of its text, for the log and the list of processes.
    void leave_rows_out(const Ast& ast)
    {
        const auto* output = ast.as<AstQuery>();
        const auto* insert = (output ? *output->statement : ast).as<AstInsert>();
        if (!insert || !insert->has_inline_data || insert->data_offset >= query_->text_.size())
            return;
        query_->text_.resize(insert->data_offset);
        query_->text_.erase(query_->text_.find_last_not_of(" \t\r\n") + 1);
        query_->text_.shrink_to_fit();
    }

    void log_start()
    {
        start_logged_ = true;
        query_->log(QueryLogEntry::Type::QueryStart, nullptr);
    }

    bool takes_blocks(const Ast& statement) const
    {
        const auto* insert = statement.as<AstInsert>();
        return insert && request_.insert_blocks && takes_blocks_of(*insert, request_.text);
    }

    // An INSERT may be followed by any amount of data; another statement must have been read whole.
    void check_text_size(const Ast& ast, size_t max_query_bytes)
    {
        const Ast* statement = &ast;
        if (const auto* output = ast.as<AstQuery>())
            statement = output->statement.get();
        if (const auto* insert = statement->as<AstInsert>(); insert && !insert->select)
            return;
        const bool more = request_.more && !request_.more->eof();
        if (more || (max_query_bytes && request_.text.size() > max_query_bytes))
            throw Error(error_codes::SYNTAX_ERROR,
                        fmt::format("Max query size exceeded (can be increased with the "
                                    "`max_query_size` setting): {} bytes",
                                    max_query_bytes));
    }

    std::map<std::string, std::string> parameters() const
    {
        auto all = session_.parameters;
        for (const auto& [name, value] : request_.parameters)
            all[name] = value;
        return all;
    }

    void list_and_log_start()
    {
        ProcessEntry entry;
        entry.context = query_->context_;
        entry.client = query_->client_;
        entry.query = query_->text_;
        entry.kind = query_->kind_;
        entry.start_unix_us = query_->context_->start_unix_us;
        query_->slot_ =
            engine_.processes().add(std::move(entry), engine_.options().max_concurrent_queries);
        started_ = true;
        if (request_.on_start)
            request_.on_start(query_->context_);
        auto& counters = query_->context_->counters;
        counters.add(ProfileEvent::Query);
        if (query_->kind_ == "Select")
            counters.add(ProfileEvent::SelectQuery);
        if (query_->kind_ == "Insert")
            counters.add(ProfileEvent::InsertQuery);
        // An INSERT runs to its end before there is anything to return.
        if (query_->kind_ == "Insert")
            log_start();
    }

    Engine& engine_;
    Session& session_;
    QueryRequest& request_;
    std::unique_ptr<RunningQuery> query_;
    bool started_ = false;
    bool start_logged_ = false;
};

std::unique_ptr<RunningQuery> start_query(Engine& engine, Session& session, QueryRequest request)
{
    auto owned = std::make_unique<QueryRequest>(std::move(request));
    return QueryStarter(engine, session, *owned).start();
}

RunningQuery::~RunningQuery()
{
    if (ended_ || !context_)
        return;
    context_->cancel();
    fail(Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled: its client left"));
}

Block RunningQuery::next()
{
    if (stopped_early_)
        return {};
    Block block = result_->next();
    const uint64_t rows = context_->result_rows.fetch_add(block.rows()) + block.rows();
    const uint64_t bytes = context_->result_bytes.fetch_add(block.byte_size()) + block.byte_size();
    // Breaking off is for a limit that is reached, an error for one that is passed.
    if (max_result_rows_ && rows + break_on_overflow_ > max_result_rows_)
    {
        if (!break_on_overflow_)
            throw Error(error_codes::TOO_MANY_ROWS_OR_BYTES,
                        fmt::format("Limit for result exceeded, max rows: {}, current rows: {}",
                                    max_result_rows_, rows));
        stopped_early_ = true;
    }
    if (max_result_bytes_ && bytes + break_on_overflow_ > max_result_bytes_)
    {
        if (!break_on_overflow_)
            throw Error(error_codes::TOO_MANY_ROWS_OR_BYTES,
                        fmt::format("Limit for result exceeded, max bytes: {}, current bytes: {}",
                                    max_result_bytes_, bytes));
        stopped_early_ = true;
    }
    return block;
}

double RunningQuery::elapsed_s() const
{
    return static_cast<double>(context_->clock->monotonic_ns() - context_->start_monotonic_ns) /
           1e9;
}

ResultStatistics RunningQuery::statistics() const
{
    ResultStatistics statistics;
    statistics.elapsed_s = elapsed_s();
    statistics.rows_read = context_->read_rows;
    statistics.bytes_read = context_->read_bytes;
    statistics.rows_before_limit = rows_before_limit();
    return statistics;
}

void RunningQuery::finish()
{
    if (ended_)
        return;
    ended_ = true;
    result_.reset();
    log(QueryLogEntry::Type::QueryFinish, nullptr);
    slot_.release();
}

void RunningQuery::fail(const Error& error)
{
    if (ended_)
        return;
    ended_ = true;
    context_->cancel();
    result_.reset();
    log(QueryLogEntry::Type::ExceptionWhileProcessing, &error);
    slot_.release();
}

void RunningQuery::log(QueryLogEntry::Type type, const Error* error)
{
    const auto& c = *context_;
    if (error)
    {
        engine_->error_counts().add(error->code(), error->message(), c.clock->unix_s());
        c.counters.add(ProfileEvent::FailedQuery);
    }
    if (!c.settings.get_bool("log_queries"))
        return;
    QueryLogEntry entry;
    entry.type = type;
    entry.event_unix_us = c.clock->unix_us();
    entry.start_unix_us = c.start_unix_us;
    if (type == QueryLogEntry::Type::QueryStart)
        entry.event_unix_us = c.start_unix_us;
    else
        entry.duration_ms =
            static_cast<uint64_t>(c.clock->monotonic_ns() - c.start_monotonic_ns) / 1000000;
    entry.read_rows = c.read_rows;
    entry.read_bytes = c.read_bytes;
    entry.written_rows = c.written_rows;
    entry.written_bytes = c.written_bytes;
    entry.result_rows = kind_ == "Insert" ? c.written_rows.load() : c.result_rows.load();
    entry.result_bytes = c.result_bytes;
    entry.memory_usage = static_cast<uint64_t>(std::max<int64_t>(0, c.memory.peak_bytes()));
    entry.current_database = c.current_database;
    entry.query = text_;
    entry.query_kind = kind_;
    if (type != QueryLogEntry::Type::ExceptionBeforeStart)
    {
        entry.databases = objects_.databases;
        entry.tables = objects_.tables;
        entry.columns = objects_.columns;
    }
    if (error)
    {
        entry.exception_code = error->code();
        entry.exception = error->full_text();
    }
    entry.query_id = c.query_id;
    entry.client = client_;
    entry.log_comment = c.settings.get("log_comment");
    if (type != QueryLogEntry::Type::QueryStart)
        for (size_t i = 0; i < kProfileEventCount; ++i)
            if (const uint64_t n = c.counters.get(static_cast<ProfileEvent>(i)))
                entry.profile_events.emplace_back(
                    profile_event_name(static_cast<ProfileEvent>(i)), n);
    for (const auto& [name, value] : c.settings.changes())
        entry.settings.emplace_back(name, value);
    engine_->query_log().add(std::move(entry));
}

void write_result(RunningQuery& query, const FormatEntry& entry, OutputBuffer& out,
                  bool is_terminal)
{
    std::unique_ptr<OutputFormat> format;
    try
    {
        FormatOptions options =
            FormatOptions::from(query.context()->settings, query.context()->timezone());
        options.is_terminal = is_terminal;
        format = entry.output(out, options);
        format->begin(query.header());
        for (;;)
        {
            Block block = query.next();
            if (block.rows() == 0)
                break;
            format->write(block);
        }
        if (auto totals = query.totals())
            format->totals(*totals);
        if (auto extremes = query.extremes())
            format->extremes(*extremes);
        format->finish(query.statistics());
        query.finish();
    }
    catch (const Error& error)
    {
        query.fail(error);
        if (format && query.context()->settings.get_bool("http_write_exception_in_output_format"))
            format->fail(error.full_text());
        throw;
    }
}

void run_query_to(Engine& engine, Session& session, QueryRequest request, OutputBuffer& out)
{
    auto query = start_query(engine, session, std::move(request));
    if (!query->has_result())
    {
        query->finish();
        return;
    }
    write_result(*query, formats().get_output(query->format()), out);
}

} // namespace basalt
