#pragma once

// Counts the bytes that a query, an insert or a merge holds, under a limit, in a tree whose root is
// the server. Threads: all methods may be called from any thread.

#include "base/int_types.h"

#include <atomic>
#include <string>

namespace basalt
{

class MemoryTracker
{
public:
    // limit_bytes 0 = no limit of its own. The parent must outlive this tracker.
    explicit MemoryTracker(std::string name, size_t limit_bytes = 0,
                           MemoryTracker* parent = nullptr);
    ~MemoryTracker(); // gives back to the parent what is still held

    // Throws MEMORY_LIMIT_EXCEEDED (241) when this or a parent's limit would be passed; then
    // nothing is charged anywhere.
    void charge(size_t bytes);
    bool try_charge(size_t bytes) noexcept;
    void release(size_t bytes) noexcept;

    int64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
    int64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }
    size_t limit_bytes() const { return limit_.load(std::memory_order_relaxed); }
    void set_limit(size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
    const std::string& name() const { return name_; }

private:
    std::string name_;
    std::atomic<int64_t> used_{0};
    std::atomic<int64_t> peak_{0};
    std::atomic<size_t> limit_;
    MemoryTracker* parent_;
};

// Charges on construction and on resize, gives back on destruction. Movable.
class MemoryCharge
{
public:
    MemoryCharge() = default;
    MemoryCharge(MemoryTracker* tracker, size_t bytes) : tracker_(tracker) { resize(bytes); }
    MemoryCharge(MemoryCharge&& other) noexcept : tracker_(other.tracker_), bytes_(other.bytes_)
    {
        other.tracker_ = nullptr;
        other.bytes_ = 0;
    }
    MemoryCharge& operator=(MemoryCharge&& other) noexcept;
    ~MemoryCharge() { reset(); }

    void resize(size_t bytes);
    void reset();
    size_t bytes() const { return bytes_; }

private:
    MemoryTracker* tracker_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace basalt
