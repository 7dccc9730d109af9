// basalt pg create, destroy, start, stop, restart.

#include "programs/pg/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/file_system.h"
#include "postgres/control.h"
#include "postgres/settings.h"
#include "postgres/supervisor.h"

#include <cstdio>
#include <fmt/core.h>
#include <iostream>
#include <unistd.h>

namespace basalt::pg
{

InstanceList open_list(const CommonOptions& common)
{
    return {real_file_system(), common.home.empty() ? default_home() : common.home};
}

OsUser owner_of(const Instance& instance)
{
    const auto user = find_os_user(instance.os_user);
    if (!user)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Instance '{}' belongs to user '{}', whom this machine does not know",
                                instance.name, instance.os_user));
    const OsUser we = current_os_user();
    if (we.uid != 0 && we.uid != user->uid)
        throw Error(error_codes::ACCESS_DENIED,
                    fmt::format("Instance '{}' belongs to user '{}': run this as that user or as "
                                "root",
                                instance.name, instance.os_user));
    return *user;
}

int as_owner(const Instance& instance, const std::function<int()>& job)
{
    return run_as_user(owner_of(instance), job);
}

int create_command(const CommonOptions& common, CreateOptions options)
{
    FileSystem& files = real_file_system();
    InstanceList list = open_list(common);
    options.name = common.name;
    const CreatePlan plan = plan_instance(files, list, options);
    files.create_directories(list.home());
    const bool existed = files.exists(plan.instance.path);
    make_instance_folder(files, plan);
    int code = 1;
    try
    {
        const std::string program = reachable_program(files, list.home(), plan.user);
        code = run_as_user(plan.user,
                           [&]
                           {
                               fill_instance_folder(files, plan.instance, options.probe);
                               initialise_data(files, plan.instance, program);
                               return 0;
                           });
    }
    catch (...)
    {
        remove_instance_folder(files, plan.instance.path);
        throw;
    }
    if (code != 0)
    {
        run_as_user(plan.user,
                    [&]
                    {
                        empty_instance_folder(files, plan.instance.path);
                        return 0;
                    });
        if (!existed)
            remove_instance_folder(files, plan.instance.path);
        return code;
    }
    list.add(plan.instance.name, plan.instance.path);
    std::printf("Instance '%s' is made: PostgreSQL %s in %s, port %u, user %s.\n"
                "  basalt pg start %s\n",
                plan.instance.name.c_str(), plan.instance.version.c_str(),
                plan.instance.path.c_str(), plan.instance.port, plan.instance.os_user.c_str(),
                plan.instance.name.c_str());
    return 0;
}

int destroy_command(const CommonOptions& common)
{
    FileSystem& files = real_file_system();
    InstanceList list = open_list(common);
    if (!list.has(common.name))
        list.find(common.name); // tells which there are
    std::optional<Instance> instance;
    try
    {
        instance = list.find(common.name);
    }
    catch (const Error& error)
    {
        std::fprintf(stderr, "%s\n", error.message().c_str());
    }
    if (!common.yes)
    {
        if (!::isatty(STDIN_FILENO))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "destroy asks before it removes databases and backups; --yes answers it");
        std::printf("Remove instance '%s'%s%s with its databases, its log archive and its backups? "
                    "Type its name: ",
                    common.name.c_str(), instance ? " in " : "",
                    instance ? instance->path.c_str() : "");
        std::fflush(stdout);
        std::string answer;
        std::getline(std::cin, answer);
        if (answer != common.name)
        {
            std::puts("Nothing is removed.");
            return 1;
        }
    }
    if (instance)
    {
        const OsUser user = owner_of(*instance);
        stop_server(files, system_clock(), *instance, true, kStartTimeoutMs);
        const int code = run_as_user(user,
                                     [&]
                                     {
                                         empty_instance_folder(files, instance->path);
                                         return 0;
                                     });
        if (code != 0)
            return code;
        if (!remove_instance_folder(files, instance->path))
            std::printf("%s stays: it holds files that are not of Basalt.\n",
                        instance->path.c_str());
    }
    list.remove(common.name);
    std::printf("Instance '%s' is gone.\n", common.name.c_str());
    return 0;
}

namespace
{

// The exit code of what failed in the child, which has said why; 0 once the server is ready.
int start_and_wait(const InstanceList& list, const Instance& instance, int64_t timeout_s)
{
    FileSystem& files = real_file_system();
    const OsUser user = owner_of(instance);
    const std::string program = reachable_program(files, list.home(), user);
    const int code = run_as_user(user,
                                 [&]
                                 {
                                     prepare_start(files, instance, program);
                                     return 0;
                                 });
    if (code != 0)
        return code;
    const int pid =
        start_detached(user, instance.log() + "/supervisor.log",
                       [&] { return supervise(real_file_system(), system_clock(), instance); });
    wait_until_running(files, system_clock(), instance, pid, timeout_s * 1000);
    return 0;
}

} // namespace

int start_command(const CommonOptions& common, bool foreground, int64_t timeout_s)
{
    const InstanceList list = open_list(common);
    const Instance instance = list.find(common.name);
    if (foreground)
    {
        FileSystem& files = real_file_system();
        const OsUser user = owner_of(instance);
        const std::string program = reachable_program(files, list.home(), user);
        become_user(user);
        prepare_start(files, instance, program);
        return supervise(files, system_clock(), instance);
    }
    if (const int code = start_and_wait(list, instance, timeout_s); code != 0)
        return code;
    std::printf("Instance '%s' runs: %s port %u. basalt pg psql %s\n", instance.name.c_str(),
                instance.listen.c_str(), instance.port, instance.name.c_str());
    return 0;
}

int stop_command(const CommonOptions& common, bool immediate, int64_t timeout_s)
{
    const Instance instance = open_list(common).find(common.name);
    owner_of(instance);
    const bool ran = stop_server(real_file_system(), system_clock(), instance, immediate,
                                 timeout_s * 1000);
    std::printf("Instance '%s' %s.\n", instance.name.c_str(), ran ? "is stopped" : "did not run");
    return 0;
}

int restart_command(const CommonOptions& common, int64_t timeout_s)
{
    const Instance instance = open_list(common).find(common.name);
    owner_of(instance);
    stop_server(real_file_system(), system_clock(), instance, false, timeout_s * 1000);
    return start_command(common, false, timeout_s);
}

OwnedInstances::OwnedInstances(const std::string& home, const std::vector<std::string>& names)
{
    CommonOptions common;
    common.home = home;
    const InstanceList list = open_list(common);
    try
    {
        for (const auto& name : names)
        {
            const Instance instance = list.find(name);
            if (is_supervised(real_file_system(), instance))
                continue;
            if (start_and_wait(list, instance, kStartTimeoutMs / 1000) != 0)
                throw Error(error_codes::CANNOT_CREATE_CHILD_PROCESS,
                            fmt::format("The PostgreSQL instance '{}' did not start", name));
            started_.push_back(instance);
        }
    }
    catch (...)
    {
        stop_all();
        throw;
    }
}

OwnedInstances::~OwnedInstances()
{
    stop_all();
}

void OwnedInstances::stop_all()
{
    for (const auto& instance : started_)
    {
        try
        {
            stop_server(real_file_system(), system_clock(), instance, false, kFastStopTimeoutMs);
        }
        catch (const Error& error)
        {
            std::fprintf(stderr, "%s\n", error.full_text().c_str());
        }
    }
}

} // namespace basalt::pg
