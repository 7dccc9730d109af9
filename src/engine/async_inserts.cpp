#include "engine/async_inserts.h"

#include "base/error.h"

#include <algorithm>
#include <chrono>

namespace basalt
{

namespace
{

constexpr auto kAliveCheckInterval = std::chrono::milliseconds(100);

} // namespace

AsyncInserts::~AsyncInserts()
{
    stop();
}

void AsyncInserts::add(AsyncInsert insert, std::unique_ptr<Transaction> transaction,
                       const QueryContext& context)
{
    auto pending = std::make_shared<Pending>();
    pending->insert = std::move(insert);
    pending->transaction = std::move(transaction);
    {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, kAliveCheckInterval,
                                  [&]
                                  {
                                      return stopping_ || (pending_.size() < kMaxPending &&
                                                           pending_bytes_ < kMaxPendingBytes);
                                  }))
            context.check_alive();
        if (!stopping_)
        {
            while (threads_.size() < kCommitters)
                threads_.emplace_back([this] { run(); });
            pending->number = next_number_++;
            pending_bytes_ += pending->insert.bytes;
            pending_.push_back(std::move(pending));
            lock.unlock();
            changed_.notify_all();
            return;
        }
    }
    pending->transaction->commit();
}

void AsyncInserts::run()
{
    std::unique_lock lock(mutex_);
    for (;;)
    {
        const auto next = std::find_if(pending_.begin(), pending_.end(),
                                       [](const auto& one) { return !one->is_taken; });
        if (next == pending_.end())
        {
            if (stopping_)
                return;
            changed_.wait(lock);
            continue;
        }
        const std::shared_ptr<Pending> taken = *next;
        taken->is_taken = true;
        lock.unlock();
        commit(*taken);
        lock.lock();
        pending_bytes_ -= taken->insert.bytes;
        pending_.erase(std::find(pending_.begin(), pending_.end(), taken));
        changed_.notify_all();
    }
}

void AsyncInserts::commit(Pending& pending)
{
    auto status = AsyncInsertLogEntry::Status::Ok;
    std::string exception;
    try
    {
        pending.transaction->commit();
    }
    catch (const Error& error)
    {
        status = AsyncInsertLogEntry::Status::FlushError;
        exception = error.full_text();
    }
    catch (const std::exception& error)
    {
        status = AsyncInsertLogEntry::Status::FlushError;
        exception = error.what();
    }
    pending.transaction.reset();
    record(pending.insert, status, std::move(exception));
}

void AsyncInserts::record(AsyncInsert insert, AsyncInsertLogEntry::Status status,
                          std::string exception)
{
    AsyncInsertLogEntry entry{std::move(insert), status, std::move(exception),
                              system_clock().unix_us()};
    std::lock_guard lock(mutex_);
    log_.push_back(std::move(entry));
    if (log_.size() > kMaxLogEntries)
        log_.pop_front();
}

void AsyncInserts::flush()
{
    std::unique_lock lock(mutex_);
    const uint64_t end = next_number_;
    changed_.wait(lock, [&] { return pending_.empty() || pending_.front()->number >= end; });
}

void AsyncInserts::stop()
{
    std::vector<std::thread> threads;
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        threads.swap(threads_);
    }
    changed_.notify_all();
    for (auto& thread : threads)
        thread.join();
}

std::vector<AsyncInsert> AsyncInserts::pending() const
{
    std::lock_guard lock(mutex_);
    std::vector<AsyncInsert> inserts;
    for (const auto& one : pending_)
        inserts.push_back(one->insert);
    return inserts;
}

std::vector<AsyncInsertLogEntry> AsyncInserts::log() const
{
    std::lock_guard lock(mutex_);
    return {log_.begin(), log_.end()};
}

} // namespace basalt
