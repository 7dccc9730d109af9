#include "net/native/framing.h"

#include "io/binary.h"

#include <algorithm>

namespace basalt
{

bool ChunkedInput::has_bytes()
{
    if (!available().empty())
        return true;
    // Ends of packets say nothing by themselves.
    uint32_t length = 0;
    while (left_ == 0 && source_.available().size() >= sizeof(length))
    {
        std::memcpy(&length, source_.position(), sizeof(length));
        if (length != 0)
            return true;
        source_.consume(sizeof(length));
    }
    return !source_.available().empty();
}

size_t ChunkedInput::read_some(char* to, size_t size)
{
    while (left_ == 0)
    {
        if (source_.eof())
            return 0;
        left_ = read_fixed<uint32_t>(source_);
    }
    if (source_.eof())
        return 0;
    const size_t count =
        std::min<size_t>({size, size_t{left_}, source_.available().size()});
    std::memcpy(to, source_.position(), count);
    source_.consume(count);
    left_ -= static_cast<uint32_t>(count);
    return count;
}

void ChunkedOutput::sink(const char* data, size_t size)
{
    while (size > 0)
    {
        const size_t count = std::min(size, kMaxWrittenPieceBytes);
        write_fixed(target_, static_cast<uint32_t>(count));
        target_.write(data, count);
        data += count;
        size -= count;
    }
}

void ChunkedOutput::end_packet()
{
    flush();
    write_fixed(target_, uint32_t{0});
}

bool PacketStream::wait_for_input(int64_t timeout_ms)
{
    if (chunked_in_ ? chunked_in_->has_bytes() : !raw_in_.available().empty())
        return true;
    return socket_.wait_readable(timeout_ms);
}

} // namespace basalt
