#pragma once

// Buffered bytes out and in: what formats, HTTP and files read from and write to. The fast paths
// are inline and never virtual; only an empty or full buffer calls the implementation.
// Threads: one object, one thread at a time.

#include "base/int_types.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace basalt
{

class ReadableFile;
class WritableFile;

inline constexpr size_t kStreamBufferBytes = 64 << 10;
// Most bytes that reserve() or ensure() hold together; past it TOO_LARGE_STRING_SIZE.
inline constexpr size_t kMaxContiguousBytes = 1ull << 30;

class OutputBuffer
{
public:
    virtual ~OutputBuffer() = default;
    OutputBuffer(const OutputBuffer&) = delete;
    OutputBuffer& operator=(const OutputBuffer&) = delete;

    void write(const char* data, size_t size)
    {
        if (size <= static_cast<size_t>(end_ - pos_)) [[likely]]
        {
            // An empty view may hold a null pointer, which memcpy must not see.
            if (size)
                std::memcpy(pos_, data, size);
            pos_ += size;
            return;
        }
        write_slow(data, size);
    }
    void write(std::string_view text) { write(text.data(), text.size()); }
    void write(char c)
    {
        if (pos_ == end_) [[unlikely]]
            make_room(1);
        *pos_++ = c;
    }

    // At least `size` bytes to write into directly; advance() tells how many were used.
    char* reserve(size_t size)
    {
        if (size > static_cast<size_t>(end_ - pos_)) [[unlikely]]
            make_room(size);
        return pos_;
    }
    void advance(size_t size) { pos_ += size; }
    size_t room() const { return static_cast<size_t>(end_ - pos_); }

    // Hands what is buffered to the sink.
    virtual void flush() = 0;
    // flush() and end the stream (a last chunk, a trailer). Nothing may be written after it.
    virtual void finish() { flush(); }

    // Bytes written so far.
    uint64_t count() const { return passed_ + static_cast<uint64_t>(pos_ - begin_); }

protected:
    OutputBuffer() = default;

    // Leaves at least `size` bytes between pos_ and end_.
    virtual void make_room(size_t size) = 0;
    // For more bytes than there is room; the default copies piece by piece.
    virtual void write_slow(const char* data, size_t size);

    char* begin_ = nullptr;
    char* pos_ = nullptr;
    char* end_ = nullptr;
    uint64_t passed_ = 0; // bytes that left [begin_, pos_)
};

// Appends to a string. The string is complete after flush() or finish() and holds spare bytes
// at its end until then.
class StringOutputBuffer final : public OutputBuffer
{
public:
    explicit StringOutputBuffer(std::string& target);
    ~StringOutputBuffer() override { StringOutputBuffer::flush(); }
    void flush() override;

protected:
    void make_room(size_t size) override;

private:
    std::string& target_;
};

// Gathers bytes and hands them on in large pieces. Destroying it without flush() drops what is
// buffered: a failed reply must not look complete.
class BlockOutputBuffer : public OutputBuffer
{
public:
    explicit BlockOutputBuffer(size_t buffer_bytes = kStreamBufferBytes);
    void flush() override;

protected:
    void make_room(size_t size) override;
    void write_slow(const char* data, size_t size) override;
    virtual void sink(const char* data, size_t size) = 0;

private:
    void hand_over();
    std::unique_ptr<char[]> memory_;
    size_t capacity_;
};

// flush() hands the bytes to the file and flushes it; syncing and closing stay with the owner.
class FileOutputBuffer final : public BlockOutputBuffer
{
public:
    explicit FileOutputBuffer(WritableFile& file) : file_(file) {}
    void flush() override;

protected:
    void sink(const char* data, size_t size) override;

private:
    WritableFile& file_;
};

// Calls `sink(bytes)` (any callable) for each piece.
template <typename Sink> class CallbackOutputBuffer final : public BlockOutputBuffer
{
public:
    explicit CallbackOutputBuffer(Sink sink, size_t buffer_bytes = kStreamBufferBytes)
        : BlockOutputBuffer(buffer_bytes), sink_(std::move(sink))
    {
    }

protected:
    void sink(const char* data, size_t size) override { sink_(std::string_view(data, size)); }

private:
    Sink sink_;
};

class InputBuffer
{
public:
    virtual ~InputBuffer() = default;
    InputBuffer(const InputBuffer&) = delete;
    InputBuffer& operator=(const InputBuffer&) = delete;

    // The bytes at hand, possibly none; valid until the next call that is not const.
    std::string_view available() const { return {pos_, static_cast<size_t>(end_ - pos_)}; }
    const char* position() const { return pos_; }
    const char* end() const { return end_; }
    // `size` is at most available().size().
    void consume(size_t size) { pos_ += size; }
    void set_position(const char* position) { pos_ = position; }

    // True at the end of the stream. Reads more when nothing is at hand.
    bool eof() { return pos_ == end_ && !refill(); }
    // Keeps what is unread and reads more behind it. False if there was no more.
    bool refill();
    // Tries to have at least `size` bytes at hand together; returns how many there are.
    size_t ensure(size_t size);

    // Next byte or -1 at the end, left in place.
    int peek() { return eof() ? -1 : static_cast<unsigned char>(*pos_); }
    // Up to `size` bytes; fewer only at the end.
    size_t read(char* to, size_t size);
    // All of them or CANNOT_READ_ALL_DATA.
    void read_exact(char* to, size_t size)
    {
        if (size <= static_cast<size_t>(end_ - pos_)) [[likely]]
        {
            if (size)
                std::memcpy(to, pos_, size);
            pos_ += size;
            return;
        }
        read_exact_slow(to, size);
    }
    char read_byte()
    {
        if (eof()) [[unlikely]]
            throw_end_of_file();
        return *pos_++;
    }
    void ignore(uint64_t size);
    // Everything to the end; TOO_LARGE_STRING_SIZE past `max_bytes`.
    std::string read_all(size_t max_bytes = kMaxContiguousBytes);

    // Bytes consumed so far.
    uint64_t count() const { return passed_ + static_cast<uint64_t>(pos_ - begin_); }

protected:
    explicit InputBuffer(size_t buffer_bytes = kStreamBufferBytes) : chunk_bytes_(buffer_bytes) {}
    // The whole input in memory of somebody else.
    InputBuffer(const char* data, size_t size);

    // Puts up to `size` bytes at `to`; 0 at the end of the stream.
    virtual size_t read_some(char* to, size_t size);

private:
    void read_exact_slow(char* to, size_t size);
    [[noreturn]] static void throw_end_of_file();

    const char* begin_ = nullptr;
    const char* pos_ = nullptr;
    const char* end_ = nullptr;
    uint64_t passed_ = 0;
    std::unique_ptr<char[]> memory_;
    size_t capacity_ = 0;
    size_t chunk_bytes_ = kStreamBufferBytes;
    bool ended_ = false;
};

// Reads bytes that outlive it.
class MemoryInputBuffer final : public InputBuffer
{
public:
    explicit MemoryInputBuffer(std::string_view bytes) : InputBuffer(bytes.data(), bytes.size()) {}
};

// Reads bytes it owns.
class StringInputBuffer final : public InputBuffer
{
public:
    explicit StringInputBuffer(std::string bytes);

protected:
    size_t read_some(char* to, size_t size) override;

private:
    std::string bytes_;
    size_t offset_ = 0;
};

class FileInputBuffer final : public InputBuffer
{
public:
    explicit FileInputBuffer(const ReadableFile& file, uint64_t offset = 0,
                             size_t buffer_bytes = kStreamBufferBytes)
        : InputBuffer(buffer_bytes), file_(file), offset_(offset)
    {
    }

protected:
    size_t read_some(char* to, size_t size) override;

private:
    const ReadableFile& file_;
    uint64_t offset_;
};

// Calls `source(char* to, size_t size) -> size_t` (any callable); 0 ends the stream.
template <typename Source> class CallbackInputBuffer final : public InputBuffer
{
public:
    explicit CallbackInputBuffer(Source source, size_t buffer_bytes = kStreamBufferBytes)
        : InputBuffer(buffer_bytes), source_(std::move(source))
    {
    }

protected:
    size_t read_some(char* to, size_t size) override { return source_(to, size); }

private:
    Source source_;
};

} // namespace basalt
