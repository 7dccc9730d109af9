#pragma once

// The native TCP protocol: what clickhouse-client, drivers and other servers speak. Two threads a
// connection while a query runs, one otherwise.

#include "engine/engine.h"
#include "io/tls.h"

#include <memory>
#include <string>

namespace basalt
{

struct NativeServerOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 9000; // 0: any free one
    size_t max_connections = 4096;
    int64_t handshake_timeout_ms = 30000;
    int64_t idle_timeout_ms = 3600000; // between two packets when no query runs
    int64_t io_timeout_ms = 300000;    // of one step inside a packet
    std::string display_name;
    std::shared_ptr<TlsContext> tls = {}; // all connections speak TLS
    std::string http_hint; // where HTTP is served, for browsers that come to this port
};

class NativeServer
{
public:
    NativeServer(Engine& engine, NativeServerOptions options); // binds; throws NETWORK_ERROR
    ~NativeServer();

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
