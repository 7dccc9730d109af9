#include "base/memory_tracker.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

MemoryTracker::MemoryTracker(std::string name, size_t limit_bytes, MemoryTracker* parent)
    : name_(std::move(name)), limit_(limit_bytes), parent_(parent)
{
}

MemoryTracker::~MemoryTracker()
{
    if (parent_)
        parent_->release(static_cast<size_t>(used_.load()));
}

bool MemoryTracker::try_charge(size_t bytes) noexcept
{
    const auto delta = static_cast<int64_t>(bytes);
    const int64_t now = used_.fetch_add(delta, std::memory_order_relaxed) + delta;
    const size_t limit = limit_.load(std::memory_order_relaxed);
    if (limit != 0 && now > static_cast<int64_t>(limit))
    {
        used_.fetch_sub(delta, std::memory_order_relaxed);
        return false;
    }
    if (parent_ && !parent_->try_charge(bytes))
    {
        used_.fetch_sub(delta, std::memory_order_relaxed);
        return false;
    }
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed))
    {
    }
    return true;
}

void MemoryTracker::charge(size_t bytes)
{
    if (try_charge(bytes))
        return;
    const size_t limit = limit_.load();
    const bool own = limit != 0 && used_.load() + static_cast<int64_t>(bytes) >
                                       static_cast<int64_t>(limit);
    const MemoryTracker& full = own || !parent_ ? *this : *parent_;
    throw Error(error_codes::MEMORY_LIMIT_EXCEEDED,
                fmt::format("Memory limit ({}) exceeded: would use {} bytes (attempt to allocate "
                            "{} bytes), maximum: {} bytes",
                            full.name(), full.used_bytes() + static_cast<int64_t>(bytes), bytes,
                            full.limit_bytes()));
}

void MemoryTracker::release(size_t bytes) noexcept
{
    used_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    if (parent_)
        parent_->release(bytes);
}

MemoryCharge& MemoryCharge::operator=(MemoryCharge&& other) noexcept
{
    if (this != &other)
    {
        reset();
        tracker_ = std::exchange(other.tracker_, nullptr);
        bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
}

void MemoryCharge::resize(size_t bytes)
{
    if (!tracker_ || bytes == bytes_)
        return;
    if (bytes > bytes_)
        tracker_->charge(bytes - bytes_);
    else
        tracker_->release(bytes_ - bytes);
    bytes_ = bytes;
}

void MemoryCharge::reset()
{
    if (tracker_ && bytes_)
        tracker_->release(bytes_);
    bytes_ = 0;
}

} // namespace basalt
