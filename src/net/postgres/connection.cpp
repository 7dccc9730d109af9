#include "net/postgres/connection.h"

#include "base/error.h"
#include "net/base64.h"
#include "net/postgres/scram.h"
#include "net/postgres/postgres_settings.h"

#include <fmt/format.h>

namespace basalt
{

uint32_t PostgresCancels::add(uint32_t secret)
{
    std::lock_guard lock(mutex_);
    entries_[++last_id_].secret = secret;
    return last_id_;
}

void PostgresCancels::remove(uint32_t process_id)
{
    std::lock_guard lock(mutex_);
    entries_.erase(process_id);
}

void PostgresCancels::set_task(uint32_t process_id, QueryTask* task)
{
    std::lock_guard lock(mutex_);
    if (const auto it = entries_.find(process_id); it != entries_.end())
        it->second.task = task;
}

void PostgresCancels::cancel(uint32_t process_id, uint32_t secret)
{
    std::lock_guard lock(mutex_);
    const auto it = entries_.find(process_id);
    if (it != entries_.end() && it->second.secret == secret && it->second.task)
        it->second.task->cancel();
}

PostgresConnection::Running::~Running()
{
    if (cancels)
        cancels->set_task(process_id, nullptr);
}

PostgresConnection::PostgresConnection(Engine& engine, const PostgresServerOptions& options,
                                       Socket& socket, PostgresCancels& cancels,
                                       std::function<bool()> stopping)
    : engine_(engine), options_(options), socket_(socket), cancels_(cancels),
      stopping_(std::move(stopping)), in_(socket), out_(socket)
{
}

PostgresConnection::~PostgresConnection()
{
    portals_.clear();
    cursors_.clear();
    if (process_id_)
        cancels_.remove(process_id_);
}

void PostgresConnection::refuse(Socket& socket)
{
    try
    {
        std::string bytes;
        {
            StringOutputBuffer out(bytes);
            write_postgres_error(out,
                                 Error(error_codes::TOO_MANY_SIMULTANEOUS_QUERIES,
                                       "Too many connections"),
                                 "FATAL");
        }
        socket.write_all(bytes);
    }
    catch (const Error&)
    {
        // The client left by itself.
    }
}

void PostgresConnection::run()
{
    try
    {
        if (!handshake())
            return;
        while (!stopping_())
        {
            if (in_.available().empty() && !socket_.wait_readable(options_.idle_timeout_ms))
                return;
            const auto message = read_postgres_message(in_);
            if (!message || message->letter == 'X')
                return;
            serve_message(*message);
        }
    }
    catch (const Error& error)
    {
        try
        {
            write_postgres_error(out_, error, "FATAL");
            out_.flush();
        }
        catch (const Error&)
        {
            // The client left.
        }
    }
}

bool PostgresConnection::handshake()
{
    socket_.set_timeouts(options_.handshake_timeout_ms, options_.io_timeout_ms);
    if (in_.eof())
        return false;
    PostgresStartup startup = read_postgres_startup(in_);
    while (startup.kind == PostgresStartup::Kind::WantsTls ||
           startup.kind == PostgresStartup::Kind::WantsGss)
    {
        const bool tls = startup.kind == PostgresStartup::Kind::WantsTls && options_.tls &&
                         !socket_.is_tls();
        // What came before the answer was not protected, whoever sent it.
        if (!in_.available().empty())
            throw Error(error_codes::INCORRECT_DATA,
                        "Bytes behind a request for encryption, before its answer");
        out_.write(tls ? 'S' : 'N');
        out_.flush();
        if (tls)
            socket_.start_tls(*options_.tls);
        if (in_.eof())
            return false;
        startup = read_postgres_startup(in_);
    }
    if (startup.kind == PostgresStartup::Kind::Cancel)
    {
        cancels_.cancel(startup.process_id, startup.secret);
        return false;
    }
    if (options_.require_tls && !socket_.is_tls())
        throw Error(error_codes::AUTHENTICATION_FAILED, "This server wants TLS (sslmode=require)");
    const std::string user = startup.parameters["user"];
    authenticate(user);
    // libpq asks for a database named as the user when none is said.
    const std::string& asked = startup.parameters["database"];
    const bool is_asked =
        !asked.empty() && (asked != user || engine_.catalog().database_exists(asked));
    const std::string database = is_asked ? asked : session_.current_database;
    if (!engine_.catalog().database_exists(database))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", database));
    session_.current_database = database;
    application_ = startup.parameters["application_name"];

    PostgresWriter ok('R');
    ok.i32(0);
    ok.send(out_);
    postgres_settings_ = initial_postgres_settings(engine_.options().timezone);
    postgres_settings_["application_name"] = application_;
    for (const auto& [name, value] : reported_postgres_settings(postgres_settings_))
    {
        PostgresWriter status('S');
        status.text(name);
        status.text(value);
        status.send(out_);
    }
    const auto secret = static_cast<uint32_t>(system_random().next_u64());
    process_id_ = cancels_.add(secret);
    PostgresWriter key('K');
    key.i32(process_id_);
    key.i32(secret);
    key.send(out_);
    end_series();
    socket_.set_timeouts(options_.io_timeout_ms, options_.io_timeout_ms);
    return true;
}

std::string PostgresConnection::read_password()
{
    const auto message = read_postgres_message(in_, kMaxPostgresPasswordBytes);
    if (!message || message->letter != 'p')
        throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT, "A password was asked for");
    return message->body;
}

EffectiveAccessPtr PostgresConnection::authenticate_by_scram(const LoginAttempt& attempt)
{
    PostgresWriter methods('R');
    methods.i32(10);
    methods.text("SCRAM-SHA-256");
    methods.byte('\0');
    methods.send(out_);
    out_.flush();
    std::string nonce;
    for (int i = 0; i < 3; ++i)
        nonce += fmt::format("{:016x}", system_random().next_u64());
    ScramExchange exchange(parse_sasl_initial_response(read_password()), nonce);
    const auto challenge = engine_.authentication().begin_scram(attempt);
    PostgresWriter first('R');
    first.i32(11);
    first.bytes(exchange.server_first(challenge.salt, kScramIterations));
    first.send(out_);
    out_.flush();
    const std::string proof = exchange.take_client_final(read_password());
    const auto signature =
        check_scram_proof(challenge.salted_password, exchange.auth_message(), proof);
    EffectiveAccessPtr access =
        engine_.authentication().finish_scram(attempt, challenge.real && signature.has_value());
    PostgresWriter last('R');
    last.i32(12);
    last.bytes("v=" + encode_base64(*signature));
    last.send(out_);
    return access;
}

void PostgresConnection::authenticate(const std::string& user)
{
    LoginAttempt attempt;
    attempt.user = user;
    attempt.address = socket_.peer().host;
    attempt.certificate_names = socket_.peer_names();
    auto& authentication = engine_.authentication();
    const auto method = authentication.method_of(attempt);
    if (method == Authentication::Method::Scram)
    {
        log_in(session_, authenticate_by_scram(attempt));
        return;
    }
    if (method == Authentication::Method::Password)
    {
        PostgresWriter ask('R');
        ask.i32(3);
        ask.send(out_);
        out_.flush();
        attempt.password = read_password();
        attempt.password = attempt.password.substr(0, attempt.password.find('\0'));
    }
    log_in(session_, authentication.authenticate(attempt));
}

void PostgresConnection::end_series()
{
    PostgresWriter ready('Z');
    ready.byte(transaction_);
    ready.send(out_);
    out_.flush();
}

void PostgresConnection::fail(const Error& error)
{
    if (transaction_ == 'T')
        transaction_ = 'E';
    write_postgres_error(out_, error, "ERROR");
}

void PostgresConnection::serve_message(const PostgresMessage& message)
{
    if (skips_to_sync_ && message.letter != 'S')
        return;
    try
    {
        switch (message.letter)
        {
        case 'Q':
            simple_query(parse_postgres_text(message.body));
            return;
        case 'P':
            parse(message);
            return;
        case 'B':
            bind(message);
            return;
        case 'D':
            describe(message);
            return;
        case 'E':
            execute(message);
            return;
        case 'C':
            close(message);
            return;
        case 'H':
            out_.flush();
            return;
        case 'S':
            skips_to_sync_ = false;
            if (transaction_ == 'I')
                portals_.clear();
            end_series();
            return;
        case 'd':
        case 'c':
        case 'f':
            return; // of a COPY that failed
        default:
            throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT,
                        fmt::format("Unknown message '{}'", message.letter));
        }
    }
    catch (const Error& error)
    {
        if (error.code() == error_codes::NETWORK_ERROR ||
            error.code() == error_codes::UNEXPECTED_PACKET_FROM_CLIENT)
            throw;
        fail(error);
        if (message.letter == 'Q')
            end_series();
        else
            skips_to_sync_ = true;
    }
}

void PostgresConnection::simple_query(const std::string& text)
{
    const auto statements = split_postgres_text(text);
    if (statements.empty())
        write_postgres_letter(out_, 'I');
    for (const auto& statement : statements)
        run_simple(statement);
    portals_.erase("");
    end_series();
}

void PostgresConnection::run_simple(const PostgresStatement& statement)
{
    if (statement.parameter_count > 0)
        throw Error(error_codes::SYNTAX_ERROR, "There are no parameters in a simple query");
    if (const auto fetch = parse_fetch(statement))
    {
        auto& running = *cursors_.at(fetch->first);
        write_postgres_row_description(out_, running.columns);
        const uint64_t before = running.sent_rows;
        send_rows(running, fetch->second);
        write_postgres_complete(out_, fmt::format("FETCH {}", running.sent_rows - before));
        return;
    }
    if (const auto value = show_value(statement))
    {
        write_postgres_row_description(out_, {{fold_name(statement.words[1])}});
        PostgresWriter row('D');
        row.i16(1);
        row.value(*value);
        row.send(out_);
        write_postgres_complete(out_, "SHOW");
        return;
    }
    if (const auto tag = run_ours(statement))
    {
        write_postgres_complete(out_, *tag);
        return;
    }
    if (run_copy(statement))
        return;
    auto running = start(statement.text_without_parameters(), settings_for(statement));
    if (!wait_for_header(*running, {}))
    {
        write_postgres_complete(out_, tag_of(statement, written_rows(*running)));
        return;
    }
    write_postgres_row_description(out_, running->columns);
    send_rows(*running, 0);
    write_postgres_complete(out_, tag_of(statement, running->sent_rows));
}

} // namespace basalt
