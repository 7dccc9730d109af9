#include "io/buffer.h"

#include "base/error.h"
#include "io/file_system.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

namespace
{

void check_contiguous(size_t size)
{
    if (size > kMaxContiguousBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("Too large piece of data: {} bytes, at most {} are held together",
                                size, kMaxContiguousBytes));
}

} // namespace

void OutputBuffer::write_slow(const char* data, size_t size)
{
    while (size > 0)
    {
        if (pos_ == end_)
            make_room(1);
        const size_t n = std::min(size, room());
        std::memcpy(pos_, data, n);
        pos_ += n;
        data += n;
        size -= n;
    }
}

StringOutputBuffer::StringOutputBuffer(std::string& target) : target_(target)
{
    begin_ = pos_ = end_ = target_.data() + target_.size();
}

void StringOutputBuffer::flush()
{
    const auto used = static_cast<size_t>(pos_ - begin_);
    target_.resize(target_.size() - static_cast<size_t>(end_ - pos_));
    passed_ += used;
    begin_ = pos_ = end_ = target_.data() + target_.size();
}

void StringOutputBuffer::make_room(size_t size)
{
    check_contiguous(size);
    flush();
    constexpr size_t kSmallest = 256;
    const size_t old_size = target_.size();
    // Doubles, and uses what the allocation rounds up to.
    target_.resize(std::max(old_size + std::max(size, kSmallest), old_size * 2));
    target_.resize(target_.capacity());
    begin_ = pos_ = target_.data() + old_size;
    end_ = target_.data() + target_.size();
}

BlockOutputBuffer::BlockOutputBuffer(size_t buffer_bytes)
    : memory_(new char[buffer_bytes]), capacity_(buffer_bytes)
{
    begin_ = pos_ = memory_.get();
    end_ = begin_ + capacity_;
}

void BlockOutputBuffer::hand_over()
{
    const auto used = static_cast<size_t>(pos_ - begin_);
    if (used == 0)
        return;
    passed_ += used;
    pos_ = begin_;
    sink(begin_, used);
}

void BlockOutputBuffer::flush()
{
    hand_over();
}

void BlockOutputBuffer::make_room(size_t size)
{
    check_contiguous(size);
    hand_over();
    if (size > capacity_)
    {
        memory_.reset(new char[size]);
        capacity_ = size;
        begin_ = pos_ = memory_.get();
        end_ = begin_ + capacity_;
    }
}

void BlockOutputBuffer::write_slow(const char* data, size_t size)
{
    if (size >= capacity_)
    {
        hand_over();
        passed_ += size;
        sink(data, size);
        return;
    }
    OutputBuffer::write_slow(data, size);
}

void FileOutputBuffer::flush()
{
    BlockOutputBuffer::flush();
    file_.flush();
}

void FileOutputBuffer::sink(const char* data, size_t size)
{
    file_.append(data, size);
}

InputBuffer::InputBuffer(const char* data, size_t size)
    : begin_(data), pos_(data), end_(data + size), ended_(true)
{
}

size_t InputBuffer::read_some(char*, size_t)
{
    return 0;
}

bool InputBuffer::refill()
{
    if (ended_)
        return false;
    const auto unread = static_cast<size_t>(end_ - pos_);
    check_contiguous(unread + chunk_bytes_);
    passed_ += static_cast<uint64_t>(pos_ - begin_);
    // Half a chunk of room keeps reads large; the buffer doubles while nothing is consumed.
    if (capacity_ - unread < std::max<size_t>(chunk_bytes_ / 2, 1))
    {
        const size_t bigger = std::max(chunk_bytes_, capacity_ * 2);
        std::unique_ptr<char[]> memory(new char[bigger]);
        if (unread)
            std::memcpy(memory.get(), pos_, unread);
        memory_ = std::move(memory);
        capacity_ = bigger;
    }
    else if (unread)
        std::memmove(memory_.get(), pos_, unread);
    begin_ = pos_ = memory_.get();
    end_ = begin_ + unread;
    const size_t got = read_some(memory_.get() + unread, capacity_ - unread);
    if (got == 0)
    {
        ended_ = true;
        return false;
    }
    end_ += got;
    return true;
}

size_t InputBuffer::ensure(size_t size)
{
    check_contiguous(size);
    while (static_cast<size_t>(end_ - pos_) < size && refill())
    {
    }
    return static_cast<size_t>(end_ - pos_);
}

size_t InputBuffer::read(char* to, size_t size)
{
    size_t done = 0;
    while (done < size && !eof())
    {
        const size_t n = std::min(size - done, static_cast<size_t>(end_ - pos_));
        std::memcpy(to + done, pos_, n);
        pos_ += n;
        done += n;
    }
    return done;
}

void InputBuffer::read_exact_slow(char* to, size_t size)
{
    const size_t got = read(to, size);
    if (got != size)
        throw Error(
            error_codes::CANNOT_READ_ALL_DATA,
            fmt::format("Cannot read all data. Bytes read: {}. Bytes expected: {}", got, size));
}

void InputBuffer::throw_end_of_file()
{
    throw Error(error_codes::ATTEMPT_TO_READ_AFTER_EOF, "Attempt to read after eof");
}

void InputBuffer::ignore(uint64_t size)
{
    while (size > 0)
    {
        if (eof())
            throw_end_of_file();
        const uint64_t n = std::min<uint64_t>(size, static_cast<uint64_t>(end_ - pos_));
        pos_ += n;
        size -= n;
    }
}

std::string InputBuffer::read_all(size_t max_bytes)
{
    std::string result;
    while (!eof())
    {
        const std::string_view piece = available();
        if (result.size() + piece.size() > max_bytes)
            throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                        fmt::format("Too large input: more than {} bytes", max_bytes));
        result += piece;
        consume(piece.size());
    }
    return result;
}

StringInputBuffer::StringInputBuffer(std::string bytes) : bytes_(std::move(bytes)) {}

size_t StringInputBuffer::read_some(char* to, size_t size)
{
    const size_t n = std::min(size, bytes_.size() - offset_);
    std::memcpy(to, bytes_.data() + offset_, n);
    offset_ += n;
    return n;
}

size_t FileInputBuffer::read_some(char* to, size_t size)
{
    const size_t n = file_.pread(to, size, offset_);
    offset_ += n;
    return n;
}

} // namespace basalt
