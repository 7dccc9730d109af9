// basalt pg: PostgreSQL servers that Basalt runs. Flags only; the commands stand in programs/pg/.

#include "programs/programs.h"

#include "programs/pg/commands.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace basalt
{

using namespace pg;

namespace
{

constexpr int64_t kDefaultTimeoutS = 60;

// What the chosen command will do; flags fill these before it runs.
struct Parsed
{
    CommonOptions common;
    CreateOptions create;
    StatusOptions status;
    RestoreOptions restore;
    BenchOptions bench;
    LinkOptions link;
    std::optional<int64_t> keep, every_hours;
    std::string folder, unfinished, file, path;
    std::function<int()> command;
    int64_t timeout_s = kDefaultTimeoutS;
    bool flag = false;
    size_t lines = 50;
    std::string which = "all";
    std::string setting, value;
    std::vector<std::string> rest;

    std::optional<std::string> optional_setting() const
    {
        return setting.empty() ? std::nullopt : std::optional(setting);
    }
};

CLI::App* add_command(CLI::App& app, Parsed& parsed, const char* name, const char* what,
                      std::function<int()> command, bool named = true)
{
    CLI::App* sub = app.add_subcommand(name, what);
    if (named)
        sub->add_option("name", parsed.common.name, "of the instance")->required();
    sub->callback([&parsed, command = std::move(command)] { parsed.command = command; });
    return sub;
}

void add_probe_flags(CLI::App* sub, ProbeOptions& probe)
{
    sub->add_option("--memory", probe.memory_bytes,
                    "bytes the server may count on; default: what this machine or cgroup has")
        ->transform(CLI::AsSizeValue(false));
    sub->add_option("--cores", probe.cores, "likewise");
}

void add_lifecycle(CLI::App& app, Parsed& p)
{
    auto* create = add_command(app, p, "create", "make a server: its folder, settings, database",
                               [&p] { return create_command(p.common, p.create); });
    create->add_option("--version", p.create.version, "major version: 15 (default), 17, 18");
    create->add_option("--pg-bin", p.create.pg_bin, "folder of initdb and postgres");
    create->add_option("--path", p.create.path, "the instance's folder; default: below the home");
    create->add_option("--port", p.create.port, "default: the first free one from 5432 on");
    create->add_option("--os-user", p.create.os_user,
                       "who the server runs as; default: postgres when root makes it");
    create->add_option("--listen", p.create.listen, "addresses; default: 127.0.0.1");
    add_probe_flags(create, p.create.probe);

    auto* start = add_command(app, p, "start", "start a server and keep it running",
                              [&p] { return start_command(p.common, p.flag, p.timeout_s); });
    start->add_flag("--foreground", p.flag, "stay: for systemd and containers");
    start->add_option("--timeout", p.timeout_s, "seconds to wait until it is ready")
        ->capture_default_str();
    auto* stop = add_command(app, p, "stop", "stop a server",
                             [&p] { return stop_command(p.common, p.flag, p.timeout_s); });
    stop->add_flag("--immediate", p.flag, "without a checkpoint: the next start replays the log");
    stop->add_option("--timeout", p.timeout_s, "seconds")->capture_default_str();
    auto* restart = add_command(app, p, "restart", "stop and start",
                                [&p] { return restart_command(p.common, p.timeout_s); });
    restart->add_option("--timeout", p.timeout_s, "seconds, for each")->capture_default_str();
    auto* destroy = add_command(app, p, "destroy", "remove a server, its databases and backups",
                                [&p] { return destroy_command(p.common); });
    destroy->add_flag("--yes", p.common.yes, "do not ask");
}

void add_inspection(CLI::App& app, Parsed& p)
{
    auto* status = add_command(app, p, "status", "state, sizes, archive; exit code 3 if it is down",
                               [&p] { return status_command(p.common, p.status); });
    status->add_flag("--uri", p.status.uri, "print a libpq URI and nothing else");
    status->add_flag("--json", p.status.json);
    add_command(app, p, "list", "every instance", [&p] { return list_command(p.common); }, false);
    add_command(app, p, "unit", "print a systemd unit for it",
                [&p] { return unit_command(p.common); });
    auto* logs = add_command(app, p, "logs", "the end of its logs",
                             [&p] { return logs_command(p.common, p.lines, p.flag, p.which); });
    logs->add_option("-n,--lines", p.lines)->capture_default_str();
    logs->add_flag("-f,--follow", p.flag);
    logs->add_option("--which", p.which)
        ->check(CLI::IsMember({"all", "server", "startup", "supervisor"}))
        ->capture_default_str();
    auto* psql = add_command(app, p, "psql", "psql as its superuser; what follows -- goes to psql",
                             [&p] { return psql_command(p.common, p.rest); });
    psql->add_option("arguments", p.rest, "for psql");
}

void add_config(CLI::App& app, Parsed& p)
{
    auto* config = app.add_subcommand("config", "settings: what they are, why, changing them");
    config->require_subcommand(1);
    auto* get = add_command(*config, p, "get", "values in use",
                            [&p] { return config_get_command(p.common, p.optional_setting()); });
    get->add_option("setting", p.setting);
    auto* set = add_command(*config, p, "set", "change one",
                            [&p] { return config_set_command(p.common, p.setting, p.value); });
    set->add_option("setting", p.setting)->required();
    set->add_option("value", p.value)->required();
    auto* unset = add_command(*config, p, "unset", "take a change back", [&p]
                              { return config_set_command(p.common, p.setting, std::nullopt); });
    unset->add_option("setting", p.setting)->required();
    auto* explain =
        add_command(*config, p, "explain", "value, why, default, source",
                    [&p] { return config_explain_command(p.common, p.optional_setting()); });
    explain->add_option("setting", p.setting);
    auto* measure = add_command(*config, p, "measure", "measure the machine again",
                                [&p] { return config_measure_command(p.common, p.create.probe); });
    add_probe_flags(measure, p.create.probe);
}

void add_backups(CLI::App& app, Parsed& p)
{
    auto* backup = add_command(app, p, "backup", "copy the whole server and check the copy",
                               [&p] { return backup_command(p.common, p.keep, p.every_hours); });
    backup->add_option("--keep", p.keep, "how many to keep from now on, with their log; first 7");
    backup->add_option("--every", p.every_hours,
                       "hours between backups that its supervisor makes from now on; 0: none");
    auto* folder = add_command(app, p, "backup-folder", "run by the supervisor",
                               [&p] { return backup_folder_command(p.path); }, false);
    folder->add_option("path", p.path)->required();
    auto* backups = add_command(app, p, "backups", "what there is to restore from",
                                [&p] { return backups_command(p.common, p.flag); });
    backups->add_flag("--verify", p.flag, "read and check every file of it");
    auto* restore = add_command(app, p, "restore", "a backup and its log into a new instance",
                                [&p] { return restore_command_line(p.common, p.restore); });
    restore->add_option("--as", p.restore.as, "name of the new instance")->required();
    restore->add_option("--to", p.restore.to, "time, log position or latest")
        ->capture_default_str();
    restore->add_option("--backup", p.restore.backup, "default: the newest that serves");
    restore->add_option("--path", p.restore.path, "folder of the new instance");
    restore->add_option("--port", p.restore.port, "of the new instance");
    restore->add_option("--timeout", p.restore.timeout_s, "seconds")->capture_default_str();
    add_probe_flags(restore, p.restore.probe);

    auto* archive = add_command(app, p, "archive-wal", "run by PostgreSQL's archive_command",
                                [&p] { return archive_wal_command(p.folder, p.path); }, false);
    archive->add_option("--to", p.folder)->required();
    archive->add_option("path", p.path)->required();
    auto* fetch = add_command(
        app, p, "fetch-wal", "run by PostgreSQL's restore_command",
        [&p] { return fetch_wal_command(p.folder, p.unfinished, p.file, p.path); }, false);
    fetch->add_option("--from", p.folder)->required();
    fetch->add_option("--or", p.unfinished);
    fetch->add_option("file", p.file)->required();
    fetch->add_option("path", p.path)->required();
}

void add_link(CLI::App& app, Parsed& p)
{
    auto* link = add_command(app, p, "link", "make a database of Basalt follow its tables",
                             [&p] { return link_command(p.common, p.link); });
    link->add_option("--url", p.link.url, "of the Basalt server")->capture_default_str();
    link->add_option("--database", p.link.database, "of Basalt; default: the instance's");
    link->add_option("--wire-port", p.link.wire_port, "Basalt's PostgreSQL port, for the way back")
        ->capture_default_str();
    link->add_option("--foreign-schema", p.link.foreign_schema,
                     "of PostgreSQL, where Basalt's tables appear; '' for none")
        ->capture_default_str();
    link->add_option("--timeout", p.link.timeout_s, "seconds to wait for the first copy")
        ->capture_default_str();
}

void add_bench(CLI::App& app, Parsed& p)
{
    BenchOptions& o = p.bench;
    auto* bench = add_command(app, p, "bench", "three pgbench tests on local and on capped disk",
                              [&p] { return bench_command(p.bench, p.flag, p.folder); }, false);
    bench->add_flag("--quick", p.flag, "minutes instead of hours: 512 MiB of memory, short runs");
    bench->add_option("--report", p.folder, "folder for report.html, samples, commands, settings");
    bench->add_option("--path", o.path, "folder to work in; made and removed")
        ->capture_default_str();
    bench->add_option("--memory", o.memory_bytes, "of the server; data are 7.8 times as much")
        ->transform(CLI::AsSizeValue(false));
    bench->add_option("--scale", o.scale, "pgbench's, of the first two tests");
    bench->add_option("--fit-scale", o.fit_scale, "of the test in memory");
    bench->add_option("--clients", o.clients, "default: 16 a core");
    bench->add_option("--fit-clients", o.fit_clients, "of the test in memory");
    bench->add_option("--iops", o.iops, "of the capped volume; default: 1000 a core");
    bench->add_option("--time", o.io_seconds, "seconds of a run")->capture_default_str();
    bench->add_option("--fit-time", o.fit_seconds, "in memory")->capture_default_str();
    bench->add_option("--warm-time", o.warm_seconds, "before that")->capture_default_str();
    bench->add_option("--runs", o.runs, "of each test in each arm")->capture_default_str();
    bench->add_option("--cores", o.cores);
    bench->add_option("--arms", o.arms, "of tuned, default, capped")->delimiter(',');
    bench->add_option("--tests", o.tests, "of read-write, read-only, in-memory")->delimiter(',');
    bench->add_option("--version", o.version, "major version of the server");
    bench->add_option("--pg-bin", o.pg_bin, "folder of initdb and postgres");
    bench->add_option("--os-user", o.os_user, "who the server runs as");
}

} // namespace

int pg_main(int argc, char** argv)
{
    Parsed parsed;
    CLI::App app("PostgreSQL servers that Basalt runs", "basalt pg");
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--home", parsed.common.home,
                   "where instances are listed; default: $BASALT_PG_HOME, /var/lib/basalt/pg for "
                   "root, ~/.local/share/basalt/pg");
    add_lifecycle(app, parsed);
    add_inspection(app, parsed);
    add_config(app, parsed);
    add_backups(app, parsed);
    add_link(app, parsed);
    add_bench(app, parsed);
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }
    return parsed.command();
}

} // namespace basalt
