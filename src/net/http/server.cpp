#include "net/http/server.h"

#include "base/error.h"
#include "net/connection_threads.h"
#include "net/http/query_handler.h"
#include "net/http/request.h"
#include "net/http/response.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <thread>

namespace basalt
{

namespace
{

// Most bytes of an unread body that are read to keep a connection alive after an error.
constexpr size_t kMaxDrainBytes = 16 << 20;
constexpr size_t kResponseBufferBytes = 1 << 20, kMinResponseBufferBytes = 4 << 10;
constexpr int64_t kWatchIntervalMs = 200;
constexpr int64_t kLingerMs = 1000;

} // namespace

struct HttpServer::Impl
{
    Impl(Engine& engine, HttpServerOptions opts)
        : options_(std::move(opts)), handler_(engine, options_.display_name),
          head_timeout_ms_(static_cast<int64_t>(
              1000 * engine.options().default_settings.get_float("http_headers_read_timeout"))),
          threads_({options_.host, options_.port, options_.max_connections,
                    options_.io_timeout_ms, options_.tls},
                   [this](Socket& socket) { serve(socket); }, refuse)
    {
    }

    static void refuse(Socket& socket)
    {
        try
        {
            socket.write_all("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                             "Content-Length: 0\r\n\r\n");
        }
        catch (const Error&)
        {
        }
    }

    void serve(Socket& socket)
    {
        try
        {
            HttpConnectionReader reader(socket, head_timeout_ms_);
            while (!stopping_)
            {
                if (!socket.wait_readable(options_.keep_alive_timeout_ms) || stopping_)
                    break;
                auto request = reader.next_head();
                if (!request)
                    break;
                request->certificate_names = socket.peer_names();
                if (!answer(socket, reader, *request))
                {
                    linger(socket);
                    break;
                }
            }
        }
        catch (const HttpHeadError& error)
        {
            reject(socket, error);
        }
        catch (const std::exception&)
        {
            // The connection is closed; the server goes on.
        }
    }

    static void reject(Socket& socket, const HttpHeadError& error)
    {
        try
        {
            socket.write_all(fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: "
                                         "text/plain; charset=UTF-8\r\nContent-Length: {}\r\n"
                                         "\r\n{}\n",
                                         error.status(), http_reason(error.status()),
                                         error.message().size() + 1, error.message()));
            linger(socket);
        }
        catch (const std::exception&)
        {
        }
    }

    // A client that still sends would lose the answer when its bytes are refused: they are read for a
    // while, until it closes.
    static void linger(Socket& socket)
    {
        socket.shutdown_write();
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLingerMs);
        std::string ignored(kStreamBufferBytes, '\0');
        for (;;)
        {
            const auto left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                end - std::chrono::steady_clock::now());
            if (left_ms.count() <= 0 || !socket.wait_readable(left_ms.count()) ||
                socket.read(ignored.data(), ignored.size()) == 0)
                break;
        }
    }

    struct Forget // the query of a socket that is about to go
    {
        Impl& impl;
        Socket& socket;
        ~Forget()
        {
            std::lock_guard lock(impl.mutex_);
            impl.running_.erase(&socket);
        }
    };

    // False when the connection must be closed.
    bool answer(Socket& socket, HttpConnectionReader& reader, const HttpRequest& request)
    {
        HttpResponse response(socket, {request.keep_alive && !stopping_,
                                       request.method == "HEAD", !request.is_http_1_0,
                                       response_buffer_bytes(request),
                                       options_.keep_alive_timeout_ms});
        const bool reading = request.method == "GET" || request.method == "HEAD";
        auto plain = [&](int status, const std::string& type, std::string_view text)
        {
            response.set_status(status);
            response.set_header("Content-Type", type);
            response.write(text);
            response.finish();
        };
        const std::string text_type = "text/html; charset=UTF-8";
        if (request.method == "OPTIONS")
        {
            // What a browser asks before it sends a query from another page.
            response.set_header("Access-Control-Allow-Origin", "*");
            response.set_header("Access-Control-Allow-Headers",
                                "origin, x-requested-with, content-type, authorization, "
                                "x-clickhouse-format, x-clickhouse-user, x-clickhouse-key, "
                                "x-clickhouse-database, x-clickhouse-query-id");
            response.set_header("Access-Control-Allow-Methods", "POST, GET, OPTIONS");
            response.set_header("Access-Control-Max-Age", "86400");
            response.set_status(204);
            response.finish();
            return response.keep_alive() && reader.drain_body(kMaxDrainBytes);
        }
        for (const auto& rule : options_.handlers)
            if (auto captures = rule.match(request))
            {
                answer_by_rule(rule, std::move(*captures), socket, reader, request, response);
                return response.keep_alive() && reader.drain_body(kMaxDrainBytes);
            }
        if (request.path == "/ping" && reading)
            plain(200, text_type, "Ok.\n");
        else if (request.path == "/replicas_status" && reading)
            plain(200, "text/plain; charset=UTF-8", "Ok.\n");
        else if (request.path == "/metrics" && reading)
            plain(200, "text/plain; version=0.0.4; charset=UTF-8", handler_.metrics_text());
        else if (request.path == "/play" && reading && !options_.play_page.empty())
            plain(200, text_type, options_.play_page);
        else if (request.path == "/" && reading && !request.parameter("query"))
            plain(200, text_type, "Ok.\n");
        else if (request.path == "/" || request.path.starts_with("/?"))
            run_query(socket, reader.body(), request, response);
        else
            plain(404, "text/plain; charset=UTF-8",
                  fmt::format("There is no handle {}\n\nUse / or /ping for health checks.\nOr "
                              "/replicas_status for more sophisticated health checks.\nSend "
                              "queries from your program with POST method or GET /?query=...\n",
                              request.path));
        return response.keep_alive() && reader.drain_body(kMaxDrainBytes);
    }

    void run_query(Socket& socket, InputBuffer& body, const HttpRequest& request,
                   HttpResponse& response)
    {
        const auto on_start = [&](QueryContextPtr context)
        {
            std::lock_guard lock(mutex_);
            if (stopping_)
                context->cancel();
            Running& running = running_[&socket];
            if (context->settings.get_bool("send_progress_in_http_headers"))
            {
                running.response = &response;
                running.interval_ms = static_cast<int64_t>(
                    context->settings.get_uint("http_headers_progress_interval_ms"));
            }
            running.context = std::move(context);
            watch_.notify_one();
        };
        const Forget forget{*this, socket};
        handler_.handle(request, body, socket.peer(), response, on_start);
    }

    void answer_by_rule(const HandlerRule& rule,
                        std::vector<std::pair<std::string, std::string>> captures, Socket& socket,
                        HttpConnectionReader& reader, const HttpRequest& request,
                        HttpResponse& response)
    {
        if (rule.kind == HandlerRule::Kind::Static || rule.kind == HandlerRule::Kind::Redirect)
        {
            const bool redirect = rule.kind == HandlerRule::Kind::Redirect;
            response.set_status(redirect ? 302 : rule.status);
            if (redirect)
                response.set_header("Location", rule.text);
            else
            {
                response.set_header("Content-Type", rule.content_type);
                response.write(rule.text);
            }
            response.finish();
            return;
        }
        HttpRequest asked = request;
        const bool is_dynamic = rule.kind == HandlerRule::Kind::Dynamic;
        const auto* question = is_dynamic ? request.parameter(rule.text) : &rule.text;
        const std::string sql = question ? *question : std::string();
        std::erase_if(asked.parameters, [&](const auto& parameter)
                      { return parameter.first == "query" ||
                               (is_dynamic && parameter.first == rule.text); });
        asked.parameters.emplace_back("query", sql);
        for (auto& [name, value] : captures)
            asked.parameters.emplace_back("param_" + name, std::move(value));
        // A body is the data of an INSERT; other queries of a rule are whole.
        std::string head = sql.substr(0, 6);
        std::transform(head.begin(), head.end(), head.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        asked.has_body = request.has_body && (is_dynamic || head == "INSERT");
        run_query(socket, reader.body(), asked, response);
    }

    struct Running
    {
        QueryContextPtr context;
        HttpResponse* response = nullptr; // when its client wants to be told of progress
        int64_t interval_ms = 0;
        int64_t last_ms = 0; // since the query's start
    };

    // How long until it is due again. A header is small, and the socket's buffer empty.
    static int64_t send_progress(Running& running)
    {
        const auto& c = *running.context;
        const int64_t now_ms = (c.clock->monotonic_ns() - c.start_monotonic_ns) / 1'000'000;
        if (now_ms - running.last_ms < running.interval_ms)
            return running.interval_ms - (now_ms - running.last_ms);
        running.last_ms = now_ms;
        try
        {
            running.response->send_early_header("X-ClickHouse-Progress", summary_of(c));
        }
        catch (const Error&)
        {
            running.context->cancel(); // the client left
        }
        return running.interval_ms;
    }

    // Parameter buffer_size: what is less than usual is sent earlier. The handler sees to more.
    static size_t response_buffer_bytes(const HttpRequest& request)
    {
        const auto* text = request.parameter("buffer_size");
        size_t bytes = 0;
        if (!text || std::from_chars(text->data(), text->data() + text->size(), bytes).ec !=
                         std::errc())
            return kResponseBufferBytes;
        return std::clamp(bytes, kMinResponseBufferBytes, kResponseBufferBytes);
    }

    // Cancels queries whose client has left.
    void watch_loop()
    {
        std::unique_lock lock(mutex_);
        while (!stopping_)
        {
            int64_t wait_ms = kWatchIntervalMs;
            for (auto& [socket, running] : running_)
            {
                if (socket->peer_hung_up())
                    running.context->cancel();
                else if (running.response)
                    wait_ms = std::min(wait_ms, send_progress(running));
            }
            if (running_.empty())
                watch_.wait(lock);
            else
                watch_.wait_for(lock, std::chrono::milliseconds(wait_ms));
        }
    }

    void stop()
    {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
            for (auto& [socket, running] : running_)
                running.context->cancel();
        }
        watch_.notify_all();
        threads_.stop();
        if (watcher_.joinable())
            watcher_.join();
    }

    HttpServerOptions options_;
    HttpQueryHandler handler_;
    int64_t head_timeout_ms_;
    std::mutex mutex_;
    std::condition_variable watch_;
    std::map<Socket*, Running> running_; // told to stop when the client leaves
    std::thread watcher_;
    std::atomic<bool> stopping_{false};
    ConnectionThreads threads_; // goes first
};

HttpServer::HttpServer(Engine& engine, HttpServerOptions options)
    : impl_(std::make_unique<Impl>(engine, std::move(options)))
{
}

HttpServer::~HttpServer()
{
    impl_->stop();
}

uint16_t HttpServer::port() const
{
    return impl_->threads_.port();
}

void HttpServer::start()
{
    impl_->threads_.start();
    impl_->watcher_ = std::thread([this] { impl_->watch_loop(); });
}

void HttpServer::stop()
{
    impl_->stop();
}

size_t HttpServer::connection_count() const
{
    return impl_->threads_.count();
}

} // namespace basalt
