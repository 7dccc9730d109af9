#include "postgres/restore.h"

#include "base/error.h"
#include "io/process.h"
#include "postgres/connection.h"
#include "postgres/server_files.h"
#include "postgres/supervisor.h"

#include <fmt/core.h>
#include <thread>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int64_t kPollMs = 100;

std::string restore_conf(const Instance& source, bool source_is_down, const RestoreTarget& until,
                         const std::string& program)
{
    KeyValues values;
    // The newest segments of a server that is down were perhaps never archived.
    values.set("restore_command",
               restore_command(program, source.wal(),
                               source_is_down ? source.data() + "/pg_wal" : std::string()));
    // Connections come once it has reached the target: until then settings that are smaller than
    // the source's do no harm.
    values.set("hot_standby", "off");
    values.set("recovery_target_timeline", "latest");
    values.set("recovery_target_action", "promote");
    switch (until.kind)
    {
    case RestoreTarget::Kind::Latest:
        break;
    case RestoreTarget::Kind::Time:
        values.set("recovery_target_time", time_text_us(until.unix_us) + "+00");
        break;
    case RestoreTarget::Kind::Position:
        values.set("recovery_target_lsn", until.lsn.text());
        break;
    }
    return values.to_text();
}

void copy_folder(const std::string& from, const std::string& to)
{
    ProcessOptions options;
    options.arguments = {"cp", "-a", "--reflink=auto", from, to};
    const ProcessResult result = run_process(options);
    if (!result.status.ok())
        throw Error(result.errors.find("No space left") != std::string::npos
                        ? NOT_ENOUGH_SPACE
                        : CANNOT_CREATE_CHILD_PROCESS,
                    fmt::format("Cannot copy {} to {}: {}", from, to, result.errors));
}

} // namespace

void bring_archive_up_to_date(FileSystem& files, Clock& clock, const Instance& source)
{
    const auto alive = live_postmaster(files, source);
    if (!alive || alive->status != "ready")
        return;
    Connection connection(source, "postgres");
    connection.query("SELECT pg_logical_emit_message(true, 'basalt', 'restore')");
    const std::string segment = connection.value(
        "SELECT pg_walfile_name(pg_current_wal_insert_lsn())");
    connection.query("SELECT pg_switch_wal()");
    const int64_t deadline_ns = clock.monotonic_ns() + kArchiveTimeoutMs * 1000000;
    while (!files.exists(source.wal() + "/" + segment + kArchiveSuffix))
    {
        if (clock.monotonic_ns() > deadline_ns)
            throw Error(TIMEOUT_EXCEEDED,
                        fmt::format("Segment {} of '{}' was not archived within {} s; see basalt pg "
                                    "status {}",
                                    segment, source.name, kArchiveTimeoutMs / 1000, source.name));
        std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
    }
}

void copy_backup(FileSystem& files, const Instance& source, const BackupInfo& backup,
                 const RestoreTarget& until, const Instance& target, const std::string& program)
{
    const uint64_t free = files.free_space(target.path);
    if (free < backup.bytes + backup.bytes / 10)
        throw Error(NOT_ENOUGH_SPACE,
                    fmt::format("Backup {} takes {}; {} has {} free", backup.id,
                                readable_size(backup.bytes), target.path, readable_size(free)));
    copy_folder(source.backups() + "/" + backup.id + "/data", target.data());
    copy_folder(source.path + "/password", target.path + "/password");
    MachineFile machine = load_machine(files, target);
    const bool statements = machine.features.pg_stat_statements;
    machine.features = load_machine(files, source).features;
    machine.features.pg_stat_statements = statements;
    save_machine(files, target, machine);
    write_server_files(files, target, program, false);
    const auto alive = live_postmaster(files, source);
    files.replace_whole(target.data() + "/restore.conf",
                        restore_conf(source, !alive, until, program));
    files.replace_whole(target.data() + "/recovery.signal", "");
}

RestoreReport finish_restore(FileSystem& files, const Instance& target)
{
    RestoreReport report;
    Connection connection(target, "postgres");
    if (connection.value("SELECT pg_is_in_recovery()") != "f")
        throw Error(INVALID_STATE, fmt::format("Instance '{}' is still replaying", target.name));
    report.last_commit =
        connection.value("SELECT coalesce(to_char(pg_last_xact_replay_timestamp() AT TIME ZONE "
                         "'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '')");
    report.position = connection.value("SELECT pg_current_wal_lsn()");
    for (const auto& row : connection.query(
             "SELECT datname, pg_size_pretty(pg_database_size(oid)) FROM pg_database "
             "WHERE datallowconn AND NOT datistemplate ORDER BY datname"))
    {
        Connection inside(target, *row[0]);
        report.databases.push_back(
            {*row[0], *row[1],
             inside.value("SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = "
                          "c.relnamespace WHERE relkind IN ('r', 'p') AND nspname NOT IN "
                          "('pg_catalog', 'information_schema')")});
    }
    files.remove_file_if_exists(target.data() + "/restore.conf");
    connection.query("SELECT pg_reload_conf()");
    return report;
}

} // namespace basalt::pg
