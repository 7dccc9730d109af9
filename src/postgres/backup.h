#pragma once

// Base backups of an instance: a copy of its data folder through the replication protocol, checked
// file by file against its manifest, and the choice of the one to restore from.
//
//   backups/20261130T225501Z/data         the copy
//   backups/20261130T225501Z/backup.conf  what this header describes
//
// A folder that ends in ".part" is a backup that did not finish; the next one removes it.
// Errors: BAD_ARGUMENTS (not running …), NOT_ENOUGH_SPACE, CANNOT_BACKUP_TABLE never;
// BACKUP_DAMAGED, BACKUP_NOT_FOUND, CANNOT_CREATE_CHILD_PROCESS with the tool's words.

#include "base/clock.h"
#include "postgres/instance.h"
#include "postgres/wal_archive.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::pg
{

struct BackupInfo
{
    std::string id; // when it was begun
    std::string version;
    int64_t started_unix_us = 0;
    int64_t finished_unix_us = 0; // restores to a time before it need an older one
    uint32_t timeline = 1;
    Lsn start_lsn;
    Lsn stop_lsn;
    uint64_t bytes = 0;
    int64_t verified_unix_s = 0; // 0: never

    Segment first_segment() const { return Segment::of(timeline, start_lsn); }
    void save(FileSystem& files, const std::string& folder) const;
    static BackupInfo load(FileSystem& files, const std::string& folder);
};

// Finished ones, oldest first.
std::vector<BackupInfo> list_backups(FileSystem& files, const Instance& instance);

BackupInfo make_backup(FileSystem& files, Clock& clock, const Instance& instance);
// Reads every file and compares it with the manifest. BACKUP_DAMAGED names what differs.
void verify_backup(FileSystem& files, Clock& clock, const Instance& instance, BackupInfo& backup);

struct Retention
{
    std::vector<std::string> removed_backups;
    size_t removed_segments = 0;
};
// Keeps the newest `keep` (at least one) and the log from the oldest of them on.
Retention apply_retention(FileSystem& files, const Instance& instance, size_t keep);

// Where a restore ends.
struct RestoreTarget
{
    enum class Kind : uint8_t
    {
        Latest,
        Time,
        Position
    };
    Kind kind = Kind::Latest;
    int64_t unix_us = 0;
    Lsn lsn;
    std::string text;

    // "latest", "16/B374D848", "2026-11-30 22:55:01.25+01:00"; UTC without a zone.
    // BAD_ARGUMENTS for anything else.
    static RestoreTarget parse(std::string_view text);
};

// The newest backup that had finished by then; or the one asked for by `id`. BACKUP_NOT_FOUND
// tells which there are.
BackupInfo choose_backup(const std::vector<BackupInfo>& backups, const RestoreTarget& target,
                         const std::string& id);

// "2026-11-30T22:55:01.25Z" and its like to microseconds since 1970; nothing if it is no time.
std::optional<int64_t> parse_time_us(std::string_view text);
std::string time_text_us(int64_t unix_us);

// The range of the log in a backup's manifest (JSON).
struct ManifestRange
{
    uint32_t timeline = 1;
    Lsn start;
    Lsn end;
};
std::optional<ManifestRange> range_of_manifest(std::string_view manifest);

} // namespace basalt::pg
