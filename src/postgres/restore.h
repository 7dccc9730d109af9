#pragma once

// Restoring a backup and the log after it into a new instance. The source is only read.
//
// Steps, by the instance's user: bring_archive_up_to_date (a running source only), copy_backup,
// then the new server is started and replays; then finish_restore checks it.
// Errors: BACKUP_NOT_FOUND, NOT_ENOUGH_SPACE, BAD_ARGUMENTS (a time to come), TIMEOUT_EXCEEDED.

#include "base/clock.h"
#include "postgres/backup.h"
#include "postgres/instance.h"

#include <string>

namespace basalt::pg
{

inline constexpr int64_t kArchiveTimeoutMs = 60000;

// Commits a mark behind the target and waits until its segment is archived, so that the log holds
// something later than the target. Does nothing if the source does not run.
void bring_archive_up_to_date(FileSystem& files, Clock& clock, const Instance& source);

// After fill_instance_folder(target): data folder, password and what the server must know to
// replay. `program` as in server_files.h.
void copy_backup(FileSystem& files, const Instance& source, const BackupInfo& backup,
                 const RestoreTarget& until, const Instance& target, const std::string& program);

struct RestoredDatabase
{
    std::string name;
    std::string size;
    std::string tables;
};

struct RestoreReport
{
    std::string last_commit; // UTC; empty if no commit was replayed
    std::string position;
    std::vector<RestoredDatabase> databases;
};

// The new server is ready: reads the catalogs of every database, and forgets that it was restored.
RestoreReport finish_restore(FileSystem& files, const Instance& target);

} // namespace basalt::pg
