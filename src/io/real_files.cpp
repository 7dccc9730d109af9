#include "io/real_files.h"

#include "base/error.h"
#include "base/profile_events.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace basalt
{

namespace
{

using namespace error_codes;

uint64_t size_of_descriptor(int fd, const std::string& path)
{
    struct stat st;
    if (::fstat(fd, &st) != 0)
        throw_file_error(CANNOT_FSTAT, "stat", path, errno);
    return static_cast<uint64_t>(st.st_size);
}

class RealWritableFile : public WritableFile
{
public:
    RealWritableFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

    ~RealWritableFile() override
    {
        if (fd_ >= 0)
            ::close(fd_);
    }

    void append(const char* data, size_t size) override
    {
        check_usable();
        if (size >= kWriteBufferBytes)
        {
            flush();
            write_at(data, size, flushed_);
            flushed_ += size;
            return;
        }
        if (buffer_.size() + size > kWriteBufferBytes)
            flush();
        if (buffer_.capacity() < kWriteBufferBytes && buffer_.size() + size > kSmallBufferBytes)
            buffer_.reserve(kWriteBufferBytes);
        buffer_.append(data, size);
    }

    void pwrite(const char* data, size_t size, uint64_t offset) override
    {
        flush();
        write_at(data, size, offset);
        flushed_ = std::max(flushed_, offset + size);
    }

    void flush() override
    {
        check_usable();
        if (buffer_.empty())
            return;
        write_at(buffer_.data(), buffer_.size(), flushed_);
        flushed_ += buffer_.size();
        buffer_.clear();
    }

    void sync() override
    {
        flush();
        if (::fdatasync(fd_) != 0)
        {
            broken_ = true;
            throw_file_error(CANNOT_FSYNC, "sync file", path_, errno);
        }
    }

    void close() override
    {
        flush();
        const int fd = fd_;
        fd_ = -1;
        if (::close(fd) != 0 && errno != EINTR)
            throw_file_error(CANNOT_CLOSE_FILE, "close file", path_, errno);
    }

    uint64_t size() const override { return flushed_ + buffer_.size(); }
    const std::string& path() const override { return path_; }

    void set_start(uint64_t offset) { flushed_ = offset; }

private:
    // Files smaller than this never allocate the whole buffer.
    static constexpr size_t kSmallBufferBytes = 4 << 10;

    void check_usable() const
    {
        if (fd_ < 0)
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        fmt::format("Cannot write to file {}: it is closed", path_));
        if (broken_)
            throw Error(CANNOT_WRITE_TO_FILE_DESCRIPTOR,
                        fmt::format("Cannot write to file {}: an earlier write failed", path_));
    }

    void write_at(const char* data, size_t size, uint64_t offset)
    {
        server_profile_counters().add(ProfileEvent::OSWriteBytes, size);
        while (size > 0)
        {
            const ssize_t n = ::pwrite(fd_, data, size, static_cast<off_t>(offset));
            if (n < 0)
            {
                if (errno == EINTR)
                    continue;
                broken_ = true;
                throw_file_error(CANNOT_WRITE_TO_FILE_DESCRIPTOR, "write to file", path_, errno);
            }
            data += n;
            size -= static_cast<size_t>(n);
            offset += static_cast<uint64_t>(n);
        }
    }

    int fd_;
    bool broken_ = false;
    std::string path_;
    std::string buffer_;
    uint64_t flushed_ = 0; // where the buffer's first byte goes
};

// One aligned buffer per thread for direct reads into memory that is not aligned.
char* direct_buffer()
{
    struct Free
    {
        void operator()(char* p) const { std::free(p); }
    };
    thread_local std::unique_ptr<char, Free> buffer;
    if (!buffer)
    {
        buffer.reset(
            static_cast<char*>(std::aligned_alloc(kDirectIoAlignment, kDirectIoBufferBytes)));
        if (!buffer)
            throw std::bad_alloc();
    }
    return buffer.get();
}

class RealReadableFile : public ReadableFile
{
public:
    RealReadableFile(int fd, std::string path, bool direct)
        : fd_(fd), path_(std::move(path)), direct_(direct)
    {
    }
    ~RealReadableFile() override { ::close(fd_); }

    uint64_t size() const override { return size_of_descriptor(fd_, path_); }

    size_t pread(char* buffer, size_t size, uint64_t offset) const override
    {
        size_t done = 0;
        while (done < size)
        {
            const size_t n = direct_.load(std::memory_order_relaxed)
                                 ? read_direct(buffer + done, size - done, offset + done)
                                 : read_once(buffer + done, size - done, offset + done);
            if (n == 0)
                break;
            done += n;
        }
        return done;
    }

    void advise(Advice advice, uint64_t offset, uint64_t size) const override
    {
        int flag = POSIX_FADV_NORMAL;
        switch (advice)
        {
        case Advice::WillNeed:
            flag = POSIX_FADV_WILLNEED;
            break;
        case Advice::DontNeed:
            flag = POSIX_FADV_DONTNEED;
            break;
        case Advice::Sequential:
            flag = POSIX_FADV_SEQUENTIAL;
            break;
        case Advice::Random:
            flag = POSIX_FADV_RANDOM;
            break;
        }
        // A file system that cannot take advice loses nothing but speed.
        (void)::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(size), flag);
    }

    bool is_direct() const override { return direct_.load(std::memory_order_relaxed); }
    const std::string& path() const override { return path_; }

private:
    size_t read_once(char* buffer, size_t size, uint64_t offset) const
    {
        const bool was_direct = is_direct();
        for (bool left_direct = false;;)
        {
            const ssize_t n = ::pread(fd_, buffer, size, static_cast<off_t>(offset));
            if (n >= 0)
            {
                server_profile_counters().add(ProfileEvent::OSReadBytes, static_cast<uint64_t>(n));
                return static_cast<size_t>(n);
            }
            if (errno == EINTR)
                continue;
            const int error = errno;
            if (error == EINVAL && was_direct && !left_direct)
            {
                left_direct = true;
                if (leave_direct())
                    continue;
            }
            throw_file_error(CANNOT_READ_FROM_FILE_DESCRIPTOR, "read from file", path_, error);
        }
    }

    size_t read_direct(char* buffer, size_t size, uint64_t offset) const
    {
        constexpr uint64_t kMask = kDirectIoAlignment - 1;
        const bool aligned = ((reinterpret_cast<uintptr_t>(buffer) | offset) & kMask) == 0;
        if (aligned && size >= kDirectIoAlignment)
            return read_once(buffer, size & ~kMask, offset);
        const uint64_t start = offset & ~kMask;
        const size_t skip = offset - start;
        const size_t want = std::min(kDirectIoBufferBytes, (skip + size + kMask) & ~kMask);
        char* bounce = direct_buffer();
        const size_t got = read_once(bounce, want, start);
        if (got <= skip)
            return 0;
        const size_t n = std::min(size, got - skip);
        std::memcpy(buffer, bounce + skip, n);
        return n;
    }

    // Some file systems accept O_DIRECT at open and refuse it at the first read.
    bool leave_direct() const
    {
        direct_.store(false);
        const int flags = ::fcntl(fd_, F_GETFL);
        return flags >= 0 && ::fcntl(fd_, F_SETFL, flags & ~O_DIRECT) == 0;
    }

    int fd_;
    std::string path_;
    mutable std::atomic<bool> direct_;
};

} // namespace

std::unique_ptr<WritableFile> open_real_for_write(const std::string& path, OpenMode mode)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    if (mode == OpenMode::Truncate)
        flags |= O_TRUNC;
    else if (mode == OpenMode::Exclusive)
        flags |= O_EXCL;
    const int fd = ::open(path.c_str(), flags, 0666);
    if (fd < 0)
        throw_file_error(CANNOT_OPEN_FILE, "open file for writing", path, errno);
    server_profile_counters().add(ProfileEvent::FileOpen);
    auto file = std::make_unique<RealWritableFile>(fd, path);
    if (mode == OpenMode::Append)
        file->set_start(size_of_descriptor(fd, path));
    return file;
}

std::unique_ptr<ReadableFile> open_real_for_read(const std::string& path, ReadOptions options)
{
    bool direct = options.direct;
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
    if (fd < 0 && direct && (errno == EINVAL || errno == EOPNOTSUPP))
    {
        direct = false;
        fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    }
    if (fd < 0)
        throw_file_error(CANNOT_OPEN_FILE, "open file", path, errno);
    server_profile_counters().add(ProfileEvent::FileOpen);
    return std::make_unique<RealReadableFile>(fd, path, direct);
}

} // namespace basalt
