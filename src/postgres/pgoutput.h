#pragma once

// Messages of PostgreSQL's logical replication plug-in pgoutput, protocol versions 1 and 2: bytes
// to structures. Pure; the bytes come from outside and are never trusted.
//
// A message is one XLogData payload. Streams of large transactions (version 2) put the id of the
// (sub)transaction in front of each message between StreamStart and StreamStop: the parser
// remembers where it is, so one parser serves one connection.
// Errors: INCORRECT_DATA for bytes that are no message; NOT_IMPLEMENTED for prepared transactions
// (version 3). After an error the parser is of no further use.
// Texts point into the payload and live as long as it does. Threads: one.

#include "base/int_types.h"
#include "postgres/wal_archive.h"

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace basalt::pg
{

// PostgreSQL's limit of columns is 1,600.
inline constexpr size_t kMaxReplicatedColumns = 1664;
inline constexpr size_t kMaxTruncatedTables = 1 << 20;
// PostgreSQL counts time from 2000-01-01.
inline constexpr int64_t kPostgresEpochUnixUs = 946684800000000;

struct BeginMessage
{
    Lsn commit_lsn; // of the commit record that will end it
    int64_t commit_unix_us = 0;
    uint32_t xid = 0;
};

struct CommitMessage
{
    Lsn commit_lsn;
    Lsn end_lsn; // what to confirm once it is durable
    int64_t commit_unix_us = 0;
};

struct OriginMessage
{
    Lsn lsn;
    std::string_view name;
};

struct RelationColumn
{
    bool is_key = false;
    std::string_view name;
    uint32_t type_oid = 0;
    int32_t type_modifier = -1;
};

enum class ReplicaIdentity : char
{
    Default = 'd', // the primary key
    Nothing = 'n',
    Full = 'f',
    Index = 'i'
};

// Sent before the first change of a table, and again after each change of its definition.
struct RelationMessage
{
    uint32_t oid = 0;
    std::string_view schema; // empty is pg_catalog
    std::string_view name;
    ReplicaIdentity identity = ReplicaIdentity::Default;
    std::vector<RelationColumn> columns;
};

// A type that is not built in.
struct TypeMessage
{
    uint32_t oid = 0;
    std::string_view schema;
    std::string_view name;
};

struct TupleValue
{
    enum class Kind : char
    {
        Null = 'n',
        Unchanged = 'u', // a long value that this update did not touch and did not send
        Text = 't',
        Binary = 'b'
    };
    Kind kind = Kind::Null;
    std::string_view bytes;
};
using Tuple = std::vector<TupleValue>;

struct InsertMessage
{
    uint32_t relation_oid = 0;
    Tuple row;
};

struct UpdateMessage
{
    uint32_t relation_oid = 0;
    // Only if the key changed (then of the key's columns) or the identity is full (whole row).
    std::optional<Tuple> before;
    bool before_is_whole_row = false;
    Tuple row;
};

struct DeleteMessage
{
    uint32_t relation_oid = 0;
    Tuple before;
    bool before_is_whole_row = false;
};

struct TruncateMessage
{
    bool cascade = false;
    bool restart_identity = false;
    std::vector<uint32_t> relation_oids;
};

// pg_logical_emit_message().
struct LogicalMessage
{
    bool transactional = false;
    Lsn lsn;
    std::string_view prefix;
    std::string_view content;
};

struct StreamStartMessage
{
    uint32_t xid = 0;
    bool is_first = false;
};

struct StreamStopMessage
{
};

struct StreamCommitMessage
{
    uint32_t xid = 0;
    CommitMessage commit;
};

// With xid == sub_xid the whole transaction is gone, otherwise a part of it.
struct StreamAbortMessage
{
    uint32_t xid = 0;
    uint32_t sub_xid = 0;
};

using ReplicationMessage =
    std::variant<BeginMessage, CommitMessage, OriginMessage, RelationMessage, TypeMessage,
                 InsertMessage, UpdateMessage, DeleteMessage, TruncateMessage, LogicalMessage,
                 StreamStartMessage, StreamStopMessage, StreamCommitMessage, StreamAbortMessage>;

class PgOutputParser
{
public:
    ReplicationMessage parse(std::string_view payload);

    bool is_in_stream() const { return in_stream_; }
    // Of the last message inside a stream; 0 outside.
    uint32_t stream_xid() const { return stream_xid_; }

private:
    bool in_stream_ = false;
    uint32_t stream_xid_ = 0;
};

} // namespace basalt::pg
