#pragma once

// How far a replica has come, for readers that wait for a position. Threads: all from any.

#include "base/query_context.h"
#include "postgres/wal_archive.h"

#include <condition_variable>
#include <mutex>

namespace basalt::pg
{

class ReplicaProgress
{
public:
    void reached(Lsn lsn);
    Lsn applied() const;
    // Everything committed before `lsn` is visible when it returns. TIMEOUT_EXCEEDED after
    // max_execution_time, or after kMaxWaitS seconds without one.
    void wait_for(Lsn lsn, const QueryContext& context);
    // Whether somebody waits for a position past the applied one: worth asking the server at once.
    bool is_awaited() const;

    static constexpr int64_t kMaxWaitS = 60;

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Lsn applied_;
    size_t waiting_ = 0;
};

} // namespace basalt::pg
