#pragma once

// Files and directories behind one interface, so that a crash, a full disk or a bad sector is a
// test with a seed. Implementations: the real one (below), MemoryFileSystem
// (io/memory_file_system.h) and FaultyFileSystem (io/faulty_file_system.h).
//
// Paths are plain strings; "/" separates. Errors are basalt::Error and name path and reason:
// FILE_DOESNT_EXIST, DIRECTORY_DOESNT_EXIST, FILE_ALREADY_EXISTS, CANNOT_OPEN_FILE,
// CANNOT_READ_FROM_FILE_DESCRIPTOR, CANNOT_READ_ALL_DATA, CANNOT_WRITE_TO_FILE_DESCRIPTOR,
// NOT_ENOUGH_SPACE (disk or quota full), CANNOT_FSYNC, CANNOT_CREATE_DIRECTORY and others.
//
// What survives a power cut: the bytes of a file after sync(); a new, renamed, linked or removed
// name after sync_directory() of the directory that holds it. Nothing else is promised.
//
// Threads: a FileSystem and a ReadableFile may be used from any thread at once, a WritableFile by
// one thread at a time. Every call may block on the disk.

#include "base/int_types.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// Appends gather in a buffer of this size before the system call.
inline constexpr size_t kWriteBufferBytes = 64 << 10;
// Direct reads are made of whole blocks of this size, through buffers aligned to it.
inline constexpr size_t kDirectIoAlignment = 4096;
// Direct reads into unaligned memory pass a buffer of this size (one per thread).
inline constexpr size_t kDirectIoBufferBytes = 1 << 20;
// Largest file that read_whole() takes into memory unless told otherwise.
inline constexpr uint64_t kMaxWholeFileBytes = 1ull << 30;
// Directories nested deeper than this are refused by remove_directory_recursive().
inline constexpr size_t kMaxDirectoryDepth = 64;

enum class OpenMode : uint8_t
{
    Truncate,  // create, or empty what exists
    Exclusive, // create; FILE_ALREADY_EXISTS if there is one
    Append     // create, or go on at the end of what exists
};

enum class Advice : uint8_t
{
    WillNeed, // start reading ahead
    DontNeed, // drop from the page cache
    Sequential,
    Random
};

struct ReadOptions
{
    // Past the page cache (O_DIRECT). Where the file system refuses it, reads are ordinary.
    bool direct = false;
};

// After a failed write or sync the file is broken: each later call fails too (what the kernel
// kept is unknown). Bytes that were appended but neither flushed nor closed are lost with the
// object.
class WritableFile
{
public:
    virtual ~WritableFile() = default;

    virtual void append(const char* data, size_t size) = 0;
    void append(std::string_view data) { append(data.data(), data.size()); }
    // Overwrites or extends at an offset; appended bytes are flushed first.
    virtual void pwrite(const char* data, size_t size, uint64_t offset) = 0;
    // Hands buffered bytes to the operating system: readers see them, a power cut loses them.
    virtual void flush() = 0;
    // flush() and wait until the bytes and the size are on the disk (fdatasync).
    virtual void sync() = 0;
    // flush() and close; calls after it fail. The destructor closes without flushing.
    virtual void close() = 0;
    // Size including buffered bytes.
    virtual uint64_t size() const = 0;
    virtual const std::string& path() const = 0;
};

class ReadableFile
{
public:
    virtual ~ReadableFile() = default;

    // Size when last asked; a file that grows is seen to grow.
    virtual uint64_t size() const = 0;
    // Reads up to `size` bytes at `offset`; may return fewer. 0 only at or past the end.
    virtual size_t pread(char* buffer, size_t size, uint64_t offset) const = 0;
    // Reads all of them or throws CANNOT_READ_ALL_DATA.
    void read_exact(char* buffer, size_t size, uint64_t offset) const;
    virtual void advise(Advice advice, uint64_t offset = 0, uint64_t size = 0) const = 0;
    // True if reads do bypass the page cache.
    virtual bool is_direct() const { return false; }
    virtual const std::string& path() const = 0;
};

// Held until destroyed; also given up when the process dies.
class FileLock
{
public:
    virtual ~FileLock() = default;
};

struct FileStatus
{
    uint64_t size_bytes = 0;
    int64_t modified_unix_us = 0;
    bool is_directory = false;
};

struct DirectoryEntry
{
    std::string name; // without the directory
    bool is_directory = false;
};

struct DiskSpace
{
    uint64_t free_bytes = 0; // what this user may still write
    uint64_t total_bytes = 0;
};

class FileSystem
{
public:
    virtual ~FileSystem() = default;

    virtual std::unique_ptr<WritableFile> open_for_write(const std::string& path,
                                                         OpenMode mode) = 0;
    virtual std::unique_ptr<ReadableFile> open_for_read(const std::string& path,
                                                        ReadOptions options = {}) = 0;

    // Makes the directory and its missing parents; one that exists is fine.
    virtual void create_directories(const std::string& path) = 0;
    // Entries sorted by name, without "." and "..".
    virtual std::vector<DirectoryEntry> list(const std::string& path) = 0;
    // Atomic; replaces an existing file (or empty directory) of that name.
    virtual void rename(const std::string& from, const std::string& to) = 0;
    virtual void hard_link(const std::string& existing, const std::string& link) = 0;
    // FILE_DOESNT_EXIST if there is none.
    virtual void remove_file(const std::string& path) = 0;
    // With everything in it; symbolic links are removed, not followed. Missing is fine.
    virtual void remove_directory_recursive(const std::string& path) = 0;
    virtual void truncate(const std::string& path, uint64_t size_bytes) = 0;
    // Nothing if there is no such file.
    virtual std::optional<FileStatus> status(const std::string& path) = 0;
    virtual void sync_directory(const std::string& path) = 0;
    virtual DiskSpace space(const std::string& path) = 0;
    // Creates the file if needed, locks it against every other process and file system object,
    // and writes `content` (who holds it) into it. CANNOT_OPEN_FILE if another holds it.
    virtual std::unique_ptr<FileLock> lock_file(const std::string& path,
                                                std::string_view content = {}) = 0;

    bool exists(const std::string& path) { return status(path).has_value(); }
    bool is_directory(const std::string& path);
    // FILE_DOESNT_EXIST if there is none.
    uint64_t file_size(const std::string& path);
    uint64_t free_space(const std::string& path) { return space(path).free_bytes; }
    // False if there was none.
    bool remove_file_if_exists(const std::string& path);
    // The whole content; TOO_LARGE_STRING_SIZE past the limit.
    std::string read_whole(const std::string& path, uint64_t max_bytes = kMaxWholeFileBytes);
    // Old content or new after a crash, never a mixture: writes `path`.tmp, syncs it, renames
    // it, syncs the directory.
    void replace_whole(const std::string& path, std::string_view content);
};

FileSystem& real_file_system();

// "a/b" of "a/b/c"; "/" of "/c"; "." of "c".
std::string parent_directory(const std::string& path);
// "a/b" joined with one "/".
std::string join_path(std::string_view directory, std::string_view name);

// Throws the Error that fits `errno_value`: FILE_DOESNT_EXIST, NOT_ENOUGH_SPACE,
// FILE_ALREADY_EXISTS or `code`. The message reads "Cannot <doing> <path>: <reason>".
[[noreturn]] void throw_file_error(int code, std::string_view doing, std::string_view path,
                                   int errno_value);

} // namespace basalt
