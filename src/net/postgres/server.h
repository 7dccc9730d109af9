#pragma once

// PostgreSQL's wire protocol: what psql, libpq and drivers speak. docs/protocol/postgres.md.

#include "engine/engine.h"
#include "io/tls.h"

#include <memory>
#include <string>

namespace basalt
{

struct PostgresServerOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 9005; // 0: any free one
    size_t max_connections = 4096;
    int64_t handshake_timeout_ms = 30000;
    int64_t idle_timeout_ms = 3600000;
    int64_t io_timeout_ms = 300000;
    std::shared_ptr<TlsContext> tls = {}; // for clients that ask for it (SSLRequest)
    bool require_tls = false;
};

class PostgresServer
{
public:
    PostgresServer(Engine& engine, PostgresServerOptions options); // binds; throws NETWORK_ERROR
    ~PostgresServer();

    uint16_t port() const;
    void start();
    // No new connections; running queries are cancelled; returns when all threads have ended.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt
