#pragma once

// Background work of tables: one thread for short steps (flushes, removals, checkpoints), several
// for long ones (merges, mutations). A client is asked again as long as it says it did something,
// then when it is woken or a second has passed.

#include "base/int_types.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt
{

class BackgroundClient
{
public:
    virtual ~BackgroundClient() = default;
    // Each does one piece of work and returns true, or returns false. Called from several threads
    // at once; must not throw.
    virtual bool short_step() = 0;
    virtual bool long_step() = 0;
};

class Background
{
public:
    Background(size_t long_threads, std::function<bool()> between_short_steps);
    ~Background();

    void start();
    void stop(); // waits for steps under way
    void add(BackgroundClient& client);
    // Waits until no step of the client is running; afterwards it is not called.
    void remove(BackgroundClient& client);
    void wake();
    // One round of short or long steps of every client, on the caller's thread, when nothing was
    // started. True when something was done.
    bool round(bool long_steps);
    // Does all there is to do, on the caller's thread: for tests and when nothing was started.
    void run_until_idle();
    bool stopping() const;

private:
    void run(bool long_steps);

    size_t long_threads_;
    std::function<bool()> between_short_steps_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable step_done_;
    struct Entry
    {
        BackgroundClient* client;
        int running = 0;
        bool removed = false;
    };
    std::vector<std::shared_ptr<Entry>> entries_;
    std::vector<std::thread> threads_;
    uint64_t wakes_ = 0;
    bool stopping_ = false;
};

} // namespace basalt
