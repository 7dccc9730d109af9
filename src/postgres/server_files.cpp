#include "postgres/server_files.h"

#include "base/error.h"
#include "io/os_user.h"
#include "postgres/supervisor.h"

#include <cctype>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

std::string doubled_percent(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '%' ? std::string("%%") : std::string(1, c);
    return out;
}

std::string percent_encoded(const std::string& text)
{
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
            c == '/')
            out.push_back(c);
        else
            out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    return out;
}

bool only_loopback(const std::string& listen)
{
    size_t at = 0;
    while (at < listen.size())
    {
        const size_t comma = std::min(listen.find(',', at), listen.size());
        std::string one = listen.substr(at, comma - at);
        std::erase(one, ' ');
        if (!one.empty() && one != "localhost" && one != "::1" && !one.starts_with("127."))
            return false;
        at = comma + 1;
    }
    return true;
}

} // namespace

void save_machine(FileSystem& files, const Instance& instance, const MachineFile& machine)
{
    KeyValues values;
    machine.machine.to(values);
    values.set("server_major", machine.features.major);
    values.set("server_wal_lz4", machine.features.wal_lz4);
    values.set("server_toast_lz4", machine.features.toast_lz4);
    values.set("server_pg_stat_statements", machine.features.pg_stat_statements);
    files.replace_whole(instance.path + "/machine.conf", values.to_text());
}

MachineFile load_machine(FileSystem& files, const Instance& instance)
{
    const std::string path = instance.path + "/machine.conf";
    const KeyValues values = KeyValues::parse(files.read_whole(path, kMaxKeyValueFileBytes), path);
    MachineFile result;
    result.machine = Machine::from(values);
    result.features.major = static_cast<int>(values.number("server_major", instance.major()));
    result.features.wal_lz4 = values.number("server_wal_lz4") != 0;
    result.features.toast_lz4 = values.number("server_toast_lz4") != 0;
    result.features.pg_stat_statements = values.number("server_pg_stat_statements") != 0;
    return result;
}

std::string archive_command(const std::string& program, const std::string& wal_folder)
{
    return fmt::format("{} pg archive-wal --to {} %p", doubled_percent(shell_quoted(program)),
                       doubled_percent(shell_quoted(wal_folder)));
}

std::string restore_command(const std::string& program, const std::string& wal_folder,
                            const std::string& unfinished)
{
    std::string command =
        fmt::format("{} pg fetch-wal --from {}", doubled_percent(shell_quoted(program)),
                    doubled_percent(shell_quoted(wal_folder)));
    if (!unfinished.empty())
        command += " --or " + doubled_percent(shell_quoted(unfinished));
    return command + " %f %p";
}

std::string basalt_conf(const Instance& instance, const DerivedSettings& settings,
                        const std::string& program)
{
    KeyValues values;
    for (const auto& setting : settings.settings)
        values.set(setting.name, setting.value);
    values.set("listen_addresses", instance.listen);
    values.set("port", instance.port);
    values.set("unix_socket_directories", instance.run());
    values.set("ssl", "on");
    values.set("ssl_ca_file", "");
    values.set("ssl_cert_file", instance.tls() + "/server.crt");
    values.set("ssl_key_file", instance.tls() + "/server.key");
    values.set("archive_command", archive_command(program, instance.wal()));
    values.set("logging_collector", "on");
    values.set("log_directory", instance.log());
    // A week of logs: the file of the same weekday is emptied first.
    values.set("log_filename", "postgresql-%a.log");
    values.set("log_file_mode", "0640");
    values.set("log_rotation_age", "1d");
    values.set("log_rotation_size", "0");
    values.set("log_truncate_on_rotation", "on");
    values.set("log_line_prefix", "%m [%p] %q%u@%d ");
    values.set("log_timezone", "UTC");
    values.set("timezone", "UTC");
    values.set("datestyle", "iso, mdy");
    values.set("lc_messages", "C");
    values.set("cluster_name", instance.name);
    return "# Written by Basalt at every start. What to change: basalt pg config set " +
           instance.name + " NAME VALUE\n" + values.to_text();
}

std::string hba_conf(const Instance& instance)
{
    std::string text = "# database, user, address, method\n"
                       "local   all          postgres                 peer map=basalt\n"
                       "local   replication  postgres                 peer map=basalt\n"
                       "local   all          all                      scram-sha-256\n"
                       "hostssl all          all       127.0.0.1/32   scram-sha-256\n"
                       "hostssl all          all       ::1/128        scram-sha-256\n"
                       "hostssl replication  all       127.0.0.1/32   scram-sha-256\n"
                       "hostssl replication  all       ::1/128        scram-sha-256\n";
    if (!only_loopback(instance.listen))
        text += "hostssl all          all       all            scram-sha-256\n"
                "hostssl replication  all       all            scram-sha-256\n";
    return text;
}

std::string ident_conf(const Instance& instance)
{
    return fmt::format("# map, operating system's user, database's user\n"
                       "basalt root postgres\n"
                       "basalt \"{}\" postgres\n",
                       instance.os_user);
}

void write_server_files(FileSystem& files, const Instance& instance, const std::string& program,
                        bool access_too)
{
    const MachineFile machine = load_machine(files, instance);
    const DerivedSettings settings = derive_settings(machine.machine, machine.features);
    files.replace_whole(instance.data() + "/basalt.conf", basalt_conf(instance, settings, program));
    files.replace_whole(instance.data() + "/postgresql.conf",
                        "# Basalt's file; ALTER SYSTEM and basalt pg config set are kept elsewhere.\n"
                        "include 'basalt.conf'\n"
                        "include_if_exists 'user.conf'\n"
                        "include_if_exists 'restore.conf'\n");
    if (access_too)
    {
        files.replace_whole(instance.data() + "/pg_hba.conf", hba_conf(instance));
        files.replace_whole(instance.data() + "/pg_ident.conf", ident_conf(instance));
    }
}

KeyValues load_user_settings(FileSystem& files, const Instance& instance)
{
    const std::string path = instance.data() + "/user.conf";
    if (!files.exists(path))
        return {};
    return KeyValues::parse(files.read_whole(path, kMaxKeyValueFileBytes), path);
}

void save_user_settings(FileSystem& files, const Instance& instance, const KeyValues& values)
{
    files.replace_whole(instance.data() + "/user.conf", values.to_text());
}

std::string systemd_unit(const Instance& instance, const std::string& home,
                         const std::string& program)
{
    const auto word = [](const std::string& text)
    {
        std::string out = "\"";
        for (const char c : text)
        {
            if (c == '"' || c == '\\')
                out.push_back('\\');
            // Both begin an expansion.
            if (c == '%' || c == '$')
                out.push_back(c);
            out.push_back(c);
        }
        return out + "\"";
    };
    // The supervisor gets SIGTERM alone and stops the server in order; its own limit for that is
    // shorter than systemd's.
    return fmt::format("[Unit]\n"
                       "Description=PostgreSQL instance {0}, run by Basalt\n"
                       "After=network.target local-fs.target\n"
                       "\n[Service]\n"
                       "User={1}\n"
                       "ExecStart={2} pg --home {3} start {0} --foreground\n"
                       "KillMode=mixed\n"
                       "TimeoutStopSec={4}\n"
                       "Restart=on-failure\n"
                       "RestartSec=5\n"
                       "\n[Install]\n"
                       "WantedBy=multi-user.target\n",
                       instance.name, instance.os_user, word(program), word(home),
                       kFastStopTimeoutMs / 1000 + 30);
}

std::string connection_uri(FileSystem& files, const Instance& instance)
{
    std::string password;
    try
    {
        password = files.read_whole(instance.path + "/password", 1024);
        while (!password.empty() && password.back() == '\n')
            password.pop_back();
    }
    catch (const Error&)
    {
    }
    return fmt::format("postgresql://{}{}{}@127.0.0.1:{}/{}?sslmode=verify-full&sslrootcert={}",
                       kSuperuser, password.empty() ? "" : ":", percent_encoded(password),
                       instance.port, instance.database,
                       percent_encoded(instance.tls() + "/root.crt"));
}

} // namespace basalt::pg
