#pragma once

// The part of a server that every protocol needs: a listener, a thread for each connection, a limit
// on how many, a stop that ends them all.

#include "io/socket.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace basalt
{

class ConnectionThreads
{
public:
    struct Options
    {
        std::string host = "127.0.0.1";
        uint16_t port = 0; // 0: any free one
        size_t max_connections = 4096;
        int64_t io_timeout_ms = 300000; // of one read or write step
        std::shared_ptr<TlsContext> tls = {}; // every connection begins with TLS; null: none does
        int64_t tls_timeout_ms = 10000;       // of one step of the handshake
    };
    // serve: runs on the connection's own thread; the socket is closed when it returns. It must
    // not throw and must end soon after stopping() is true and its socket was shut down.
    // refuse: told of a connection past the limit, before it is closed; must not wait.
    using Handler = std::function<void(Socket&)>;

    ConnectionThreads(Options options, Handler serve, Handler refuse); // binds; NETWORK_ERROR
    ~ConnectionThreads();

    uint16_t port() const { return listener_.port(); }
    void start();
    // No new connections; shuts every socket down and returns when all threads have ended.
    void stop();
    bool stopping() const { return stopping_; }
    size_t count() const;

private:
    struct Connection
    {
        Socket socket;
        std::thread thread;
        bool done = false;
    };

    void accept_loop();
    bool begin(Socket& socket); // false: the connection is over
    void reap(); // under the mutex: joins threads that have ended

    Options options_;
    Handler serve_, refuse_;
    Listener listener_;
    mutable std::mutex mutex_;
    std::list<Connection> connections_;
    std::thread acceptor_;
    std::atomic<bool> stopping_{false};
};

} // namespace basalt
