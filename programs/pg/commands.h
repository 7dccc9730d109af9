#pragma once

// The commands of `basalt pg`, a function for each: flags are parsed in pg.cpp.

#include "postgres/bench.h"
#include "postgres/create.h"
#include "postgres/instance.h"

#include <optional>
#include <string>
#include <vector>

namespace basalt::pg
{

struct CommonOptions
{
    std::string home;
    std::string name;
    bool yes = false;
};

InstanceList open_list(const CommonOptions& common);
// Runs `job` as the user the instance belongs to.
int as_owner(const Instance& instance, const std::function<int()>& job);
OsUser owner_of(const Instance& instance);

int create_command(const CommonOptions& common, CreateOptions options);
int destroy_command(const CommonOptions& common);
int start_command(const CommonOptions& common, bool foreground, int64_t timeout_s);
int stop_command(const CommonOptions& common, bool immediate, int64_t timeout_s);
int restart_command(const CommonOptions& common, int64_t timeout_s);

// The instances of `basalt server --pg NAME`: started before the server, stopped after it. One that
// runs already is left as it is, then and at the end.
class OwnedInstances
{
public:
    // Forks: no thread may have been started before.
    OwnedInstances(const std::string& home, const std::vector<std::string>& names);
    ~OwnedInstances();
    OwnedInstances(const OwnedInstances&) = delete;
    OwnedInstances& operator=(const OwnedInstances&) = delete;

private:
    void stop_all();

    std::vector<Instance> started_;
};

struct StatusOptions
{
    bool uri = false;
    bool json = false;
};
int status_command(const CommonOptions& common, const StatusOptions& options);
int unit_command(const CommonOptions& common);
int list_command(const CommonOptions& common);
int logs_command(const CommonOptions& common, size_t lines, bool follow, const std::string& which);
int psql_command(const CommonOptions& common, const std::vector<std::string>& arguments);

int config_get_command(const CommonOptions& common, const std::optional<std::string>& setting);
int config_set_command(const CommonOptions& common, const std::string& setting,
                       const std::optional<std::string>& value);
int config_explain_command(const CommonOptions& common, const std::optional<std::string>& setting);
int config_measure_command(const CommonOptions& common, const ProbeOptions& probe);

// Nothing leaves a rule as it is.
int backup_command(const CommonOptions& common, std::optional<int64_t> keep,
                   std::optional<int64_t> every_hours);
// Run by the supervisor.
int backup_folder_command(const std::string& path);
int backups_command(const CommonOptions& common, bool verify);

struct RestoreOptions
{
    std::string as;
    std::string to = "latest";
    std::string backup; // empty: the newest that serves
    std::string path;
    uint16_t port = 0;
    int64_t timeout_s = 86400;
    ProbeOptions probe;
};
int restore_command_line(const CommonOptions& common, const RestoreOptions& options);

// What archive_command and restore_command run, with the exit codes PostgreSQL expects.
int archive_wal_command(const std::string& folder, const std::string& path);
int fetch_wal_command(const std::string& folder, const std::string& unfinished,
                      const std::string& name, const std::string& path);

struct LinkOptions
{
    std::string url = "http://127.0.0.1:8123/";
    std::string database; // of Basalt; empty: the instance's
    int64_t timeout_s = 600;
    uint16_t wire_port = 9005;             // where Basalt speaks PostgreSQL's protocol
    std::string foreign_schema = "basalt"; // of the instance, for Basalt's tables; empty: none
};
int link_command(const CommonOptions& common, const LinkOptions& options);

int bench_command(BenchOptions options, bool quick, const std::string& report_folder);

} // namespace basalt::pg
