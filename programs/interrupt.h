#pragma once

// Ctrl-C while statements run.

#include "programs/remote.h"

#include <atomic>
#include <thread>

namespace basalt
{

// While it lives, Ctrl-C ends the query that runs and not the program; when none runs, or the query is
// being ended already, it ends the program (at a prompt only the latter). One at a time.
class Breaker
{
public:
    Breaker(RemoteRunner& runner, bool interactive);
    ~Breaker();

private:
    std::atomic<bool> done_{false};
    std::thread thread_;
};

} // namespace basalt
