#pragma once

// A connection that speaks PostgreSQL's streaming replication protocol for a logical slot with
// pgoutput (protocol version 1: a transaction comes whole, after its commit).
// Errors: POSTGRESQL_CONNECTION_FAILURE with the server's own words. Threads: one at a time.

#include "base/int_types.h"
#include "postgres/wal_archive.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt::pg
{

struct StreamMessage
{
    std::string_view payload; // of XLogData; lives until the next call. Empty: a keep-alive
    Lsn end;                  // everything before it was sent
    bool wants_reply = false;
};

class ReplicationStream
{
public:
    // Keywords and values of libpq, of an ordinary connection.
    explicit ReplicationStream(std::vector<std::pair<std::string, std::string>> options);
    ~ReplicationStream();
    ReplicationStream(const ReplicationStream&) = delete;
    ReplicationStream& operator=(const ReplicationStream&) = delete;

    std::string system_identifier();
    // A permanent slot; returns where its stream begins. Waits for transactions that run.
    Lsn create_slot(const std::string& name);
    void start(const std::string& slot, Lsn from, const std::vector<std::string>& publications);

    // The next message, or nothing within the time. Throws when the stream has ended.
    std::optional<StreamMessage> next(int64_t timeout_ms);
    // Tells the server what need not be sent again; asks for a keep-alive if `ask`.
    void confirm(Lsn durable, bool ask);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt::pg
