#pragma once

// The server's side of one native connection: handshake, then packets one after another. One
// thread; a query runs on another (QueryTask).

#include "engine/external_table.h"
#include "net/native/block_stream.h"
#include "net/native/framing.h"
#include "net/native/messages.h"
#include "net/query_task.h"
#include "net/native/server.h"

#include <functional>

namespace basalt
{

class NativeConnection
{
public:
    NativeConnection(Engine& engine, const NativeServerOptions& options, Socket& socket,
                     std::function<bool()> stopping);

    // Returns when the connection is over. May throw; the client has been told then, if possible.
    void run();
    // Tells a client that there are too many.
    static void refuse(Socket& socket);

private:
    struct RunningState;

    bool handshake(); // false: over
    void authenticate(const ClientHello& hello);
    bool answer_wrong_protocol(int first_byte);
    bool serve_packet(); // false: over
    void skip_data();
    void answer_tables_status();

    void run_query();
    QueryRequest make_request(const NativeQuery& query) const;
    void handle_event(RunningState& state, QueryEvent event);
    // Of a client while its query runs.
    void handle_packet(RunningState& state);
    void handle_data(RunningState& state);
    void add_external_rows(RunningState& state, const std::string& name, Block block);
    void set_ready(RunningState& state);
    void send_block(RunningState& state, ServerPacket packet, const Block& block);
    void send_insert_header(RunningState& state, const QueryEvent& event);
    void send_progress(RunningState& state);
    void send_profile_events(RunningState& state);
    void send_end(RunningState& state, const QueryEvent& event);
    void send_error(const Error& error);

    Engine& engine_;
    const NativeServerOptions& options_;
    Socket& socket_;
    std::function<bool()> stopping_;
    PacketStream stream_;
    Session session_;
    ClientHello hello_;
    uint64_t revision_ = 0;
    bool last_compressed_ = false;   // of the last query: how stray blocks come
    bool tolerates_data_ = false;    // after a failed query its blocks may still be on their way
};

} // namespace basalt
