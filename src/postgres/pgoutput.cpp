#include "postgres/pgoutput.h"

#include "base/error.h"

#include <fmt/core.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

class Reader
{
public:
    explicit Reader(std::string_view bytes) : all_(bytes), left_(bytes) {}

    uint64_t number(size_t size)
    {
        const std::string_view bytes = take(size);
        uint64_t value = 0;
        for (const char byte : bytes) // network order
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }
    uint8_t u8() { return static_cast<uint8_t>(number(1)); }
    uint16_t u16() { return static_cast<uint16_t>(number(2)); }
    uint32_t u32() { return static_cast<uint32_t>(number(4)); }
    uint64_t u64() { return number(8); }
    char letter() { return static_cast<char>(u8()); }
    Lsn lsn() { return Lsn{u64()}; }
    int64_t time_unix_us()
    {
        // Wraps for absurd values instead of overflowing.
        return static_cast<int64_t>(u64() + static_cast<uint64_t>(kPostgresEpochUnixUs));
    }

    std::string_view text()
    {
        const size_t end = left_.find('\0');
        if (end == std::string_view::npos)
            fail("a text without an end");
        const std::string_view result = left_.substr(0, end);
        left_.remove_prefix(end + 1);
        return result;
    }

    std::string_view counted() { return take(u32()); }

    void expect_end() const
    {
        if (!left_.empty())
            fail("bytes behind the end");
    }

    [[noreturn]] void fail(std::string_view what) const
    {
        const char kind = all_.empty() ? '?' : all_[0];
        const bool printable = kind > 0x20 && kind < 0x7f;
        throw Error(INCORRECT_DATA,
                    fmt::format("Replication message '{}' of {} bytes: {} at byte {}",
                                printable ? kind : '?', all_.size(), what,
                                all_.size() - left_.size()));
    }

private:
    std::string_view take(size_t size)
    {
        if (size > left_.size())
            fail(fmt::format("{} bytes are missing", size - left_.size()));
        const std::string_view result = left_.substr(0, size);
        left_.remove_prefix(size);
        return result;
    }

    std::string_view all_;
    std::string_view left_;
};

Tuple read_tuple(Reader& reader)
{
    const size_t columns = reader.u16();
    if (columns > kMaxReplicatedColumns)
        reader.fail("too many columns");
    Tuple tuple;
    tuple.reserve(columns);
    for (size_t i = 0; i < columns; ++i)
    {
        TupleValue value;
        const char kind = reader.letter();
        value.kind = static_cast<TupleValue::Kind>(kind);
        if (kind == 't' || kind == 'b')
            value.bytes = reader.counted();
        else if (kind != 'n' && kind != 'u')
            reader.fail("an unknown kind of value");
        tuple.push_back(value);
    }
    return tuple;
}

RelationMessage read_relation(Reader& reader)
{
    RelationMessage message;
    message.oid = reader.u32();
    message.schema = reader.text();
    message.name = reader.text();
    const char identity = reader.letter();
    if (identity != 'd' && identity != 'n' && identity != 'f' && identity != 'i')
        reader.fail("an unknown replica identity");
    message.identity = static_cast<ReplicaIdentity>(identity);
    const size_t columns = reader.u16();
    if (columns > kMaxReplicatedColumns)
        reader.fail("too many columns");
    for (size_t i = 0; i < columns; ++i)
    {
        RelationColumn column;
        column.is_key = (reader.u8() & 1) != 0;
        column.name = reader.text();
        column.type_oid = reader.u32();
        column.type_modifier = static_cast<int32_t>(reader.u32());
        message.columns.push_back(column);
    }
    return message;
}

UpdateMessage read_update(Reader& reader)
{
    UpdateMessage message;
    message.relation_oid = reader.u32();
    char kind = reader.letter();
    if (kind == 'K' || kind == 'O')
    {
        message.before_is_whole_row = kind == 'O';
        message.before = read_tuple(reader);
        kind = reader.letter();
    }
    if (kind != 'N')
        reader.fail("no new row");
    message.row = read_tuple(reader);
    return message;
}

DeleteMessage read_delete(Reader& reader)
{
    DeleteMessage message;
    message.relation_oid = reader.u32();
    const char kind = reader.letter();
    if (kind != 'K' && kind != 'O')
        reader.fail("no old row");
    message.before_is_whole_row = kind == 'O';
    message.before = read_tuple(reader);
    return message;
}

TruncateMessage read_truncate(Reader& reader)
{
    TruncateMessage message;
    const size_t tables = reader.u32();
    if (tables > kMaxTruncatedTables)
        reader.fail("too many tables");
    const uint8_t options = reader.u8();
    message.cascade = (options & 1) != 0;
    message.restart_identity = (options & 2) != 0;
    for (size_t i = 0; i < tables; ++i)
        message.relation_oids.push_back(reader.u32());
    return message;
}

CommitMessage read_commit(Reader& reader)
{
    CommitMessage message;
    reader.u8(); // flags: none are defined
    message.commit_lsn = reader.lsn();
    message.end_lsn = reader.lsn();
    message.commit_unix_us = reader.time_unix_us();
    return message;
}

LogicalMessage read_logical(Reader& reader)
{
    LogicalMessage message;
    message.transactional = (reader.u8() & 1) != 0;
    message.lsn = reader.lsn();
    message.prefix = reader.text();
    message.content = reader.counted();
    return message;
}

// Members of a braced list are read in order; function arguments would not be.
ReplicationMessage read_message(Reader& reader, char kind)
{
    switch (kind)
    {
    case 'B':
        return BeginMessage{reader.lsn(), reader.time_unix_us(), reader.u32()};
    case 'C':
        return read_commit(reader);
    case 'O':
        return OriginMessage{reader.lsn(), reader.text()};
    case 'R':
        return read_relation(reader);
    case 'Y':
        return TypeMessage{reader.u32(), reader.text(), reader.text()};
    case 'I':
    {
        InsertMessage message;
        message.relation_oid = reader.u32();
        if (reader.letter() != 'N')
            reader.fail("no new row");
        message.row = read_tuple(reader);
        return message;
    }
    case 'U':
        return read_update(reader);
    case 'D':
        return read_delete(reader);
    case 'T':
        return read_truncate(reader);
    case 'M':
        return read_logical(reader);
    case 'b':
    case 'P':
    case 'K':
    case 'r':
    case 'p':
        throw Error(NOT_IMPLEMENTED, "Prepared transactions are not replicated");
    default:
        reader.fail("an unknown kind of message");
    }
}

// Changes carry the id of their transaction inside a stream; the frame of a stream does not.
bool carries_xid(char kind)
{
    return std::string_view("RYIUDTM").find(kind) != std::string_view::npos;
}

} // namespace

ReplicationMessage PgOutputParser::parse(std::string_view payload)
{
    Reader reader(payload);
    const char kind = reader.letter();
    ReplicationMessage message;
    if (kind == 'S')
    {
        if (in_stream_)
            reader.fail("a stream inside a stream");
        StreamStartMessage start;
        start.xid = reader.u32();
        start.is_first = reader.u8() != 0;
        in_stream_ = true;
        stream_xid_ = start.xid;
        message = start;
    }
    else if (kind == 'E')
    {
        if (!in_stream_)
            reader.fail("the end of a stream that did not start");
        in_stream_ = false;
        stream_xid_ = 0;
        message = StreamStopMessage{};
    }
    else if (kind == 'c' || kind == 'A')
    {
        if (in_stream_)
            reader.fail("inside a stream");
        const uint32_t xid = reader.u32();
        if (kind == 'c')
            message = StreamCommitMessage{xid, read_commit(reader)};
        else
            message = StreamAbortMessage{xid, reader.u32()};
    }
    else
    {
        if (in_stream_ && carries_xid(kind))
            stream_xid_ = reader.u32();
        else if (in_stream_ && kind != 'O')
            reader.fail("inside a stream");
        message = read_message(reader, kind);
    }
    reader.expect_end();
    return message;
}

} // namespace basalt::pg
