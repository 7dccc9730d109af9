#include "net/http/held_bytes.h"

#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace basalt
{

namespace
{

constexpr size_t kPieceBytes = 1 << 20;

[[noreturn]] void fail(int code, const char* what)
{
    const int reason = errno;
    throw Error(reason == ENOSPC || reason == EDQUOT ? error_codes::NOT_ENOUGH_SPACE : code,
                fmt::format("Cannot {} the file that holds a reply back: {}", what,
                            std::strerror(reason)));
}

} // namespace

HeldBytes::~HeldBytes()
{
    clear();
}

void HeldBytes::open_file()
{
    const std::string folder = folder_.empty() ? "/tmp" : folder_;
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd_ >= 0)
        return;
    // Some file systems have no nameless files.
    std::string name = folder + "/held-reply-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0)
        fail(error_codes::CANNOT_OPEN_FILE, "make");
    ::unlink(name.c_str());
}

void HeldBytes::add(std::string_view bytes)
{
    if (fd_ < 0 && memory_.size() + bytes.size() <= kMaxHeldBytesInMemory)
    {
        memory_.append(bytes);
        return;
    }
    if (fd_ < 0)
        open_file();
    while (!bytes.empty())
    {
        const ssize_t n =
            ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(file_bytes_));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fail(error_codes::CANNOT_WRITE_TO_FILE, "write to");
        file_bytes_ += static_cast<uint64_t>(n);
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

void HeldBytes::read(const std::function<void(std::string_view)>& piece) const
{
    if (!memory_.empty())
        piece(memory_);
    std::string part;
    for (uint64_t at = 0; at < file_bytes_;)
    {
        part.resize(std::min<uint64_t>(kPieceBytes, file_bytes_ - at));
        const ssize_t n = ::pread(fd_, part.data(), part.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fail(error_codes::CANNOT_READ_FROM_FILE_DESCRIPTOR, "read");
        piece(std::string_view(part).substr(0, static_cast<size_t>(n)));
        at += static_cast<uint64_t>(n);
    }
}

void HeldBytes::clear()
{
    memory_.clear();
    memory_.shrink_to_fit();
    file_bytes_ = 0;
    if (fd_ >= 0)
        ::close(fd_);
    fd_ = -1;
}

} // namespace basalt
