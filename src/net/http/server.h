#pragma once

// The HTTP interface: queries as ClickHouse takes them, /ping, /replicas_status, /metrics, /play.
// One thread per connection.

#include "io/tls.h"
#include "net/http/handler_rules.h"
#include "engine/run_query.h"

#include <memory>
#include <string>

namespace basalt
{

struct HttpServerOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 8123; // 0: any free one
    size_t max_connections = 4096;
    int64_t keep_alive_timeout_ms = 30000;
    int64_t io_timeout_ms = 300000;
    std::string display_name; // X-ClickHouse-Server-Display-Name
    std::string play_page;    // HTML of /play; empty: 404
    std::shared_ptr<TlsContext> tls = {}; // https
    std::vector<HandlerRule> handlers = {}; // the first that matches answers, before what is built in
};

class HttpServer
{
public:
    HttpServer(Engine& engine, HttpServerOptions options); // binds; throws NETWORK_ERROR
    ~HttpServer();

    uint16_t port() const;
    void start();
    // No new connections; running queries are cancelled; returns when all threads have ended.
    void stop();
    size_t connection_count() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt
