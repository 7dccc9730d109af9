#pragma once

// A file system in memory that keeps what a disk would keep apart from what only the page cache
// holds, so that a power cut is a call. It is stricter than most disks: a name is durable only
// after sync_directory() of its directory, bytes only after sync() of the file.
// Threads: all methods from any thread; one lock, so it is for tests and small data.

#include "base/clock.h"
#include "io/file_system.h"

namespace basalt
{

class MemoryFileSystem : public FileSystem
{
public:
    explicit MemoryFileSystem(Clock& clock = system_clock());
    ~MemoryFileSystem() override;

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

    // What was not synced is lost; open files fail from now on; locks are free again.
    // With `torn`, a part of it may have reached the disk: all or none of the changes of names,
    // and of each file any of the 512-byte sectors written since its last sync.
    void power_cut(RandomSource* torn = nullptr);

private:
    struct Node;
    struct State;
    class Writable;
    class Readable;
    class Lock;

    std::shared_ptr<State> state_;
};

} // namespace basalt
