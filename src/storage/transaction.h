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

class Transaction
{
public:
    virtual ~Transaction() = default; // not committed: everything prepared is dropped and removed

    // Becomes part of the record. `table_uuid` says whose. Payload formats are the table's.
    virtual void add_record(const std::string& table_uuid, uint8_t kind, std::string payload) = 0;
    // Run in order after the record is durable, before commit() returns: makes it visible.
    virtual void on_commit(std::function<void()> action) = 0;
    // Run when the transaction is dropped without commit.
    virtual void on_rollback(std::function<void()> action) = 0;
    // Writes the record and waits until it is durable (group commit).
    virtual void commit() = 0;
};

} // namespace basalt
