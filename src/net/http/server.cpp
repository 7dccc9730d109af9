#include "net/http/server.h"

#include "base/error.h"
#include "net/http/query_handler.h"
#include "net/http/request.h"
#include "net/http/response.h"

#include <condition_variable>
#include <fmt/format.h>
#include <list>
#include <mutex>
#include <thread>

namespace basalt
{

namespace
{

// Most bytes of an unread body that are read to keep a connection alive after an error.
constexpr size_t kMaxDrainBytes = 16 << 20;
constexpr size_t kResponseBufferBytes = 1 << 20;
constexpr int64_t kWatchIntervalMs = 200;

} // namespace

struct HttpServer::Impl
{
    struct Connection
    {
        Socket socket;
        std::thread thread;
        bool done = false;
        // While a query runs: told to stop when the client leaves.
        QueryContextPtr running;
    };

    Impl(Engine& engine, HttpServerOptions opts)
        : engine_(engine), options_(std::move(opts)), listener_(options_.host, options_.port),
          handler_(engine, options_.display_name)
    {
    }

    void accept_loop()
    {
        while (auto socket = listener_.accept())
        {
            std::lock_guard lock(mutex_);
            reap();
            if (connections_.size() >= options_.max_connections)
            {
                refuse(*socket);
                continue;
            }
            connections_.emplace_back();
            auto it = std::prev(connections_.end());
            it->socket = std::move(*socket);
            it->socket.set_timeouts(options_.io_timeout_ms, options_.io_timeout_ms);
            it->thread = std::thread([this, it] { serve(*it); });
        }
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

    // Under the mutex: joins threads that have ended.
    void reap()
    {
        for (auto it = connections_.begin(); it != connections_.end();)
        {
            if (!it->done)
            {
                ++it;
                continue;
            }
            it->thread.join();
            it = connections_.erase(it);
        }
    }

    void serve(Connection& connection)
    {
        try
        {
            HttpConnectionReader reader(connection.socket);
            while (!stopping_)
            {
                if (!connection.socket.wait_readable(options_.keep_alive_timeout_ms) ||
                    stopping_)
                    break;
                auto request = reader.next_head();
                if (!request)
                    break;
                if (!answer(connection, reader, *request))
                    break;
            }
        }
        catch (const Error& error)
        {
            if (error.code() == error_codes::BAD_ARGUMENTS)
                reject(connection.socket, error);
        }
        catch (const std::exception&)
        {
            // The connection is closed; the server goes on.
        }
        std::lock_guard lock(mutex_);
        connection.socket.close();
        connection.done = true;
    }

    static void reject(Socket& socket, const Error& error)
    {
        try
        {
            socket.write_all(fmt::format("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
                                         "Content-Length: {}\r\n\r\n{}\n",
                                         error.message().size() + 1, error.message()));
        }
        catch (const Error&)
        {
        }
    }

    // False when the connection must be closed.
    bool answer(Connection& connection, HttpConnectionReader& reader, const HttpRequest& request)
    {
        HttpResponse response(connection.socket, request.keep_alive && !stopping_,
                              request.method == "HEAD", kResponseBufferBytes);
        const bool reading = request.method == "GET" || request.method == "HEAD";
        auto plain = [&](int status, const std::string& type, std::string_view text)
        {
            response.set_status(status);
            response.set_header("Content-Type", type);
            response.write(text);
            response.finish();
        };
        const std::string text_type = "text/html; charset=UTF-8";
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
        {
            auto on_start = [&](QueryContextPtr context)
            {
                std::lock_guard lock(mutex_);
                connection.running = std::move(context);
                watch_.notify_one();
            };
            auto on_end = [&]
            {
                std::lock_guard lock(mutex_);
                connection.running.reset();
            };
            handler_.handle(request, reader.body(), connection.socket.peer(), response, on_start);
            on_end();
        }
        else
            plain(404, "text/plain; charset=UTF-8",
                  fmt::format("There is no handle {}\n\nUse / or /ping for health checks.\nOr "
                              "/replicas_status for more sophisticated health checks.\nSend "
                              "queries from your program with POST method or GET /?query=...\n",
                              request.path));
        return response.keep_alive() && reader.drain_body(kMaxDrainBytes);
    }

    // Cancels queries whose client has left.
    void watch_loop()
    {
        std::unique_lock lock(mutex_);
        while (!stopping_)
        {
            bool any = false;
            for (auto& connection : connections_)
            {
                if (!connection.running)
                    continue;
                any = true;
                if (connection.socket.peer_hung_up())
                    connection.running->cancel();
            }
            if (any)
                watch_.wait_for(lock, std::chrono::milliseconds(kWatchIntervalMs));
            else
                watch_.wait(lock);
        }
    }

    void stop()
    {
        listener_.stop();
        {
            std::lock_guard lock(mutex_);
            if (stopping_)
                return;
            stopping_ = true;
            for (auto& connection : connections_)
            {
                if (connection.running)
                    connection.running->cancel();
                if (connection.socket.is_open())
                    connection.socket.shutdown();
            }
        }
        watch_.notify_all();
        if (acceptor_.joinable())
            acceptor_.join();
        if (watcher_.joinable())
            watcher_.join();
        for (auto& connection : connections_)
            connection.thread.join();
        connections_.clear();
    }

    Engine& engine_;
    HttpServerOptions options_;
    Listener listener_;
    HttpQueryHandler handler_;
    mutable std::mutex mutex_;
    std::condition_variable watch_;
    std::list<Connection> connections_;
    std::thread acceptor_, watcher_;
    std::atomic<bool> stopping_{false};
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
    return impl_->listener_.port();
}

void HttpServer::start()
{
    impl_->acceptor_ = std::thread([this] { impl_->accept_loop(); });
    impl_->watcher_ = std::thread([this] { impl_->watch_loop(); });
}

void HttpServer::stop()
{
    impl_->stop();
}

size_t HttpServer::connection_count() const
{
    std::lock_guard lock(impl_->mutex_);
    return impl_->connections_.size();
}

} // namespace basalt
