#include "net/http/query_handler.h"

#include "base/error.h"
#include "engine/external_table.h"
#include "formats/compression.h"
#include "formats/format.h"
#include "net/base64.h"
#include "net/http/exception_block.h"
#include "net/http/form.h"
#include "net/http/multipart.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// URL parameters that are not settings.
const std::set<std::string, std::less<>>& reserved_parameters()
{
    static const std::set<std::string, std::less<>> names = {
        "query",       "database",        "default_format", "session_id",  "session_timeout",
        "session_check", "query_id",      "user",           "password",    "compress",
        "decompress",  "wait_end_of_query", "buffer_size",  "quota_key",   "stacktrace",
        "role",        "close_session",   "client_protocol_version",       "roles"};
    return names;
}

bool is_on(const std::string* value)
{
    return value && (*value == "1" || *value == "true");
}

// Bytes of the body before which no head is sent: the parameter or the setting, whichever is more.
uint64_t hold_bytes(const HttpRequest& request, const Settings& settings)
{
    const auto* wait = request.parameter("wait_end_of_query");
    if (wait ? is_on(wait) : settings.get_bool("http_wait_end_of_query"))
        return UINT64_MAX;
    uint64_t bytes = settings.get_uint("http_response_buffer_size");
    if (const auto* text = request.parameter("buffer_size"))
    {
        uint64_t given = 0;
        const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), given);
        if (ec != std::errc() || end != text->data() + text->size())
            throw Error(error_codes::CANNOT_PARSE_NUMBER,
                        fmt::format("Cannot parse buffer_size: '{}'", *text));
        bytes = std::max(bytes, given);
    }
    return bytes;
}

constexpr std::string_view kExposedHeaders =
    "X-ClickHouse-Query-Id,X-ClickHouse-Summary,X-ClickHouse-Server-Display-Name,"
    "X-ClickHouse-Format,X-ClickHouse-Timezone,X-ClickHouse-Exception-Code,"
    "X-ClickHouse-Exception-Tag";

} // namespace

std::string summary_of(const QueryContext& c)
{
    const auto elapsed = c.clock->monotonic_ns() - c.start_monotonic_ns;
    return fmt::format("{{\"read_rows\":\"{}\",\"read_bytes\":\"{}\",\"written_rows\":\"{}\","
                       "\"written_bytes\":\"{}\",\"total_rows_to_read\":\"{}\",\"result_rows\":"
                       "\"{}\",\"result_bytes\":\"{}\",\"elapsed_ns\":\"{}\",\"memory_usage\":"
                       "\"{}\"}}",
                       c.read_rows.load(), c.read_bytes.load(), c.written_rows.load(),
                       c.written_bytes.load(), c.total_rows_to_read.load(), c.result_rows.load(),
                       c.result_bytes.load(), elapsed,
                       std::max<int64_t>(0, c.memory.peak_bytes()));
}

HttpQueryHandler::HttpQueryHandler(Engine& engine, std::string display_name)
    : engine_(engine), display_name_(std::move(display_name))
{
}

EffectiveAccessPtr HttpQueryHandler::authenticate(const HttpRequest& request,
                                                 const SocketAddress& peer) const
{
    LoginAttempt attempt;
    attempt.address = peer.host;
    attempt.certificate_names = request.certificate_names;
    const auto* name = request.header("x-clickhouse-user");
    const auto* key = request.header("x-clickhouse-key");
    const auto* basic = request.header("authorization");
    const auto* user = request.parameter("user");
    const auto* password = request.parameter("password");
    if ((name || key) + (basic != nullptr) + (user || password) > 1)
        throw Error(error_codes::AUTHENTICATION_FAILED,
                    "Invalid authentication: it is not allowed to use two of X-ClickHouse HTTP "
                    "headers, Authorization HTTP header and parameters of the URL at once");
    if (basic)
    {
        if (!basic->starts_with("Basic "))
            throw Error(error_codes::AUTHENTICATION_FAILED,
                        "Only Basic authorization is supported");
        const auto decoded = decode_base64(std::string_view(*basic).substr(6));
        if (!decoded)
            throw Error(error_codes::AUTHENTICATION_FAILED, "Broken Basic authorization header");
        const size_t colon = std::min(decoded->find(':'), decoded->size());
        attempt.user = decoded->substr(0, colon);
        attempt.password = decoded->substr(std::min(colon + 1, decoded->size()));
    }
    else
    {
        if (const auto* given = name ? name : user)
            attempt.user = *given;
        if (const auto* given = key ? key : password)
            attempt.password = *given;
    }
    return engine_.authentication().authenticate(attempt);
}

SessionPtr HttpQueryHandler::find_session(const HttpRequest& request,
                                          const EffectiveAccessPtr& access)
{
    const auto* id = request.parameter("session_id");
    if (!id || id->empty())
    {
        auto session = std::make_shared<Session>();
        log_in(*session, access);
        return session;
    }
    int64_t timeout_s = 60;
    if (const auto* text = request.parameter("session_timeout"))
    {
        const auto [end, ec] =
            std::from_chars(text->data(), text->data() + text->size(), timeout_s);
        if (ec != std::errc() || end != text->data() + text->size() || timeout_s < 0)
            throw Error(error_codes::INVALID_SESSION_TIMEOUT,
                        fmt::format("Invalid session timeout: '{}'", *text));
        if (timeout_s > 3600)
            throw Error(error_codes::INVALID_SESSION_TIMEOUT,
                        fmt::format("Session timeout '{}' is larger than max_session_timeout: "
                                    "3600. Maximum session timeout could be modified in "
                                    "configuration file.",
                                    *text));
    }
    const int64_t now = system_clock().unix_s();
    std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [&](const auto& item)
                  { return item.second.last_use_s + item.second.timeout_s < now &&
                           item.second.session.use_count() == 1; });
    const std::string key = access->user().name + '\0' + *id;
    auto it = sessions_.find(key);
    if (it == sessions_.end())
    {
        if (is_on(request.parameter("session_check")))
            throw Error(error_codes::SESSION_NOT_FOUND,
                        fmt::format("Session {} not found", *id));
        if (sessions_.size() >= kMaxHttpSessions)
        {
            auto oldest = std::min_element(sessions_.begin(), sessions_.end(),
                                           [](const auto& a, const auto& b)
                                           { return a.second.last_use_s < b.second.last_use_s; });
            sessions_.erase(oldest);
        }
        it = sessions_.emplace(key, NamedSession{std::make_shared<Session>(), timeout_s, now})
                 .first;
        log_in(*it->second.session, access);
    }
    it->second.timeout_s = timeout_s;
    it->second.last_use_s = now;
    return it->second.session;
}

void HttpQueryHandler::handle(const HttpRequest& request, InputBuffer& body,
                              const SocketAddress& peer, HttpResponse& response,
                              const StartHandler& on_start)
{
    // Errors before there is a query must be readable, too.
    if (request.header("origin") &&
        (is_on(request.parameter("add_http_cors_header")) ||
         engine_.options().default_settings.get_bool("add_http_cors_header")))
        allow_other_origins(response);
    const std::string tag = random_exception_tag(system_random());
    response.set_header("X-ClickHouse-Exception-Tag", tag);
    try
    {
        run(request, body, peer, response, tag, on_start);
    }
    catch (const Error& error)
    {
        answer_error(response, error);
    }
    catch (const std::bad_alloc&)
    {
        answer_error(response,
                     Error(error_codes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate memory"));
    }
}

void HttpQueryHandler::allow_other_origins(HttpResponse& response)
{
    response.set_header("Access-Control-Allow-Origin", "*");
    response.set_header("Access-Control-Expose-Headers", std::string(kExposedHeaders));
}

void HttpQueryHandler::answer_error(HttpResponse& response, const Error& error)
{
    if (response.head_sent())
    {
        response.break_off();
        return;
    }
    response.discard();
    // The text is not packed as the result would have been.
    response.remove_header("Content-Encoding");
    response.set_status(http_status_of_error(error.code()));
    response.set_header("Content-Type", "text/plain; charset=UTF-8");
    response.set_header("X-ClickHouse-Exception-Code", fmt::format("{}", error.code()));
    response.write(error.full_text() + "\n");
    response.finish();
}

namespace
{

// The layers between a format and the socket, each maybe absent; the last one is written to.
struct ResultSink
{
    std::unique_ptr<OutputBuffer> encoded, framed;
    OutputBuffer* last = nullptr;

    void finish()
    {
        if (framed)
            framed->finish();
        if (encoded)
            encoded->finish();
    }
};

ResultSink make_sink(const HttpRequest& request, const QueryContext& context, HttpResponse& response)
{
    ResultSink sink;
    sink.last = &response;
    if (const auto* accept = request.header("accept-encoding");
        accept && context.settings.get_bool("enable_http_compression"))
    {
        const std::string encoding = choose_encoding(*accept);
        if (!encoding.empty())
        {
            response.set_header("Content-Encoding", encoding);
            sink.encoded = compressing_buffer(
                encoding, *sink.last,
                static_cast<int>(context.settings.get_int("http_zlib_compression_level")));
            sink.last = sink.encoded.get();
        }
    }
    if (is_on(request.parameter("compress")))
    {
        sink.framed = frame_compressing_buffer(*sink.last);
        sink.last = sink.framed.get();
    }
    return sink;
}

} // namespace

void HttpQueryHandler::run(HttpRequest request, InputBuffer& body, const SocketAddress& peer,
                           HttpResponse& response, const std::string& tag,
                           const StartHandler& on_start)
{
    if (!display_name_.empty())
        response.set_header("X-ClickHouse-Server-Display-Name", display_name_);
    if (request.method != "GET" && request.method != "POST" && request.method != "HEAD" &&
        request.method != "PUT")
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("HTTP method {} is not supported", request.method));
    if (request.method == "POST" && !request.has_length)
        throw Error(error_codes::HTTP_LENGTH_REQUIRED,
                    "The Transfer-Encoding is not 'chunked' and there is no 'Content-Length' "
                    "header for POST request");
    const SessionPtr session = find_session(request, authenticate(request, peer));
    std::unique_lock busy(session->busy, std::try_to_lock);
    if (!busy.owns_lock())
        throw Error(error_codes::SESSION_IS_LOCKED, "Session is locked by a concurrent client");
    std::set<std::string> roles;
    for (const auto& [name, value] : request.parameters)
        if (name == "role")
            roles.insert(value);
    if (!roles.empty())
        set_roles(engine_.access(), *session, std::move(roles));

    std::unique_ptr<InputBuffer> decoded, unframed;
    InputBuffer* source = &body;
    if (const auto* encoding = request.header("content-encoding");
        encoding && !encoding->empty() && *encoding != "identity")
    {
        decoded = decompressing_buffer(*encoding, *source);
        source = decoded.get();
    }
    if (is_on(request.parameter("decompress")))
    {
        unframed = frame_decompressing_buffer(*source);
        source = unframed.get();
    }
    std::vector<std::unique_ptr<ExternalTable>> external;
    const auto* content_type = request.header("content-type");
    const bool is_form = content_type && multipart_boundary(*content_type).has_value();
    if (is_form)
        external = take_form(request, *source, *session, engine_.options().timezone);

    QueryRequest query;
    query.client.interface = ClientInfo::Interface::Http;
    query.client.http_method = request.method == "POST" ? ClientInfo::HttpMethod::Post
                                                        : ClientInfo::HttpMethod::Get;
    query.client.address = peer.host;
    query.client.port = peer.port;
    if (const auto* agent = request.header("user-agent"))
        query.client.http_user_agent = *agent;
    query.readonly = request.method == "GET" || request.method == "HEAD";
    if (const auto* text = request.parameter("query"))
        query.text = *text;
    if (const auto* id = request.parameter("query_id"))
        query.query_id = *id;
    else if (const auto* id_header = request.header("x-clickhouse-query-id"))
        query.query_id = *id_header;
    if (const auto* database = request.header("x-clickhouse-database"))
        query.database = *database;
    if (const auto* database = request.parameter("database"))
        query.database = *database;
    if (const auto* format = request.header("x-clickhouse-format"))
        query.default_format = *format;
    if (const auto* format = request.parameter("default_format"))
        query.default_format = *format;
    if (!query.database.empty() && !engine_.catalog().database_exists(query.database))
        throw Error(error_codes::UNKNOWN_DATABASE,
                    fmt::format("Database {} does not exist", query.database));
    for (const auto& [name, value] : request.parameters)
    {
        if (name.starts_with("param_"))
            query.parameters[name.substr(6)] = value;
        else if (!reserved_parameters().contains(name) && !describes_external(name, external))
            query.settings.set(name, value);
    }

    if (request.has_body && !is_form)
    {
        if (!query.text.empty())
            query.text += "\n";
        query.more = source;
    }

    const auto* origin = request.header("origin");
    query.on_start = [&](const QueryContextPtr& context)
    {
        if (origin && !origin->empty() && context->settings.get_bool("add_http_cors_header"))
            allow_other_origins(response);
        response.hold(hold_bytes(request, context->settings), engine_.options().path);
        response.set_header("X-ClickHouse-Query-Id", context->query_id);
        response.set_header("X-ClickHouse-Timezone", context->timezone());
        on_start(context);
    };
    auto running = start_query(engine_, *session, std::move(query));
    const QueryContextPtr context = running->context();
    // Whoever has read the whole answer may use the session again at once.
    const auto free_session = [&]
    {
        running.reset();
        external.clear();
        busy.unlock();
    };
    response.before_head([context](HttpResponse& r)
                         { r.set_header("X-ClickHouse-Summary", summary_of(*context)); });
    if (!running->has_result())
    {
        running->finish();
        response.set_header("Content-Type", "text/plain; charset=UTF-8");
        free_session();
        response.finish();
        return;
    }
    const FormatEntry& format = formats().get_output(running->format());
    response.set_header("X-ClickHouse-Format", format.name);
    response.set_header("Content-Type", format.content_type);
    ResultSink sink = make_sink(request, *context, response);
    try
    {
        write_result(*running, format, *sink.last);
    }
    catch (const Error& error)
    {
        // Too late for a status: the error ends the result, inside whatever it is packed into.
        if (response.head_sent())
        {
            sink.last->write(exception_block(tag, error.full_text()));
            sink.finish();
        }
        throw;
    }
    sink.finish();
    free_session();
    response.finish();
}

std::string HttpQueryHandler::metrics_text() const
{
    std::string text;
    for (size_t i = 0; i < kProfileEventCount; ++i)
    {
        const auto event = static_cast<ProfileEvent>(i);
        const auto name = profile_event_name(event);
        text += fmt::format("# TYPE ClickHouseProfileEvents_{} counter\n"
                            "ClickHouseProfileEvents_{} {}\n",
                            name, name, server_profile_counters().get(event));
    }
    text += fmt::format("# TYPE ClickHouseMetrics_Query gauge\nClickHouseMetrics_Query {}\n",
                        engine_.processes().size());
    text += fmt::format("# TYPE ClickHouseMetrics_MemoryTracking gauge\n"
                        "ClickHouseMetrics_MemoryTracking {}\n",
                        engine_.memory().used_bytes());
    return text;
}

} // namespace basalt
