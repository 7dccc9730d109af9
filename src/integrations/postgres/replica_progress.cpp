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

void ReplicaProgress::wait_for(Lsn lsn, const QueryContext& context)
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
    while (applied_ < lsn)
    {
        changed_.wait_for(lock, kPoll);
        context.check_alive();
        if (std::chrono::steady_clock::now() > deadline && applied_ < lsn)
            throw Error(error_codes::TIMEOUT_EXCEEDED,
                        fmt::format("The replica is at {} and did not reach {} within {} seconds",
                                    applied_.text(), lsn.text(), kMaxWaitS));
    }
}

} // namespace basalt::pg
