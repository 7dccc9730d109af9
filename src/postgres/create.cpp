#include "postgres/create.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/process.h"
#include "postgres/binaries.h"
#include "postgres/certificate.h"
#include "postgres/server_files.h"

#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <unistd.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr size_t kPasswordCharacters = 24;
constexpr int64_t kInitdbTimeoutMs = 300000;

// What stands in an instance's folder; nothing else is ever removed.
constexpr std::array kFolders = {"data", "wal", "backups", "run", "log", "tls"};
// Last what makes it an instance, so that an interrupted removal can be repeated.
constexpr std::array kFiles = {"machine.conf", "state",     "supervisor.lock",
                               "password",     "probe.tmp", "instance.conf"};

std::string own_program()
{
    char path[4096];
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n <= 0)
        throw Error(CANNOT_OPEN_FILE, "Cannot find the file of this program: is /proc mounted?");
    return {path, static_cast<size_t>(n)};
}

void write_private(FileSystem& files, const std::string& path, const std::string& content)
{
    // The mode comes before the content.
    files.open_for_write(path, OpenMode::Truncate)->close();
    set_file_mode(path, 0600);
    const auto file = files.open_for_write(path, OpenMode::Append);
    file->append(content);
    file->sync();
    file->close();
}

std::string host_name()
{
    char name[256] = {};
    ::gethostname(name, sizeof(name) - 1);
    return name;
}

void run_or_throw(const ProcessOptions& options, const std::string& what, std::string_view input)
{
    const ProcessResult result = run_process(options, input, kInitdbTimeoutMs);
    // Single-user mode goes on after an error.
    if (result.status.ok() && result.errors.find("ERROR:") == std::string::npos &&
        result.errors.find("FATAL:") == std::string::npos)
        return;
    const bool full = result.errors.find("No space left on device") != std::string::npos;
    throw Error(full ? NOT_ENOUGH_SPACE : CANNOT_CREATE_CHILD_PROCESS,
                fmt::format("{} failed ({}): {}", what,
                            result.timed_out ? "killed after its time was up"
                                             : result.status.text(),
                            result.errors.empty() ? result.output : result.errors));
}

bool accepts(const Instance& instance, const std::string& setting, const std::string& value)
{
    ProcessOptions options;
    options.arguments = {instance.program("postgres"), "-D",    instance.data(), "-c",
                         setting + "=" + value,        "-C",    setting};
    return run_process(options, {}, kInitdbTimeoutMs).status.ok();
}

bool has_module(const Instance& instance, const std::string& module)
{
    for (const char* folder : {"/../lib/", "/../lib/postgresql/"})
        if (::access((instance.bin_directory + folder + module + ".so").c_str(), R_OK) == 0)
            return true;
    return false;
}

void single_user(const Instance& instance, const std::string& database, const std::string& sql)
{
    ProcessOptions options;
    options.arguments = {instance.program("postgres"), "--single", "-D", instance.data(),
                         "-c", "archive_mode=off", "-c", "logging_collector=off", database};
    run_or_throw(options, fmt::format("'{}' in database {}", sql, database), sql + "\n");
}

} // namespace

void check_reachable(const std::string& path, const std::string& what)
{
    if (const auto folder = unreachable_folder(path))
        throw Error(ACCESS_DENIED,
                    fmt::format("User {} cannot reach {} {}: it may not enter the folder {}. Give "
                                "another place, or run: chmod o+x {}",
                                current_os_user().name, what, path, *folder, *folder));
}

CreatePlan plan_instance(FileSystem& files, const InstanceList& list, const CreateOptions& options)
{
    CreatePlan plan;
    Instance& instance = plan.instance;
    check_instance_name(options.name);
    if (list.has(options.name))
        throw Error(BAD_ARGUMENTS, fmt::format("There is an instance '{}' already", options.name));
    const OsUser we = current_os_user();
    if (!options.os_user.empty() || we.uid == 0)
    {
        const std::string name = options.os_user.empty() ? "postgres" : options.os_user;
        const auto user = find_os_user(name);
        if (!user)
            throw Error(BAD_ARGUMENTS, fmt::format("There is no user '{}' on this machine; name "
                                                   "another with --os-user",
                                                   name));
        plan.user = *user;
    }
    else
        plan.user = we;
    if (plan.user.uid == 0)
        throw Error(BAD_ARGUMENTS, "PostgreSQL refuses to run as root; name another --os-user");
    if (plan.user.uid != we.uid && we.uid != 0)
        throw Error(ACCESS_DENIED, fmt::format("Only root can run a server as another user ({})",
                                               plan.user.name));
    const Binaries binaries = find_binaries(options.pg_bin, options.version, list.home());
    instance.name = options.name;
    instance.database = options.name;
    instance.os_user = plan.user.name;
    instance.bin_directory = std::filesystem::absolute(binaries.directory).lexically_normal();
    instance.version = binaries.version;
    if (!options.listen.empty())
        instance.listen = options.listen;
    instance.created = utc_text(system_clock().unix_s());
    const std::string wish = options.path.empty() ? list.home() + "/" + options.name : options.path;
    instance.path = std::filesystem::absolute(wish).lexically_normal();
    while (instance.path.size() > 1 && instance.path.back() == '/')
        instance.path.pop_back();
    if (instance.path.size() > kMaxInstancePathBytes)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("The folder {} has a path of {} bytes; a socket in it leaves room "
                                "for {}",
                                instance.path, instance.path.size(), kMaxInstancePathBytes));
    if (files.exists(instance.path) && !files.list(instance.path).empty())
        throw Error(DIRECTORY_ALREADY_EXISTS,
                    fmt::format("The folder {} exists and is not empty", instance.path));
    instance.port = list.choose_port(options.port);
    return plan;
}

void make_instance_folder(FileSystem& files, const CreatePlan& plan)
{
    files.create_directories(plan.instance.path);
    set_file_mode(plan.instance.path, 0755);
    if (current_os_user().uid != plan.user.uid)
        give_file(plan.instance.path, plan.user);
}

void fill_instance_folder(FileSystem& files, const Instance& instance, const ProbeOptions& probe)
{
    check_reachable(instance.path, "the instance's folder");
    check_reachable(instance.program("postgres"), "the server program");
    if (const uint64_t free = files.free_space(instance.path); free < kMinFreeBytes)
        throw Error(NOT_ENOUGH_SPACE, fmt::format("{} has {} free; a server needs {} to begin with",
                                                  instance.path, readable_size(free),
                                                  readable_size(kMinFreeBytes)));
    for (const char* folder : {"wal", "backups", "run", "log", "tls"})
        files.create_directories(instance.path + "/" + folder);
    set_file_mode(instance.wal(), 0700);
    set_file_mode(instance.backups(), 0700);
    set_file_mode(instance.run(), 0755);
    set_file_mode(instance.log(), 0750);
    set_file_mode(instance.tls(), 0755);
    const ServerCertificate certificate =
        make_certificate(instance.name, {"localhost", "127.0.0.1", "::1", host_name()});
    files.replace_whole(instance.tls() + "/root.crt", certificate.root_pem);
    files.replace_whole(instance.tls() + "/server.crt", certificate.certificate_pem);
    write_private(files, instance.tls() + "/server.key", certificate.key_pem);
    set_file_mode(instance.tls() + "/root.crt", 0644);

    MachineFile machine;
    machine.machine = probe_machine(files, instance.path, probe);
    machine.features.major = instance.major();
    machine.features.pg_stat_statements = has_module(instance, "pg_stat_statements");
    save_machine(files, instance, machine);
    instance.save(files);
}

void initialise_data(FileSystem& files, const Instance& instance, const std::string& program)
{
    const std::string password_file = instance.path + "/password";
    write_private(files, password_file, random_password(kPasswordCharacters) + "\n");
    ProcessOptions options;
    options.arguments = {instance.program("initdb"), "-D", instance.data(), "-U", kSuperuser,
                         "--pwfile=" + password_file, "--auth-local=peer",
                         "--auth-host=scram-sha-256", "--data-checksums", "--encoding=UTF8",
                         "--locale=C.UTF-8", "--no-instructions"};
    run_or_throw(options, "initdb", {});

    MachineFile machine = load_machine(files, instance);
    machine.features.wal_lz4 = accepts(instance, "wal_compression", "lz4");
    machine.features.toast_lz4 = accepts(instance, "default_toast_compression", "lz4");
    save_machine(files, instance, machine);
    write_server_files(files, instance, program, true);
    single_user(instance, "postgres", "CREATE DATABASE " + quoted_identifier(instance.database) + ";");
    if (machine.features.pg_stat_statements)
        single_user(instance, instance.database, "CREATE EXTENSION pg_stat_statements;");
}

void empty_instance_folder(FileSystem& files, const std::string& path)
{
    for (const char* folder : kFolders)
        files.remove_directory_recursive(path + "/" + folder);
    for (const char* file : kFiles)
        files.remove_file_if_exists(path + "/" + file);
}

bool remove_instance_folder(FileSystem& files, const std::string& path)
{
    if (!files.exists(path))
        return true;
    if (!files.list(path).empty())
        return false;
    files.remove_directory_recursive(path);
    return true;
}

std::string reachable_program(FileSystem& files, const std::string& home, const OsUser& user)
{
    const std::string program = own_program();
    const auto can_run = [&](const std::string& path)
    { return run_as_user(user, [&] { return ::access(path.c_str(), X_OK) == 0 ? 0 : 1; }) == 0; };
    if (can_run(program))
        return program;
    const std::string copy = home + "/bin/basalt";
    const auto ours = files.status(program);
    const auto theirs = files.status(copy);
    if (!theirs || !ours || theirs->size_bytes != ours->size_bytes ||
        theirs->modified_unix_us < ours->modified_unix_us)
    {
        files.create_directories(home + "/bin");
        std::filesystem::copy_file(program, copy + ".tmp",
                                   std::filesystem::copy_options::overwrite_existing);
        set_file_mode(copy + ".tmp", 0755);
        files.rename(copy + ".tmp", copy);
    }
    if (!can_run(copy))
        throw Error(ACCESS_DENIED,
                    fmt::format("User {} can run neither {} nor {}; the archive of the log needs it",
                                user.name, program, copy));
    return copy;
}

} // namespace basalt::pg
