#include "base/thread_allocation.h"

#include <cstddef>

// Of jemalloc; absent when the program is not linked with it.
extern "C" int mallctl(const char* name, void* old, size_t* old_size, void* fresh,
                       size_t fresh_size) __attribute__((weak));

namespace basalt
{

namespace
{

const uint64_t* thread_counter(const char* name)
{
    static const uint64_t kNone = 0;
    uint64_t* counter = nullptr;
    size_t size = sizeof(counter);
    if (!mallctl || mallctl(name, &counter, &size, nullptr, 0) != 0 || !counter)
        return &kNone;
    return counter;
}

} // namespace

int64_t thread_heap_bytes()
{
    thread_local const uint64_t* const allocated = thread_counter("thread.allocatedp");
    thread_local const uint64_t* const freed = thread_counter("thread.deallocatedp");
    return static_cast<int64_t>(*allocated - *freed);
}

} // namespace basalt
