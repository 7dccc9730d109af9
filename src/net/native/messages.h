#pragma once

// Messages of the native protocol without their blocks: bytes to structs and back, nothing else.
// A read_… begins behind the packet's number; a write_… puts the number too. `revision` is the
// smaller of what the two peers announced. Broken bytes throw: UNKNOWN_PACKET_FROM_CLIENT,
// INCORRECT_DATA, TOO_LARGE_STRING_SIZE, TOO_LARGE_ARRAY_SIZE, ATTEMPT_TO_READ_AFTER_EOF,
// CANNOT_READ_ALL_DATA. Threads: pure functions.

#include "base/error.h"
#include "io/buffer.h"
#include "net/native/protocol.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace basalt
{

struct ClientHello
{
    std::string client_name;
    uint64_t version_major = 0, version_minor = 0;
    uint64_t revision = 0;
    std::string database, user, password;
};
ClientHello read_client_hello(InputBuffer& in);
void write_client_hello(OutputBuffer& out, const ClientHello& hello);

// How packets are framed in one direction: "chunked", "notchunked", each perhaps "_optional".
bool is_chunking_preference(std::string_view text);
// What both agree on; NETWORK_ERROR when both insist on different things.
bool agree_on_chunking(std::string_view server, std::string_view client);

struct ServerHello
{
    std::string server_name;
    uint64_t version_major = 0, version_minor = 0, version_patch = 0;
    uint64_t revision = 0;
    std::string timezone, display_name;
    std::string send_chunked = "notchunked_optional"; // what the server would do
    std::string receive_chunked = "notchunked_optional";
    uint64_t nonce = 0;
};
ServerHello read_server_hello(InputBuffer& in, uint64_t own_revision);
void write_server_hello(OutputBuffer& out, const ServerHello& hello, uint64_t revision);

struct Addendum
{
    std::string quota_key;
    std::string send_chunked = "notchunked"; // what the client will do
    std::string receive_chunked = "notchunked";
    uint64_t parallel_replicas_version = 0;
};
Addendum read_addendum(InputBuffer& in, uint64_t revision);
void write_addendum(OutputBuffer& out, const Addendum& addendum, uint64_t revision);

struct NativeClientInfo
{
    enum class QueryKind : uint8_t
    {
        None = 0,
        Initial = 1,
        Secondary = 2,
    } query_kind = QueryKind::Initial;
    enum class Interface : uint8_t
    {
        Tcp = 1,
        Http = 2,
    };
    std::string initial_user, initial_query_id, initial_address = "0.0.0.0:0";
    int64_t initial_query_start_us = 0;
    uint8_t interface = 1; // an Interface, or another number of ClickHouse's
    std::string os_user, client_hostname, client_name;
    uint64_t version_major = 0, version_minor = 0, version_patch = 0, revision = 0;
    uint8_t http_method = 0;
    std::string http_user_agent, forwarded_for, http_referer;
    std::string quota_key;
    uint64_t distributed_depth = 0;
    std::string client_agent;
    bool is_internal = false;
};
NativeClientInfo read_client_info(InputBuffer& in, uint64_t revision);
void write_client_info(OutputBuffer& out, const NativeClientInfo& info, uint64_t revision);

struct NativeSetting
{
    std::string name, value;
    bool important = false; // the receiver must know it
    bool custom = false;    // value is a literal: 'text' in quotes
};

struct NativeQuery
{
    std::string query_id;
    NativeClientInfo client;
    std::vector<NativeSetting> settings;
    uint64_t stage = kStageComplete;
    bool compressed = false; // blocks both ways
    std::string text;
    std::vector<std::pair<std::string, std::string>> parameters; // as param_x= takes them
};
NativeQuery read_query(InputBuffer& in, uint64_t revision);
void write_query(OutputBuffer& out, const NativeQuery& query, uint64_t revision);

// Counts since the last one.
struct NativeProgress
{
    uint64_t read_rows = 0, read_bytes = 0, total_rows = 0, total_bytes = 0;
    uint64_t written_rows = 0, written_bytes = 0, elapsed_ns = 0;

    bool empty() const
    {
        return !read_rows && !read_bytes && !total_rows && !total_bytes && !written_rows &&
               !written_bytes;
    }
};
NativeProgress read_progress(InputBuffer& in, uint64_t revision);
void write_progress(OutputBuffer& out, const NativeProgress& progress, uint64_t revision);

struct NativeProfileInfo
{
    uint64_t rows = 0, blocks = 0, bytes = 0;
    std::optional<uint64_t> rows_before_limit;
};
NativeProfileInfo read_profile_info(InputBuffer& in, uint64_t revision);
void write_profile_info(OutputBuffer& out, const NativeProfileInfo& info, uint64_t revision);

// Nested ones are joined into the message.
Error read_exception(InputBuffer& in);
void write_exception(OutputBuffer& out, const Error& error);

std::vector<std::pair<std::string, std::string>> read_tables_status_request(InputBuffer& in);
// Of the tables asked for, those that exist; none is replicated.
void write_tables_status(OutputBuffer& out,
                         const std::vector<std::pair<std::string, std::string>>& tables);

void write_packet(OutputBuffer& out, ServerPacket packet);
void write_packet(OutputBuffer& out, ClientPacket packet);

} // namespace basalt
