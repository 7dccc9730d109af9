#pragma once

// BACKUP and RESTORE under way and done: the rows of system.backups, and the threads of those that
// nobody waits for (ASYNC). Kept since the start, the oldest go first.
// Threads: all methods from any thread.

#include "base/query_context.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace basalt
{

enum class BackupStatus : uint8_t // ClickHouse's numbers
{
    CreatingBackup = 0,
    BackupCreated = 1,
    BackupFailed = 2,
    Restoring = 3,
    Restored = 4,
    RestoreFailed = 5,
    BackupCancelled = 6,
    RestoreCancelled = 7,
};
const char* backup_status_name(BackupStatus status);
// Enum8('CREATING_BACKUP' = 0, …)
std::string backup_status_type();

struct BackupInfo
{
    std::string id;
    std::string name, base_name; // Disk('backups', 'x')
    std::string query_id;
    BackupStatus status = BackupStatus::CreatingBackup;
    std::string error;
    int64_t start_unix_us = 0, end_unix_us = 0;
    uint64_t files = 0, total_bytes = 0; // of the whole backup
    uint64_t entries = 0;                // files in its own folder
    uint64_t stored_bytes = 0;           // of them
    uint64_t files_read = 0, bytes_read = 0; // by RESTORE
};

class Backups
{
public:
    static constexpr size_t kMaxKept = 1000;
    static constexpr size_t kMaxRunning = 16;

    ~Backups(); // as stop()

    // The number by which update() and end() know it. Throws BACKUP_ALREADY_EXISTS for an id that is
    // in use, TOO_MANY_SIMULTANEOUS_QUERIES past kMaxRunning.
    uint64_t begin(BackupInfo info);
    void update(uint64_t number, const std::function<void(BackupInfo&)>& change);
    // Runs it on a thread of its own.
    void run(QueryContextPtr context, std::function<void()> work);
    // The folder is this one's to write until let_go(); false when it is somebody's.
    bool take_folder(const std::string& path);
    void let_go(const std::string& path);

    std::vector<BackupInfo> infos() const;
    // Cancels and waits.
    void stop();

private:
    struct Entry
    {
        uint64_t number = 0;
        BackupInfo info;
    };
    struct Work
    {
        QueryContextPtr context;
        std::thread thread;
        bool is_done = false;
    };

    mutable std::mutex mutex_;
    std::deque<Entry> entries_;
    uint64_t next_number_ = 1;
    std::set<std::string> folders_;
    std::vector<std::shared_ptr<Work>> works_;
};

} // namespace basalt
