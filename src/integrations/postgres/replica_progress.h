#pragma once

// How far a replica has come, for readers that wait for a position. A position counts for a table only
// when its definition in PostgreSQL was looked at since: what ALTER does to rows is not in the stream.
// Threads: all from any.

#include "base/query_context.h"
#include "postgres/wal_archive.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace basalt::pg
{

enum class Standing : uint8_t
{
    Following, // has all that was reached
    Behind,    // is or must be copied again: it stays as it is
    Gone,      // not in PostgreSQL any more
    Replaced,  // by a new copy under the same name
};

class ReplicaProgress
{
public:
    void reached(Lsn lsn);
    // Another server or slot: positions begin anew.
    void restart(Lsn lsn);
    // A look at all definitions begins; ended with its number once every table's standing is told.
    uint64_t check_begins();
    void check_ended(uint64_t number);
    // Whether somebody waits for a look that has not begun.
    bool wants_check() const;
    Lsn applied() const;
    // Everything committed before `lsn` is visible when it returns. TIMEOUT_EXCEEDED after
    // max_execution_time, or after kMaxWaitS seconds without one; TABLE_IS_DROPPED when the table is
    // Gone or Replaced. standing: of the table, asked under a lock: it must not call back.
    void wait_for(Lsn lsn, const std::string& table, const std::function<Standing()>& standing,
                  const QueryContext& context);
    // Whether somebody waits for a position past the applied one: worth asking the server at once.
    bool is_awaited() const;

    static constexpr int64_t kMaxWaitS = 60;

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Lsn applied_;
    size_t waiting_ = 0;
    uint64_t checks_wanted_ = 0; // numbers of looks, from 1
    uint64_t checks_begun_ = 0;
    uint64_t checks_ended_ = 0;
};

} // namespace basalt::pg
