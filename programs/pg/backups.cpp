// basalt pg backup, backups, restore; archive-wal and fetch-wal, which PostgreSQL runs.

#include "programs/pg/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/file_system.h"
#include "postgres/control.h"
#include "postgres/restore.h"
#include "postgres/settings.h"

#include <cstdio>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

// PostgreSQL gives a recovery up on a status above 125; anything else would only mean "there is no
// such segment", and the recovery would end too early.
constexpr int kAbortRecovery = 255;

void print_retention(const Retention& retention)
{
    for (const auto& id : retention.removed_backups)
        std::printf("Removed the old backup %s.\n", id.c_str());
    if (retention.removed_segments > 0)
        std::printf("Removed %zu segments that no backup needs.\n", retention.removed_segments);
}

int back_up(const Instance& instance)
{
    FileSystem& files = real_file_system();
    const BackupInfo backup = make_backup(files, system_clock(), instance);
    std::printf("Backup %s: %s, log position %s, every file checked.\n", backup.id.c_str(),
                readable_size(backup.bytes).c_str(), backup.stop_lsn.text().c_str());
    print_retention(
        apply_retention(files, instance, static_cast<size_t>(instance.keep_backups)));
    return 0;
}

int restore_files(const Instance& source, const BackupInfo& backup, const RestoreTarget& until,
                  const CreatePlan& plan, const ProbeOptions& probe, const std::string& program)
{
    FileSystem& files = real_file_system();
    bring_archive_up_to_date(files, system_clock(), source);
    fill_instance_folder(files, plan.instance, probe);
    copy_backup(files, source, backup, until, plan.instance, program);
    return 0;
}

} // namespace

int backup_command(const CommonOptions& common, std::optional<int64_t> keep,
                   std::optional<int64_t> every_hours)
{
    Instance instance = open_list(common).find(common.name);
    if (keep && *keep < 1)
        throw Error(error_codes::BAD_ARGUMENTS, "--keep is at least 1");
    if (every_hours && *every_hours < 0)
        throw Error(error_codes::BAD_ARGUMENTS, "--every is at least 1, or 0 for never");
    return as_owner(instance,
                    [&]
                    {
                        instance.keep_backups = keep.value_or(instance.keep_backups);
                        instance.backup_every_hours =
                            every_hours.value_or(instance.backup_every_hours);
                        if (keep || every_hours)
                            instance.save(real_file_system());
                        return back_up(instance);
                    });
}

int backup_folder_command(const std::string& path)
{
    const Instance instance = Instance::load(real_file_system(), path);
    return as_owner(instance, [&] { return back_up(instance); });
}

int backups_command(const CommonOptions& common, bool verify)
{
    FileSystem& files = real_file_system();
    const Instance instance = open_list(common).find(common.name);
    return as_owner(
        instance,
        [&]
        {
            int damaged = 0;
            std::vector<BackupInfo> backups = list_backups(files, instance);
            std::printf("%-18s %-20s %-14s %10s  %s\n", "BACKUP", "USABLE FROM (UTC)", "POSITION",
                        "SIZE", "CHECKED (UTC)");
            for (auto& backup : backups)
            {
                std::string state;
                try
                {
                    if (verify)
                        verify_backup(files, system_clock(), instance, backup);
                    state = backup.verified_unix_s ? utc_text(backup.verified_unix_s) : "never";
                }
                catch (const Error& error)
                {
                    state = error.message();
                    ++damaged;
                }
                std::printf("%-18s %-20s %-14s %10s  %s\n", backup.id.c_str(),
                            utc_text(backup.finished_unix_us / 1000000).c_str(),
                            backup.stop_lsn.text().c_str(), readable_size(backup.bytes).c_str(),
                            state.c_str());
            }
            std::optional<Segment> from;
            if (!backups.empty())
                from = backups.front().first_segment();
            const ArchiveSummary archive =
                look_at_archive(files, instance.wal(), from, verify);
            if (archive.segments.empty())
                std::printf("Log archive: empty.\n");
            else
                std::printf("Log archive: %zu segments, %s, the last is %s.\n",
                            archive.segments.size(), readable_size(archive.bytes).c_str(),
                            archive.segments.back().name().c_str());
            for (const auto& gap : archive.gaps)
                std::printf("MISSING %s: no restore goes past it.\n", gap.c_str());
            for (const auto& name : archive.damaged)
                std::printf("DAMAGED %s: no restore goes past it.\n", name.c_str());
            std::printf("The newest %lld backups are kept.\n",
                        static_cast<long long>(instance.keep_backups));
            const bool bad = damaged > 0 || !archive.gaps.empty() || !archive.damaged.empty();
            return bad ? error_codes::BACKUP_DAMAGED % 256 : 0;
        });
}

int restore_command_line(const CommonOptions& common, const RestoreOptions& options)
{
    FileSystem& files = real_file_system();
    InstanceList list = open_list(common);
    const Instance source = list.find(common.name);
    const OsUser user = owner_of(source);
    const RestoreTarget until = RestoreTarget::parse(options.to);
    if (until.kind == RestoreTarget::Kind::Time && until.unix_us > system_clock().unix_us())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("{} is yet to come; it is {} UTC now", options.to,
                                time_text_us(system_clock().unix_us())));
    const BackupInfo backup = choose_backup(list_backups(files, source), until, options.backup);

    CreateOptions create;
    create.name = options.as;
    create.path = options.path;
    create.port = options.port;
    create.pg_bin = source.bin_directory;
    create.os_user = user.name;
    CreatePlan plan = plan_instance(files, list, create);
    plan.instance.database = source.database;
    const std::string program = reachable_program(files, list.home(), user);
    make_instance_folder(files, plan);
    const int code = run_as_user(user,
                                 [&] {
                                     return restore_files(source, backup, until, plan,
                                                          options.probe, program);
                                 });
    if (code != 0)
    {
        run_as_user(user,
                    [&]
                    {
                        empty_instance_folder(files, plan.instance.path);
                        return 0;
                    });
        remove_instance_folder(files, plan.instance.path);
        return code;
    }
    list.add(plan.instance.name, plan.instance.path);
    std::printf("Backup %s is copied to instance '%s'; replaying the log to %s.\n",
                backup.id.c_str(), options.as.c_str(), options.to.c_str());
    CommonOptions started = common;
    started.name = options.as;
    if (const int status = start_command(started, false, options.timeout_s); status != 0)
        return status;
    return run_as_user(
        user,
        [&]
        {
            const RestoreReport report = finish_restore(files, plan.instance);
            std::printf("Restored: the last commit is of %s, log position %s.\n",
                        report.last_commit.empty() ? "before the backup's end"
                                                   : (report.last_commit + " UTC").c_str(),
                        report.position.c_str());
            for (const auto& database : report.databases)
                std::printf("  database %s: %s, %s tables\n", database.name.c_str(),
                            database.size.c_str(), database.tables.c_str());
            return 0;
        });
}

int archive_wal_command(const std::string& folder, const std::string& path)
{
    archive_file(real_file_system(), path, folder);
    return 0;
}

int fetch_wal_command(const std::string& folder, const std::string& unfinished,
                      const std::string& name, const std::string& path)
{
    try
    {
        return fetch_file(real_file_system(), folder, unfinished, name, path) ? 0 : 1;
    }
    catch (const Error& error)
    {
        std::fprintf(stderr, "%s\n", error.full_text().c_str());
        return kAbortRecovery;
    }
}

} // namespace basalt::pg
