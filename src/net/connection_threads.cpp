#include "net/connection_threads.h"

#include "base/error.h"

namespace basalt
{

ConnectionThreads::ConnectionThreads(Options options, Handler serve, Handler refuse)
    : options_(std::move(options)), serve_(std::move(serve)), refuse_(std::move(refuse)),
      listener_(options_.host, options_.port)
{
}

ConnectionThreads::~ConnectionThreads()
{
    stop();
}

void ConnectionThreads::start()
{
    acceptor_ = std::thread([this] { accept_loop(); });
}

void ConnectionThreads::accept_loop()
{
    while (auto socket = listener_.accept())
    {
        std::lock_guard lock(mutex_);
        reap();
        if (connections_.size() >= options_.max_connections)
        {
            refuse_(*socket);
            continue;
        }
        connections_.emplace_back();
        Connection& connection = connections_.back();
        connection.socket = std::move(*socket);
        connection.socket.set_timeouts(options_.io_timeout_ms, options_.io_timeout_ms);
        connection.thread = std::thread(
            [this, &connection]
            {
                if (begin(connection.socket))
                    serve_(connection.socket);
                std::lock_guard done_lock(mutex_);
                connection.socket.close();
                connection.done = true;
            });
    }
}

bool ConnectionThreads::begin(Socket& socket)
{
    if (!options_.tls)
        return true;
    try
    {
        socket.set_timeouts(options_.tls_timeout_ms, options_.tls_timeout_ms);
        if (!socket.start_tls(*options_.tls))
        {
            socket.write_all("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: "
                             "text/plain\r\nContent-Length: 30\r\n\r\nThis port speaks TLS (https). ");
            return false;
        }
        socket.set_timeouts(options_.io_timeout_ms, options_.io_timeout_ms);
        return true;
    }
    catch (const Error&)
    {
        return false; // a client that trusts another authority, a port scan
    }
}

void ConnectionThreads::reap()
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

void ConnectionThreads::stop()
{
    listener_.stop();
    {
        std::lock_guard lock(mutex_);
        if (stopping_)
            return;
        stopping_ = true;
        for (auto& connection : connections_)
            if (connection.socket.is_open())
                connection.socket.shutdown();
    }
    if (acceptor_.joinable())
        acceptor_.join();
    for (auto& connection : connections_)
        connection.thread.join();
    connections_.clear();
}

size_t ConnectionThreads::count() const
{
    std::lock_guard lock(mutex_);
    return connections_.size();
}

} // namespace basalt
