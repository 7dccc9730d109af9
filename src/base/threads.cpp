#include "base/threads.h"

#include "base/error.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace basalt
{

namespace
{

std::string first_line(const char* path)
{
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

// Idle threads are kept for the next job: starting one costs more than a short query.
class ThreadCache
{
public:
    ~ThreadCache()
    {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_)
            thread.join();
    }

    void submit(std::function<void()> task)
    {
        std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
        if (tasks_.size() > idle_)
            threads_.emplace_back([this] { work(); });
        else
            wake_.notify_one();
    }

private:
    void work()
    {
        std::unique_lock lock(mutex_);
        for (;;)
        {
            ++idle_;
            wake_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
            --idle_;
            if (tasks_.empty())
                return;
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            task = nullptr;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
    size_t idle_ = 0;
    bool stopping_ = false;
};

ThreadCache& thread_cache()
{
    static ThreadCache cache;
    return cache;
}

} // namespace

size_t granted_cores()
{
    static const size_t cores = []
    {
        cpu_set_t set;
        size_t n = std::max(1u, std::thread::hardware_concurrency());
        if (sched_getaffinity(0, sizeof(set), &set) == 0)
            n = std::max<size_t>(1, CPU_COUNT(&set));
        const std::string line = first_line("/sys/fs/cgroup/cpu.max");
        double quota = 0, period = 0;
        if (std::sscanf(line.c_str(), "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0)
            n = std::min(n, std::max<size_t>(1, static_cast<size_t>(quota / period + 0.999)));
        const std::string v1 = first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
        const std::string v1_period = first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
        if (std::atol(v1.c_str()) > 0 && std::atol(v1_period.c_str()) > 0)
            n = std::min<size_t>(n, std::max(1l, (std::atol(v1.c_str()) + std::atol(v1_period.c_str()) - 1) /
                                                     std::atol(v1_period.c_str())));
        return n;
    }();
    return cores;
}

size_t granted_memory_bytes()
{
    size_t bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<size_t>(sysconf(_SC_PAGESIZE));
    for (const char* path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    {
        const std::string line = first_line(path);
        if (!line.empty() && line[0] >= '0' && line[0] <= '9')
            bytes = std::min<size_t>(bytes, std::strtoull(line.c_str(), nullptr, 10));
    }
    return bytes;
}

void run_parallel(size_t n, const std::function<void(size_t)>& job)
{
    BASALT_ASSERT(n <= kMaxParallelJobs);
    if (n == 0)
        return;
    struct Shared
    {
        std::mutex mutex;
        std::condition_variable done;
        size_t left = 0;
        std::exception_ptr first_error;
    } shared;
    auto run_one = [&](size_t i)
    {
        try
        {
            job(i);
        }
        catch (...)
        {
            std::lock_guard lock(shared.mutex);
            if (!shared.first_error)
                shared.first_error = std::current_exception();
        }
    };
    shared.left = n - 1;
    for (size_t i = 1; i < n; ++i)
        thread_cache().submit(
            [&, i]
            {
                run_one(i);
                std::lock_guard lock(shared.mutex);
                --shared.left;
                shared.done.notify_one();
            });
    run_one(0);
    std::unique_lock lock(shared.mutex);
    shared.done.wait(lock, [&] { return shared.left == 0; });
    if (shared.first_error)
        std::rethrow_exception(shared.first_error);
}

} // namespace basalt
