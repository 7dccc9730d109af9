#include "storage/background.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace basalt
{

Background::Background(size_t long_threads, std::function<bool()> between_short_steps)
    : long_threads_(long_threads), between_short_steps_(std::move(between_short_steps))
{
}

Background::~Background()
{
    stop();
}

void Background::start()
{
    std::lock_guard lock(mutex_);
    if (!threads_.empty())
        return;
    stopping_ = false;
    threads_.emplace_back([this] { run(false); });
    for (size_t i = 0; i < long_threads_; ++i)
        threads_.emplace_back([this] { run(true); });
}

void Background::stop()
{
    std::vector<std::thread> threads;
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        threads.swap(threads_);
    }
    wake_.notify_all();
    for (auto& thread : threads)
        thread.join();
}

bool Background::stopping() const
{
    std::lock_guard lock(mutex_);
    return stopping_;
}

void Background::add(BackgroundClient& client)
{
    std::lock_guard lock(mutex_);
    entries_.push_back(std::make_shared<Entry>(Entry{&client}));
}

void Background::remove(BackgroundClient& client)
{
    std::unique_lock lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return entry->client == &client; });
    if (found == entries_.end())
        return;
    const auto entry = *found;
    entry->removed = true;
    entries_.erase(found);
    step_done_.wait(lock, [&] { return entry->running == 0; });
}

void Background::wake()
{
    {
        std::lock_guard lock(mutex_);
        ++wakes_;
    }
    wake_.notify_all();
}

bool Background::round(bool long_steps)
{
    std::vector<std::shared_ptr<Entry>> entries;
    {
        std::lock_guard lock(mutex_);
        entries = entries_;
    }
    bool any = false;
    for (const auto& entry : entries)
    {
        {
            std::lock_guard lock(mutex_);
            if (entry->removed)
                continue;
            ++entry->running;
        }
        any |= long_steps ? entry->client->long_step() : entry->client->short_step();
        {
            std::lock_guard lock(mutex_);
            --entry->running;
        }
        step_done_.notify_all();
    }
    if (!long_steps && between_short_steps_)
        any |= between_short_steps_();
    return any;
}

void Background::run(bool long_steps)
{
    uint64_t seen = 0;
    for (;;)
    {
        {
            std::unique_lock lock(mutex_);
            if (stopping_)
                return;
            seen = wakes_;
        }
        if (round(long_steps))
            continue;
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, std::chrono::seconds(1),
                       [&] { return stopping_ || wakes_ != seen; });
        if (stopping_)
            return;
    }
}

void Background::run_until_idle()
{
    // Long steps may make short ones due, and the other way round.
    for (;;)
    {
        const bool short_done = round(false);
        const bool long_done = round(true);
        if (!short_done && !long_done)
            return;
    }
}

} // namespace basalt
