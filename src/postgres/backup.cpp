#include "postgres/backup.h"

#include "base/error.h"
#include "io/process.h"
#include "postgres/binaries.h"
#include "postgres/connection.h"
#include "postgres/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr const char* kUnfinished = ".part";
constexpr uint64_t kMaxManifestBytes = 1ull << 30;

uint64_t folder_bytes(FileSystem& files, const std::string& folder)
{
    uint64_t bytes = 0;
    for (const auto& entry : files.list(folder))
    {
        const std::string path = folder + "/" + entry.name;
        if (entry.is_directory)
            bytes += folder_bytes(files, path);
        else if (const auto status = files.status(path))
            bytes += status->size_bytes;
    }
    return bytes;
}

std::string id_of(int64_t unix_s)
{
    std::string id;
    for (const char c : utc_text(unix_s))
        if (c == ' ')
            id.push_back('T');
        else if (c != '-' && c != ':')
            id.push_back(c);
    return id + "Z";
}

void check_space(FileSystem& files, const Instance& instance, Connection& connection)
{
    const uint64_t size = std::strtoull(
        connection.value("SELECT sum(pg_database_size(oid))::bigint FROM pg_database").c_str(),
        nullptr, 10);
    const uint64_t needed = size + size / 10 + 2 * kSegmentBytes;
    const uint64_t free = files.free_space(instance.backups());
    if (free < needed)
        throw Error(NOT_ENOUGH_SPACE,
                    fmt::format("A backup of '{}' takes about {}; {} has {} free", instance.name,
                                readable_size(needed), instance.backups(), readable_size(free)));
}

void run_base_backup(const Instance& instance, const std::string& id, const std::string& target)
{
    ProcessOptions options;
    options.arguments = {need_tool(instance.bin_directory, "pg_basebackup"),
                         "--host=" + instance.run(),
                         "--port=" + std::to_string(instance.port),
                         std::string("--username=") + kSuperuser,
                         "--no-password",
                         "--pgdata=" + target,
                         "--format=plain",
                         "--wal-method=stream",
                         "--checkpoint=fast",
                         "--label=basalt " + id};
    const ProcessResult result = run_process(options);
    if (!result.status.ok())
        throw Error(result.errors.find("No space left") != std::string::npos
                        ? NOT_ENOUGH_SPACE
                        : CANNOT_CREATE_CHILD_PROCESS,
                    fmt::format("pg_basebackup failed ({}): {}", result.status.text(),
                                result.errors));
}

} // namespace

std::vector<BackupInfo> list_backups(FileSystem& files, const Instance& instance)
{
    std::vector<BackupInfo> result;
    for (const auto& entry : files.list(instance.backups()))
        if (entry.is_directory && !entry.name.ends_with(kUnfinished))
            result.push_back(BackupInfo::load(files, instance.backups() + "/" + entry.name));
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.stop_lsn < b.stop_lsn; });
    return result;
}

BackupInfo make_backup(FileSystem& files, Clock& clock, const Instance& instance)
{
    // One at a time: the leavings of another are removed below.
    const auto lock = files.lock_file(instance.backups() + "/lock");
    for (const auto& entry : files.list(instance.backups()))
        if (entry.is_directory && entry.name.ends_with(kUnfinished))
            files.remove_directory_recursive(instance.backups() + "/" + entry.name);
    Connection connection(instance, "postgres");
    check_space(files, instance, connection);

    BackupInfo backup;
    backup.started_unix_us = clock.unix_us();
    backup.id = id_of(clock.unix_s());
    backup.version = instance.version;
    const std::string folder = instance.backups() + "/" + backup.id;
    const std::string part = folder + kUnfinished;
    if (files.exists(folder))
        throw Error(BACKUP_ALREADY_EXISTS,
                    fmt::format("There is a backup {} already; try again in a second", backup.id));
    files.create_directories(part);
    run_base_backup(instance, backup.id, part + "/data");
    backup.finished_unix_us = clock.unix_us();
    const auto range = range_of_manifest(
        files.read_whole(part + "/data/backup_manifest", kMaxManifestBytes));
    if (!range)
        throw Error(BACKUP_DAMAGED, "The backup's manifest does not say its range of the log");
    backup.timeline = range->timeline;
    backup.start_lsn = range->start;
    backup.stop_lsn = range->end;
    backup.bytes = folder_bytes(files, part);
    backup.save(files, part);
    files.rename(part, folder);
    files.sync_directory(instance.backups());
    // What the backup needs from the archive, and a time to restore to, are there at once.
    connection.query("SELECT pg_switch_wal()");
    verify_backup(files, clock, instance, backup);
    return backup;
}

void verify_backup(FileSystem& files, Clock& clock, const Instance& instance, BackupInfo& backup)
{
    const std::string folder = instance.backups() + "/" + backup.id;
    ProcessOptions options;
    options.arguments = {need_tool(instance.bin_directory, "pg_verifybackup"), "--quiet",
                         folder + "/data"};
    const ProcessResult result = run_process(options);
    if (!result.status.ok())
        throw Error(BACKUP_DAMAGED,
                    fmt::format("Backup {} is damaged: {}{}", backup.id, result.output,
                                result.errors));
    backup.verified_unix_s = clock.unix_s();
    backup.save(files, folder);
}

Retention apply_retention(FileSystem& files, const Instance& instance, size_t keep)
{
    Retention result;
    std::vector<BackupInfo> backups = list_backups(files, instance);
    keep = std::max<size_t>(keep, 1);
    while (backups.size() > keep)
    {
        const std::string folder = instance.backups() + "/" + backups.front().id;
        // Half removed is no backup any more: its name goes first.
        files.rename(folder, folder + kUnfinished);
        files.remove_directory_recursive(folder + kUnfinished);
        result.removed_backups.push_back(backups.front().id);
        backups.erase(backups.begin());
    }
    if (!backups.empty())
        result.removed_segments =
            remove_older_segments(files, instance.wal(), backups.front().first_segment());
    return result;
}

} // namespace basalt::pg
