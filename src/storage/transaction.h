#pragma once

// One transaction is one record of the server's log: rows for live buffers, edits of part lists,
// deduplication tokens and key/values, of any number of tables, durable together or not at all.
// Sinks of one INSERT (the table and its materialised views) add to the same transaction.

#include "columns/block.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace basalt
{

class Table;

struct TokenClaim
{
    std::string table_uuid;
    std::string text;        // the client's token, or a hash of the rows
    bool by_content = false; // the latter: a space of its own
    uint64_t window = 0;     // only so many last tokens count; 0: as many as are kept
    // Called several times a second while another transaction has the token; may throw.
    std::function<void()> while_waiting;
};

class Transaction
{
public:
    virtual ~Transaction() = default; // not committed: everything prepared is dropped and removed

    // Becomes part of the record. `table_uuid` says whose. Payload formats are the table's.
    virtual void add_record(const std::string& table_uuid, uint8_t kind, std::string payload) = 0;
    // A deduplication token of a table; false when a committed transaction has brought it before:
    // then nothing of this one should be added. Waits while another transaction that brings the
    // same token is under way. Tokens are kept for a limited number and time per table
    // (storage/log/tokens.h).
    virtual bool add_token(const TokenClaim& claim) = 0;
    // Whether add_token() would say false now.
    virtual bool knows_token(const TokenClaim& claim) const = 0;
    // Rows of the table in this transaction stand in these partitions.
    virtual void touch_partitions(const std::string& table_uuid,
                                  const std::vector<std::string>& partition_ids) = 0;
    // The table (or a partition of it) is emptied: its tokens are not known any more.
    virtual void forget_tokens(const std::string& table_uuid, const std::string& partition_id) = 0;
    // A durable key and value of the server (replication checkpoints); an empty value removes it.
    virtual void set_value(const std::string& key, const std::string& value) = 0;
    // Run in order after the record is durable, before commit() returns: makes it visible. Actions
    // of all transactions run in the order of their sequence numbers, perhaps on the thread of
    // another committer: they must not throw, wait or commit, and no lock they take may be held
    // while calling commit().
    virtual void on_commit(std::function<void()> action) = 0;
    // Run when the transaction is dropped without commit.
    virtual void on_rollback(std::function<void()> action) = 0;
    // Writes the record and waits until it is durable (group commit). When it throws, nothing has
    // happened. A transaction without content is not written.
    virtual void commit() = 0;
    // Position in the log; known to actions of on_commit and after commit().
    virtual uint64_t sequence() const = 0;
};

} // namespace basalt
