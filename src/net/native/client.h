#pragma once

// A client of the native protocol: one query at a time over one connection. Blocking; cancel() may
// come from any thread or signal handler.

#include "io/tls.h"
#include "columns/block.h"
#include "net/native/messages.h"

#include <atomic>
#include <functional>
#include <memory>

namespace basalt
{

struct NativeClientOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 9000;
    std::string user = "default", password, database;
    std::string client_name = "Basalt client";
    int64_t connect_timeout_ms = 10000; // also of the handshake
    bool compressed = false;
    bool secure = false; // TLS; the usual port is 9440
    TlsClientOptions tls = {};
};

// What a query is told of while it runs; each may be empty.
struct NativeHandlers
{
    std::function<void(const Block&)> on_header; // of the result: once, without rows
    std::function<void(const Block&)> on_rows;
    std::function<void(const Block&)> on_totals;
    std::function<void(const Block&)> on_extremes;
    std::function<void(const NativeProgress&)> on_progress; // what was added
    std::function<void(const NativeProfileInfo&)> on_profile_info;
    std::function<void(int64_t bytes)> on_memory;
    // INSERT: gets the columns wanted and the description of the table's columns (empty if none
    // was sent), gives the source of blocks; a block without rows ends them.
    std::function<std::function<Block()>(const Block& header, const std::string& description)>
        on_insert;
};

class NativeClient
{
public:
    explicit NativeClient(NativeClientOptions options);
    ~NativeClient();

    // Does nothing when connected. Throws NETWORK_ERROR, SOCKET_TIMEOUT, the server's error, or
    // CLIENT_HAS_CONNECTED_TO_WRONG_PORT when the other side does not speak the protocol.
    void connect();
    bool connected() const;
    const ServerHello& server() const;
    uint64_t revision() const;

    // Runs a query to its end. Throws the server's error; QUERY_WAS_CANCELLED after cancel(). A
    // broken connection is closed and made anew by the next query.
    void run(NativeQuery query, const NativeHandlers& handlers);
    void ping();
    // After USE: where a connection that is made anew begins.
    void use_database(const std::string& name) { options_.database = name; }

    // Asks the server to end the running query; rows that come afterwards are dropped.
    void cancel() { cancel_requested_ = true; }

private:
    struct Connection;

    void send_query(NativeQuery& query);
    void receive_packet(const NativeHandlers& handlers);
    void handle_packet(const NativeHandlers& handlers, uint64_t packet);
    void send_rows(const NativeHandlers& handlers, const Block& header);
    void send_cancel();
    void wait_for_packet();

    NativeClientOptions options_;
    std::unique_ptr<Connection> connection_;
    std::atomic<bool> cancel_requested_{false};
};

} // namespace basalt
