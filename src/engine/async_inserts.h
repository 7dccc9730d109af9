#pragma once

// Inserts whose client does not wait (wait_for_async_insert = 0): their rows were parsed and checked
// before the client got its answer and are committed a moment later. Also what inserts under
// async_insert came to: the rows behind system.asynchronous_insert_log, the oldest go first.
// Threads: all methods from any thread.

#include "base/query_context.h"
#include "storage/transaction.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace basalt
{

struct AsyncInsert
{
    std::string query; // without its rows
    std::string database, table, format, query_id;
    uint64_t bytes = 0;
    uint64_t rows = 0;
    int64_t received_unix_us = 0;
    bool is_preprocessed = false; // came as blocks
};

struct AsyncInsertLogEntry
{
    AsyncInsert insert;
    enum class Status : uint8_t
    {
        Ok = 0,
        ParsingError = 1,
        FlushError = 2,
    } status = Status::Ok;
    std::string exception;
    int64_t flushed_unix_us = 0;
};

class AsyncInserts
{
public:
    static constexpr size_t kMaxPending = 10000;
    static constexpr uint64_t kMaxPendingBytes = 64ull << 20;
    static constexpr size_t kMaxLogEntries = 10000;
    // Committing at once they share one sync of the log.
    static constexpr size_t kCommitters = 4;

    AsyncInserts() = default;
    ~AsyncInserts(); // as stop()

    // Takes a transaction that is ready. Waits while too much is pending; throws when the query is
    // cancelled meanwhile.
    void add(AsyncInsert insert, std::unique_ptr<Transaction> transaction,
             const QueryContext& context);
    // Of an insert that is done.
    void record(AsyncInsert insert, AsyncInsertLogEntry::Status status, std::string exception);
    // Returns when everything that was added before is committed or has failed.
    void flush();
    // flush(), and no thread is left. What is added later is committed by add() itself.
    void stop();

    std::vector<AsyncInsert> pending() const; // oldest first
    std::vector<AsyncInsertLogEntry> log() const;

private:
    struct Pending
    {
        uint64_t number = 0;
        AsyncInsert insert;
        std::unique_ptr<Transaction> transaction;
        bool is_taken = false;
    };

    void run();
    void commit(Pending& pending);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Pending>> pending_; // by number
    uint64_t pending_bytes_ = 0;
    uint64_t next_number_ = 0;
    std::vector<std::thread> threads_;
    bool stopping_ = false;
    std::deque<AsyncInsertLogEntry> log_;
};

} // namespace basalt
