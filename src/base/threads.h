#pragma once

// A fixed pool of worker threads and the helper that runs one job on several of them.

#include "base/int_types.h"

#include <functional>

namespace basalt
{

// Cores this process may use: the cgroup's quota (v1 and v2) or the CPU mask, at least 1.
size_t granted_cores();
// Bytes of memory this process may use: the cgroup's limit or the machine's memory.
size_t granted_memory_bytes();

// Runs job(0) … job(n-1), each on a thread of its own (job(0) on the caller), and waits for all.
// The first exception is rethrown after all have ended. n is at most kMaxParallelJobs.
inline constexpr size_t kMaxParallelJobs = 256;
void run_parallel(size_t n, const std::function<void(size_t)>& job);

} // namespace basalt
