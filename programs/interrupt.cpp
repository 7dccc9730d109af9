#include "programs/interrupt.h"

#include <csignal>
#include <unistd.h>

namespace basalt
{

namespace
{

// Only async-signal-safe work is done in the handler: the query is ended by a thread that looks at
// the flag.
std::atomic<bool> g_interrupted{false};
constexpr int kExitOfInterrupted = 130; // as shells have it
constexpr int kLookEveryUs = 50000;

void on_interrupt(int)
{
    g_interrupted = true;
}

} // namespace

Breaker::Breaker(RemoteRunner& runner, bool interactive)
{
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread(
        [this, &runner, interactive]
        {
            while (!done_)
            {
                usleep(kLookEveryUs);
                if (!g_interrupted.exchange(false) || runner.interrupt())
                    continue;
                if (!interactive || runner.is_running())
                    _exit(kExitOfInterrupted);
            }
        });
}

Breaker::~Breaker()
{
    done_ = true;
    thread_.join();
}

} // namespace basalt
