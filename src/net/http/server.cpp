#include "net/http/server.h"

#include "base/error.h"
#include "net/connection_threads.h"
#include "net/http/query_handler.h"
#include "net/http/request.h"
#include "net/http/response.h"

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
constexpr size_t kResponseBufferBytes = 1 << 20;
constexpr int64_t kWatchIntervalMs = 200;

} // namespace

struct HttpServer::Impl
{
    Impl(Engine& engine, HttpServerOptions opts)
        : options_(std::move(opts)), handler_(engine, options_.display_name),
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
            HttpConnectionReader reader(socket);
            while (!stopping_)
            {
                if (!socket.wait_readable(options_.keep_alive_timeout_ms) || stopping_)
                    break;
                auto request = reader.next_head();
                if (!request)
                    break;
                request->certificate_names = socket.peer_names();
                if (!answer(socket, reader, *request))
                    break;
            }
        }
        catch (const Error& error)
        {
            if (error.code() == error_codes::BAD_ARGUMENTS)
                reject(socket, error);
        }
        catch (const std::exception&)
        {
            // The connection is closed; the server goes on.
        }
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
        HttpResponse response(socket, request.keep_alive && !stopping_,
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
            const auto on_start = [&](QueryContextPtr context)
            {
                std::lock_guard lock(mutex_);
                if (stopping_)
                    context->cancel();
                running_[&socket] = std::move(context);
                watch_.notify_one();
            };
            const Forget forget{*this, socket};
            handler_.handle(request, reader.body(), socket.peer(), response, on_start);
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
            for (auto& [socket, context] : running_)
                if (socket->peer_hung_up())
                    context->cancel();
            if (running_.empty())
                watch_.wait(lock);
            else
                watch_.wait_for(lock, std::chrono::milliseconds(kWatchIntervalMs));
        }
    }

    void stop()
    {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
            for (auto& [socket, context] : running_)
                context->cancel();
        }
        watch_.notify_all();
        threads_.stop();
        if (watcher_.joinable())
            watcher_.join();
    }

    HttpServerOptions options_;
    HttpQueryHandler handler_;
    std::mutex mutex_;
    std::condition_variable watch_;
    std::map<Socket*, QueryContextPtr> running_; // told to stop when the client leaves
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
