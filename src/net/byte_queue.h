#pragma once

// Bytes from one thread to another, which reads them as a stream. The reader waits when there are
// none, the writer is told when there is no room.

#include "io/buffer.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace basalt
{

inline constexpr size_t kMaxQueuedBytes = 4 << 20;

class ByteQueue final : public InputBuffer
{
public:
    // check: called from time to time while the reader waits; may throw to end the wait.
    explicit ByteQueue(std::function<void()> check) : check_(std::move(check)) {}

    // The writer's side. False when there is no room (a piece larger than the limit is taken
    // when nothing is queued).
    bool offer(std::string& bytes);
    void finish(); // no more come
    void abandon(); // the reader gets QUERY_WAS_CANCELLED

protected:
    size_t read_some(char* to, size_t size) override;

private:
    std::function<void()> check_;
    std::mutex mutex_;
    std::condition_variable come_;
    std::deque<std::string> pieces_;
    size_t queued_bytes_ = 0;
    size_t at_ = 0; // in the first piece
    bool finished_ = false, abandoned_ = false;
};

} // namespace basalt
