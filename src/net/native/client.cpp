#include "net/native/client.h"

#include "base/clock.h"
#include "columns/serialization.h"
#include "io/binary.h"
#include "net/native/block_stream.h"
#include "net/native/framing.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr int64_t kTickMs = 50;
constexpr uint64_t kVersionMajor = 26, kVersionMinor = 7, kVersionPatch = 2;

} // namespace

struct NativeClient::Connection
{
    explicit Connection(Socket connected) : socket(std::move(connected)), stream(socket) {}

    Socket socket;
    PacketStream stream;
    ServerHello server;
    uint64_t revision = 0;
    // Of the running query.
    std::unique_ptr<BlockStream> blocks;
    bool compressed = false;
    bool header_seen = false;
    bool cancel_sent = false;
    bool over = false;
    std::optional<Error> failure;
    std::string table_description;
};

NativeClient::NativeClient(NativeClientOptions options) : options_(std::move(options)) {}

NativeClient::~NativeClient() = default;

bool NativeClient::connected() const
{
    return connection_ != nullptr;
}

const ServerHello& NativeClient::server() const
{
    return connection_->server;
}

uint64_t NativeClient::revision() const
{
    return connection_->revision;
}

void NativeClient::connect()
{
    if (connection_)
        return;
    auto connection = std::make_unique<Connection>(
        Socket::connect(options_.host, options_.port, options_.connect_timeout_ms));
    connection->socket.set_timeouts(options_.connect_timeout_ms, options_.connect_timeout_ms);
    if (options_.secure)
        connection->socket.start_tls(*TlsContext::for_client(options_.tls), options_.host);
    auto& stream = connection->stream;
    ClientHello hello;
    hello.client_name = options_.client_name;
    hello.version_major = kVersionMajor;
    hello.version_minor = kVersionMinor;
    hello.revision = kNativeClientRevision;
    hello.database = options_.database;
    hello.user = options_.user;
    hello.password = options_.password;
    write_client_hello(stream.out(), hello);
    stream.flush();

    const int first = stream.in().peek();
    if (first == static_cast<int>(ServerPacket::Exception))
    {
        read_varint(stream.in());
        throw read_exception(stream.in());
    }
    if (first != static_cast<int>(ServerPacket::Hello))
        throw Error(error_codes::CLIENT_HAS_CONNECTED_TO_WRONG_PORT,
                    fmt::format("{} does not speak the native protocol",
                                SocketAddress{options_.host, options_.port}.text()));
    read_varint(stream.in());
    connection->server = read_server_hello(stream.in(), kNativeClientRevision);
    connection->revision = std::min(kNativeClientRevision, connection->server.revision);

    Addendum addendum;
    const bool send_chunked =
        agree_on_chunking(connection->server.receive_chunked, addendum.send_chunked);
    const bool receive_chunked =
        agree_on_chunking(connection->server.send_chunked, addendum.receive_chunked);
    addendum.send_chunked = send_chunked ? "chunked" : "notchunked";
    addendum.receive_chunked = receive_chunked ? "chunked" : "notchunked";
    write_addendum(stream.out(), addendum, connection->revision);
    stream.flush();
    if (send_chunked)
        stream.frame_output();
    if (receive_chunked)
        stream.frame_input();
    // Queries take as long as they take; cancel() is always looked for.
    connection->socket.set_timeouts(kNoTimeoutMs, kNoTimeoutMs);
    connection_ = std::move(connection);
}

void NativeClient::ping()
{
    connect();
    auto& stream = connection_->stream;
    write_packet(stream.out(), ClientPacket::Ping);
    stream.end_packet();
    stream.flush();
    if (read_varint(stream.in()) != static_cast<uint64_t>(ServerPacket::Pong))
    {
        connection_.reset();
        throw Error(error_codes::UNEXPECTED_PACKET_FROM_SERVER, "A ping was not answered");
    }
}

void NativeClient::run(NativeQuery query, const NativeHandlers& handlers)
{
    connect();
    cancel_requested_ = false;
    try
    {
        send_query(query);
        while (!connection_->over)
        {
            wait_for_packet();
            receive_packet(handlers);
        }
    }
    catch (...)
    {
        // In the middle of an answer nothing can follow.
        connection_.reset();
        throw;
    }
    if (connection_->failure)
        throw Error(*connection_->failure);
    if (connection_->cancel_sent)
        throw Error(error_codes::QUERY_WAS_CANCELLED, "Query was cancelled");
}

void NativeClient::receive_packet(const NativeHandlers& handlers)
{
    auto& c = *connection_;
    const uint64_t packet = read_varint(c.stream.in());
    if (packet == static_cast<uint64_t>(ServerPacket::Exception))
    {
        c.failure = read_exception(c.stream.in());
        c.over = true;
    }
    else if (packet == static_cast<uint64_t>(ServerPacket::EndOfStream))
        c.over = true;
    else
        handle_packet(handlers, packet);
}

void NativeClient::send_query(NativeQuery& query)
{
    auto& c = *connection_;
    query.compressed = options_.compressed;
    query.client.query_kind = NativeClientInfo::QueryKind::Initial;
    query.client.client_name = options_.client_name;
    query.client.version_major = kVersionMajor;
    query.client.version_minor = kVersionMinor;
    query.client.version_patch = kVersionPatch;
    query.client.revision = kNativeClientRevision;
    query.client.initial_query_start_us = system_clock().unix_us();
    c.compressed = options_.compressed;
    c.header_seen = c.cancel_sent = c.over = false;
    c.failure.reset();
    c.table_description.clear();
    c.blocks = std::make_unique<BlockStream>(c.stream.in(), c.stream.out(), c.revision,
                                             c.compressed, "LZ4");
    write_query(c.stream.out(), query, c.revision);
    c.stream.end_packet();
    write_packet(c.stream.out(), ClientPacket::Data);
    write_string(c.stream.out(), "");
    c.blocks->write(Block());
    c.stream.end_packet();
    c.stream.flush();
}

void NativeClient::send_cancel()
{
    auto& c = *connection_;
    if (c.cancel_sent)
        return;
    c.cancel_sent = true;
    write_packet(c.stream.out(), ClientPacket::Cancel);
    c.stream.end_packet();
    c.stream.flush();
}

void NativeClient::wait_for_packet()
{
    while (!connection_->stream.wait_for_input(kTickMs))
        if (cancel_requested_)
            send_cancel();
    if (cancel_requested_)
        send_cancel();
    if (connection_->stream.in().eof())
        throw Error(error_codes::NETWORK_ERROR, "The server has closed the connection");
}

void NativeClient::handle_packet(const NativeHandlers& handlers, uint64_t packet)
{
    auto& c = *connection_;
    InputBuffer& in = c.stream.in();
    const auto read_block = [&]
    {
        read_string(in, kMaxTableNameBytes);
        return c.blocks->read();
    };
    switch (static_cast<ServerPacket>(packet))
    {
    case ServerPacket::Data:
    {
        const Block block = read_block();
        if (block.width() > 0 && !c.header_seen)
        {
            c.header_seen = true;
            if (handlers.on_insert)
                send_rows(handlers, block);
            else if (handlers.on_header)
                handlers.on_header(block);
        }
        if (block.rows() > 0 && handlers.on_rows && !c.cancel_sent)
            handlers.on_rows(block);
        return;
    }
    case ServerPacket::Totals:
    case ServerPacket::Extremes:
    {
        const Block block = read_block();
        const auto& handler = packet == static_cast<uint64_t>(ServerPacket::Totals)
                                  ? handlers.on_totals
                                  : handlers.on_extremes;
        if (handler && block.rows() > 0 && !c.cancel_sent)
            handler(block);
        return;
    }
    case ServerPacket::Log:
        read_string(in, kMaxTableNameBytes);
        BlockStream(in, c.stream.out(), c.revision, false, "").read();
        return;
    case ServerPacket::ProfileEvents:
    {
        read_string(in, kMaxTableNameBytes);
        const Block block = BlockStream(in, c.stream.out(), c.revision, false, "").read();
        const int name = block.find("name"), value = block.find("value");
        if (!handlers.on_memory || name < 0 || value < 0)
            return;
        for (size_t row = 0; row < block.rows(); ++row)
            if (value_text(*block[name].column, row, block[name].type) == "MemoryTrackerPeakUsage")
                handlers.on_memory(
                    std::atoll(value_text(*block[value].column, row, block[value].type).c_str()));
        return;
    }
    case ServerPacket::Progress:
    {
        const NativeProgress progress = read_progress(in, c.revision);
        if (handlers.on_progress)
            handlers.on_progress(progress);
        return;
    }
    case ServerPacket::ProfileInfo:
    {
        const NativeProfileInfo info = read_profile_info(in, c.revision);
        if (handlers.on_profile_info)
            handlers.on_profile_info(info);
        return;
    }
    case ServerPacket::TableColumns:
        read_string(in, kMaxTableNameBytes);
        c.table_description = read_string(in, kMaxTableColumnsBytes);
        return;
    case ServerPacket::TimezoneUpdate:
        c.server.timezone = read_string(in, kMaxHelloStringBytes);
        return;
    case ServerPacket::Pong:
        return;
    default:
        throw Error(error_codes::UNEXPECTED_PACKET_FROM_SERVER,
                    fmt::format("Unexpected packet {} from the server", packet));
    }
}

void NativeClient::send_rows(const NativeHandlers& handlers, const Block& header)
{
    auto& c = *connection_;
    const auto send = [&](const Block& block)
    {
        write_packet(c.stream.out(), ClientPacket::Data);
        write_string(c.stream.out(), "");
        c.blocks->write(block);
        c.stream.end_packet();
        c.stream.flush();
    };
    // When this throws the connection is closed: without an end the server drops what was sent.
    const auto next = handlers.on_insert(header, c.table_description);
    for (;;)
    {
        // Progress, or the error that makes the rest needless.
        while (!c.over && c.stream.wait_for_input(0))
            receive_packet(handlers);
        if (c.over)
            return;
        if (cancel_requested_)
            break;
        const Block block = next();
        if (block.rows() == 0)
            break;
        send(block);
    }
    if (cancel_requested_)
        send_cancel();
    else
        send(Block());
}

} // namespace basalt
