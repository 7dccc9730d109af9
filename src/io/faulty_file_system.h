#pragma once

// Wraps another file system and lets it fail as told: the n-th call of an operation, a full disk,
// short reads, flipped bits, and a point from which nothing works any more (then cut the power of
// the MemoryFileSystem below and open it again: a crash test).
// Threads: all methods from any thread; which call is the n-th is then up to the scheduler.

#include "base/clock.h"
#include "io/file_system.h"

#include <mutex>

namespace basalt
{

enum class FileOperation : uint8_t
{
    OpenForRead,
    Read,
    List,
    Status,
    // From here on: what changes the disk.
    OpenForWrite,
    Append,
    Pwrite,
    Flush,
    Sync,
    Close,
    CreateDirectories,
    Rename,
    HardLink,
    RemoveFile,
    RemoveDirectory,
    Truncate,
    SyncDirectory,
    LockFile,
    Count_
};

struct FaultPlan
{
    struct Failure
    {
        FileOperation operation = FileOperation::Append;
        uint64_t nth = 1;      // counted from 1 since the plan was set
        uint64_t count = 1;    // so many calls in a row fail
        int error_code = 0;    // 0: the operation's usual one
        std::string path_part; // only calls whose path contains this are counted
    };
    std::vector<Failure> failures;
    // Bytes that can still be written; then NOT_ENOUGH_SPACE, after the part that fits.
    uint64_t space_bytes = UINT64_MAX;
    // Changing calls that still work; every call after them fails, reads too.
    uint64_t stop_after_changes = UINT64_MAX;
    // Every so many-th read on average returns fewer bytes, or one flipped bit. 0: never.
    uint64_t short_read_one_in = 0;
    uint64_t flip_bit_one_in = 0;
};

class FaultyFileSystem : public FileSystem
{
public:
    // Both outlive it.
    FaultyFileSystem(FileSystem& below, RandomSource& random) : below_(below), random_(random) {}

    // Replaces the plan and starts counting anew.
    void set_plan(FaultPlan plan);
    // Changing calls since the plan was set, for choosing stop_after_changes.
    uint64_t changes() const;
    bool stopped() const;

    std::unique_ptr<WritableFile> open_for_write(const std::string& path, OpenMode mode) override;
    std::unique_ptr<ReadableFile> open_for_read(const std::string& path,
                                                ReadOptions options = {}) override;
    void create_directories(const std::string& path) override;
    std::vector<DirectoryEntry> list(const std::string& path) override;
    void rename(const std::string& from, const std::string& to) override;
    void hard_link(const std::string& existing, const std::string& link) override;
    void remove_file(const std::string& path) override;
    void remove_directory_recursive(const std::string& path) override;
    void truncate(const std::string& path, uint64_t size_bytes) override;
    std::optional<FileStatus> status(const std::string& path) override;
    void sync_directory(const std::string& path) override;
    DiskSpace space(const std::string& path) override;
    std::unique_ptr<FileLock> lock_file(const std::string& path,
                                        std::string_view content = {}) override;

private:
    class Writable;
    class Readable;

    // Counts the call and throws if it is to fail.
    void enter(FileOperation operation, const std::string& path);
    // How many of `size` bytes fit; takes them from the space.
    size_t take_space(size_t size);
    // Length of a read, shortened at random; and the bit to flip in what it got.
    size_t read_length(size_t size);
    void damage(char* data, size_t size);

    FileSystem& below_;
    RandomSource& random_;
    mutable std::mutex mutex_;
    FaultPlan plan_;
    std::vector<uint64_t> seen_; // calls that matched, for each failure
    uint64_t changes_ = 0;
};

} // namespace basalt
