// basalt pg status, list, logs, psql, config.

#include "programs/pg/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/file_system.h"
#include "io/process.h"
#include "postgres/binaries.h"
#include "postgres/configuration.h"
#include "postgres/control.h"
#include "postgres/server_files.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <thread>

namespace basalt::pg
{

namespace
{

constexpr int64_t kFollowPollMs = 200;
constexpr size_t kFollowBytes = 64 << 10;

void follow_file(FileSystem& files, const std::string& path)
{
    const auto file = files.open_for_read(path);
    uint64_t at = file->size();
    std::string buffer(kFollowBytes, '\0');
    for (;;)
    {
        const size_t n = file->pread(buffer.data(), buffer.size(), at);
        at += n;
        std::fwrite(buffer.data(), 1, n, stdout);
        std::fflush(stdout);
        if (n == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(kFollowPollMs));
    }
}

} // namespace

int status_command(const CommonOptions& common, const StatusOptions& options)
{
    FileSystem& files = real_file_system();
    const Instance instance = open_list(common).find(common.name);
    if (options.uri)
    {
        std::printf("%s\n", connection_uri(files, instance).c_str());
        return 0;
    }
    const ServerReport report = report_on(files, system_clock(), instance, true);
    std::fputs((options.json ? report.to_json() : report.to_text()).c_str(), stdout);
    return report.is_running ? 0 : 3;
}

int unit_command(const CommonOptions& common)
{
    const InstanceList list = open_list(common);
    const Instance instance = list.find(common.name);
    std::fputs(systemd_unit(instance, std::filesystem::absolute(list.home()),
                            reachable_program(real_file_system(), list.home(), owner_of(instance)))
                   .c_str(),
               stdout);
    return 0;
}

int list_command(const CommonOptions& common)
{
    const InstanceList list = open_list(common);
    std::printf("%-20s %-24s %-8s %6s  %s\n", "NAME", "STATE", "VERSION", "PORT", "FOLDER");
    for (const auto& name : list.names())
    {
        try
        {
            const Instance instance = list.find(name);
            const ServerReport report =
                report_on(real_file_system(), system_clock(), instance, false);
            std::printf("%-20s %-24s %-8s %6u  %s\n", name.c_str(), report.state.c_str(),
                        instance.version.c_str(), instance.port, instance.path.c_str());
        }
        catch (const Error& error)
        {
            std::printf("%-20s %s\n", name.c_str(), error.message().c_str());
        }
    }
    return 0;
}

int logs_command(const CommonOptions& common, size_t lines, bool follow, const std::string& which)
{
    FileSystem& files = real_file_system();
    const Instance instance = open_list(common).find(common.name);
    std::vector<LogKind> kinds;
    if (which == "server")
        kinds = {LogKind::Server};
    else if (which == "startup")
        kinds = {LogKind::Startup};
    else if (which == "supervisor")
        kinds = {LogKind::Supervisor};
    else
        kinds = {LogKind::Supervisor, LogKind::Startup, LogKind::Server};
    std::string last;
    for (const LogKind kind : kinds)
        if (const auto path = log_file(files, instance, kind))
        {
            last = *path;
            if (kinds.size() > 1)
                std::printf("==> %s <==\n", path->c_str());
            std::fputs(last_lines(files, *path, lines).c_str(), stdout);
        }
    if (follow && !last.empty())
        follow_file(files, last);
    return 0;
}

int psql_command(const CommonOptions& common, const std::vector<std::string>& arguments)
{
    const Instance instance = open_list(common).find(common.name);
    ProcessOptions options;
    options.arguments = {need_tool(instance.bin_directory, "psql")};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    options.environment = {{"PGHOST", instance.run()},
                           {"PGPORT", std::to_string(instance.port)},
                           {"PGUSER", kSuperuser},
                           {"PGDATABASE", instance.database}};
    options.stdin_stream.kind = StreamOptions::Kind::Inherit;
    options.stdout_stream.kind = StreamOptions::Kind::Inherit;
    options.stderr_stream.kind = StreamOptions::Kind::Inherit;
    // Ctrl-C cancels the statement in psql and must not end us before it.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGQUIT, SIG_IGN);
    Process psql(options);
    const ExitStatus status = *psql.wait();
    return status.signal ? 128 + status.signal : status.code;
}

int config_get_command(const CommonOptions& common, const std::optional<std::string>& setting)
{
    const Instance instance = open_list(common).find(common.name);
    return as_owner(instance,
                    [&]
                    {
                        const auto values = get_settings(real_file_system(), instance, setting);
                        for (const auto& [name, value] : values)
                        {
                            if (setting)
                                std::printf("%s\n", value.c_str());
                            else
                                std::printf("%s = %s\n", name.c_str(), pg::quoted(value).c_str());
                        }
                        return 0;
                    });
}

int config_set_command(const CommonOptions& common, const std::string& setting,
                       const std::optional<std::string>& value)
{
    const Instance instance = open_list(common).find(common.name);
    return as_owner(
        instance,
        [&]
        {
            const std::string text =
                value ? fmt::format("{} is {} now", setting, *value)
                      : fmt::format("{} is what Basalt or PostgreSQL derives", setting);
            switch (change_setting(real_file_system(), instance, setting, value))
            {
            case SettingEffect::Now:
                std::printf("%s.\n", text.c_str());
                break;
            case SettingEffect::AtStart:
                std::printf("%s, from the next start on.\n", text.c_str());
                break;
            case SettingEffect::AtRestart:
                std::printf("%s, once the server is restarted: basalt pg restart %s\n",
                            text.c_str(), instance.name.c_str());
                break;
            }
            return 0;
        });
}

int config_explain_command(const CommonOptions& common, const std::optional<std::string>& setting)
{
    const Instance instance = open_list(common).find(common.name);
    return as_owner(instance,
                    [&]
                    {
                        for (const auto& line :
                             explain_settings(real_file_system(), instance, setting))
                        {
                            std::printf("%s = %s\n", line.name.c_str(), pg::quoted(line.value).c_str());
                            if (!line.why.empty())
                                std::printf("    why      %s\n", line.why.c_str());
                            std::printf("    default  %s\n    source   %s\n",
                                        line.otherwise.empty() ? "(empty)" : line.otherwise.c_str(),
                                        line.source.c_str());
                        }
                        return 0;
                    });
}

int config_measure_command(const CommonOptions& common, const ProbeOptions& probe)
{
    const Instance instance = open_list(common).find(common.name);
    return as_owner(
        instance,
        [&]
        {
            FileSystem& files = real_file_system();
            MachineFile machine = load_machine(files, instance);
            machine.machine = probe_machine(files, instance.path, probe);
            save_machine(files, instance, machine);
            const Machine& found = machine.machine;
            std::printf("memory            %s\ncores             %llu\n"
                        "disk              %s, %s free\nfdatasync         %.2f ms (8 KiB)\n"
                        "random reads      %.0f/s alone, %.0f/s from %zu threads (8 KiB%s)\n"
                        "sequential write  %.0f MiB/s\n"
                        "The next start derives the settings from this.\n",
                        readable_size(found.memory_bytes).c_str(),
                        static_cast<unsigned long long>(found.cores),
                        readable_size(found.disk_total_bytes).c_str(),
                        readable_size(found.disk_free_bytes).c_str(), found.fsync_us / 1000,
                        found.read_iops_one, found.read_iops_parallel, kProbeThreads,
                        found.reads_were_direct ? ", direct" : ", through the page cache",
                        found.write_mib_s);
            return 0;
        });
}

} // namespace basalt::pg
