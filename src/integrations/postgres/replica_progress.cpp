#include "integrations/postgres/replica_progress.h"

#include "base/error.h"

#include <chrono>
#include <fmt/core.h>

namespace basalt::pg
{

void ReplicaProgress::reached(Lsn lsn)
{
    {
        std::lock_guard lock(mutex_);
        if (lsn <= applied_)
            return;
        applied_ = lsn;
    }
    changed_.notify_all();
}

void ReplicaProgress::restart(Lsn lsn)
{
    std::lock_guard lock(mutex_);
    applied_ = lsn;
}

uint64_t ReplicaProgress::check_begins()
{
    std::lock_guard lock(mutex_);
    return ++checks_begun_;
}

void ReplicaProgress::check_ended(uint64_t number)
{
    {
        std::lock_guard lock(mutex_);
        checks_ended_ = number;
    }
    changed_.notify_all();
}

bool ReplicaProgress::wants_check() const
{
    std::lock_guard lock(mutex_);
    return checks_wanted_ > checks_begun_;
}

Lsn ReplicaProgress::applied() const
{
    std::lock_guard lock(mutex_);
    return applied_;
}

bool ReplicaProgress::is_awaited() const
{
    std::lock_guard lock(mutex_);
    return waiting_ > 0;
}

void ReplicaProgress::wait_for(Lsn lsn, const std::string& table,
                               const std::function<Standing()>& standing,
                               const QueryContext& context)
{
    constexpr auto kPoll = std::chrono::milliseconds(50);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kMaxWaitS);
    std::unique_lock lock(mutex_);
    struct Waiting
    {
        size_t& count;
        explicit Waiting(size_t& n) : count(n) { ++count; }
        ~Waiting() { --count; }
    } waiting(waiting_);
    uint64_t check = 0; // the first look that began when the position had been reached
    for (;;)
    {
        if (!check && applied_ >= lsn)
            checks_wanted_ = check = checks_begun_ + 1;
        const bool is_looked_at = check && checks_ended_ >= check && applied_ >= lsn;
        const Standing now = standing();
        if (is_looked_at && now == Standing::Following)
            return;
        if (now == Standing::Replaced)
            throw Error(error_codes::TABLE_IS_DROPPED,
                        fmt::format("Table {} was copied again while the query waited for {}",
                                    table, lsn.text()));
        if (is_looked_at && now == Standing::Gone)
            throw Error(error_codes::TABLE_IS_DROPPED,
                        fmt::format("Table {} is not in PostgreSQL any more: nothing follows to {}",
                                    table, lsn.text()));
        changed_.wait_for(lock, kPoll);
        context.check_alive();
        if (std::chrono::steady_clock::now() < deadline)
            continue;
        if (now == Standing::Behind)
            throw Error(error_codes::TIMEOUT_EXCEEDED,
                        fmt::format("Table {} is not up to date with PostgreSQL and was not copied "
                                    "again within {} seconds, see system.postgres_replication",
                                    table, kMaxWaitS));
        throw Error(error_codes::TIMEOUT_EXCEEDED,
                    fmt::format("The replica is at {} and did not reach {} within {} seconds",
                                applied_.text(), lsn.text(), kMaxWaitS));
    }
}

} // namespace basalt::pg
