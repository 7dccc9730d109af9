#include "base/error.h"
#include "base/profile_events.h"
#include "io/file_system.h"
#include "io/real_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace basalt
{

namespace
{

using namespace error_codes;

class RealFileLock : public FileLock
{
public:
    explicit RealFileLock(int fd) : fd_(fd) {}
    ~RealFileLock() override { ::close(fd_); }

private:
    int fd_;
};

void remove_tree(int parent_fd, const char* name, const std::string& path, size_t depth)
{
    if (depth > kMaxDirectoryDepth)
        throw Error(CANNOT_UNLINK, fmt::format("Directories nested deeper than {} at {}",
                                               kMaxDirectoryDepth, path));
    const int fd = ::openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
    {
        if (errno == ENOENT)
            return;
        throw_file_error(CANNOT_UNLINK, "open directory", path, errno);
    }
    DIR* dir = ::fdopendir(fd);
    if (!dir)
    {
        const int error = errno;
        ::close(fd);
        throw_file_error(CANNOT_UNLINK, "open directory", path, error);
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> closer(dir, &::closedir);
    while (const dirent* entry = ::readdir(dir))
    {
        const std::string_view child = entry->d_name;
        if (child == "." || child == "..")
            continue;
        if (::unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno != EISDIR && errno != EPERM)
            throw_file_error(CANNOT_UNLINK, "remove file", join_path(path, child), errno);
        remove_tree(fd, entry->d_name, join_path(path, child), depth + 1);
    }
    if (::unlinkat(parent_fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        throw_file_error(CANNOT_RMDIR, "remove directory", path, errno);
}

class RealFileSystem : public FileSystem
{
public:
    std::unique_ptr<WritableFile> open_for_write(const std::string& path, OpenMode mode) override
    {
        return open_real_for_write(path, mode);
    }

    std::unique_ptr<ReadableFile> open_for_read(const std::string& path,
                                                ReadOptions options) override
    {
        return open_real_for_read(path, options);
    }

    void create_directories(const std::string& path) override
    {
        if (::mkdir(path.c_str(), 0777) == 0)
            return;
        if (errno == ENOENT && !path.empty())
        {
            const std::string parent = parent_directory(path);
            if (parent != path)
            {
                create_directories(parent);
                if (::mkdir(path.c_str(), 0777) == 0)
                    return;
            }
        }
        if (errno == EEXIST && is_directory(path))
            return;
        throw_file_error(CANNOT_CREATE_DIRECTORY, "create directory", path, errno);
    }

    std::vector<DirectoryEntry> list(const std::string& path) override
    {
        const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()), &::closedir);
        if (!dir)
        {
            if (errno == ENOENT || errno == ENOTDIR)
                throw Error(DIRECTORY_DOESNT_EXIST,
                            fmt::format("Directory {} doesn't exist", path));
            throw_file_error(CANNOT_OPEN_FILE, "open directory", path, errno);
        }
        std::vector<DirectoryEntry> entries;
        for (;;)
        {
            errno = 0;
            const dirent* entry = ::readdir(dir.get());
            if (!entry)
            {
                if (errno != 0)
                    throw_file_error(CANNOT_READ_FROM_FILE_DESCRIPTOR, "list directory", path,
                                     errno);
                break;
            }
            const std::string_view name = entry->d_name;
            if (name == "." || name == "..")
                continue;
            bool directory = entry->d_type == DT_DIR;
            if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK)
                directory = is_directory(join_path(path, name));
            entries.push_back({std::string(name), directory});
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    void rename(const std::string& from, const std::string& to) override
    {
        if (::rename(from.c_str(), to.c_str()) != 0)
            throw_file_error(CANNOT_CREATE_FILE, "rename", from + " to " + to, errno);
    }

    void hard_link(const std::string& existing, const std::string& link) override
    {
        if (::link(existing.c_str(), link.c_str()) != 0)
            throw_file_error(CANNOT_LINK, "link", existing + " to " + link, errno);
    }

    void remove_file(const std::string& path) override
    {
        if (::unlink(path.c_str()) != 0)
            throw_file_error(CANNOT_UNLINK, "remove file", path, errno);
    }

    void remove_directory_recursive(const std::string& path) override
    {
        remove_tree(AT_FDCWD, path.c_str(), path, 0);
    }

    void truncate(const std::string& path, uint64_t size_bytes) override
    {
        if (::truncate(path.c_str(), static_cast<off_t>(size_bytes)) != 0)
            throw_file_error(CANNOT_TRUNCATE_FILE, "truncate file", path, errno);
    }

    std::optional<FileStatus> status(const std::string& path) override
    {
        struct stat st;
        if (::stat(path.c_str(), &st) != 0)
        {
            if (errno == ENOENT || errno == ENOTDIR)
                return std::nullopt;
            throw_file_error(CANNOT_STAT, "stat", path, errno);
        }
        FileStatus result;
        result.size_bytes = static_cast<uint64_t>(st.st_size);
        result.modified_unix_us = int64_t{st.st_mtim.tv_sec} * 1000000 + st.st_mtim.tv_nsec / 1000;
        result.is_directory = S_ISDIR(st.st_mode);
        return result;
    }

    void sync_directory(const std::string& path) override
    {
        const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            throw_file_error(CANNOT_OPEN_FILE, "open directory", path, errno);
        const int result = ::fsync(fd);
        const int error = errno;
        ::close(fd);
        if (result != 0)
            throw_file_error(CANNOT_FSYNC, "sync directory", path, error);
    }

    DiskSpace space(const std::string& path) override
    {
        struct statvfs st;
        if (::statvfs(path.c_str(), &st) != 0)
            throw_file_error(CANNOT_STATVFS, "get free space of", path, errno);
        return {uint64_t{st.f_bavail} * st.f_frsize, uint64_t{st.f_blocks} * st.f_frsize};
    }

    std::unique_ptr<FileLock> lock_file(const std::string& path, std::string_view content) override
    {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            throw_file_error(CANNOT_OPEN_FILE, "open lock file", path, errno);
        auto lock = std::make_unique<RealFileLock>(fd);
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        {
            if (errno == EWOULDBLOCK)
                throw Error(CANNOT_OPEN_FILE,
                            fmt::format("Cannot lock file {}. Another process holds it: is a "
                                        "server running in the same directory?",
                                        path));
            throw_file_error(CANNOT_OPEN_FILE, "lock file", path, errno);
        }
        if (::ftruncate(fd, 0) != 0 ||
            ::pwrite(fd, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
            throw_file_error(CANNOT_WRITE_TO_FILE_DESCRIPTOR, "write lock file", path, errno);
        return lock;
    }
};

} // namespace

FileSystem& real_file_system()
{
    static RealFileSystem file_system;
    return file_system;
}

} // namespace basalt
