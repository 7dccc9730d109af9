#include "net/byte_queue.h"

#include "base/error.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace basalt
{

namespace
{

constexpr auto kCheckEvery = std::chrono::milliseconds(100);

} // namespace

bool ByteQueue::offer(std::string& bytes)
{
    std::lock_guard lock(mutex_);
    if (!pieces_.empty() && queued_bytes_ + bytes.size() > kMaxQueuedBytes)
        return false;
    if (bytes.empty())
        return true;
    queued_bytes_ += bytes.size();
    pieces_.push_back(std::move(bytes));
    come_.notify_one();
    return true;
}

void ByteQueue::finish()
{
    std::lock_guard lock(mutex_);
    finished_ = true;
    come_.notify_one();
}

void ByteQueue::abandon()
{
    std::lock_guard lock(mutex_);
    abandoned_ = true;
    come_.notify_one();
}

size_t ByteQueue::read_some(char* to, size_t size)
{
    std::unique_lock lock(mutex_);
    while (!come_.wait_for(lock, kCheckEvery,
                           [&] { return !pieces_.empty() || finished_ || abandoned_; }))
    {
        lock.unlock();
        check_();
        lock.lock();
    }
    if (abandoned_)
        throw Error(error_codes::QUERY_WAS_CANCELLED, "Its client ended the transfer of rows");
    if (pieces_.empty())
        return 0;
    const std::string& first = pieces_.front();
    const size_t count = std::min(size, first.size() - at_);
    std::memcpy(to, first.data() + at_, count);
    at_ += count;
    if (at_ == first.size())
    {
        queued_bytes_ -= first.size();
        pieces_.pop_front();
        at_ = 0;
    }
    return count;
}

} // namespace basalt
