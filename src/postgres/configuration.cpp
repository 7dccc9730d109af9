#include "postgres/configuration.h"

#include "base/error.h"
#include "io/process.h"
#include "postgres/connection.h"
#include "postgres/server_files.h"
#include "postgres/supervisor.h"

#include <algorithm>
#include <csignal>
#include <fmt/core.h>
#include <thread>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

constexpr int64_t kAskTimeoutMs = 20000;
constexpr int kReloadPolls = 40;
constexpr int64_t kReloadPollMs = 50;

bool is_running(FileSystem& files, const Instance& instance)
{
    const auto alive = live_postmaster(files, instance);
    return alive && alive->status == "ready";
}

ProcessResult ask_program(const Instance& instance, const std::string& name,
                          const std::optional<std::string>& value)
{
    ProcessOptions options;
    options.arguments = {instance.program("postgres"), "-D", instance.data()};
    if (value)
        options.arguments.insert(options.arguments.end(), {"-c", name + "=" + *value});
    options.arguments.insert(options.arguments.end(), {"-C", name});
    return run_process(options, {}, kAskTimeoutMs);
}

std::string first_line(std::string text)
{
    return text.substr(0, text.find('\n'));
}

// As a stopped server would have it. BAD_ARGUMENTS with PostgreSQL's words.
std::string stopped_value(const Instance& instance, const std::string& name,
                          const std::optional<std::string>& value = {})
{
    const ProcessResult result = ask_program(instance, name, value);
    if (!result.status.ok())
        throw Error(BAD_ARGUMENTS, fmt::format("PostgreSQL refuses {}: {}", name,
                                               first_line(result.errors)));
    return first_line(result.output);
}

std::string cell_text(const Row& row)
{
    // current_setting() writes units as a person would.
    return row[1].value_or("");
}

} // namespace

std::vector<SettingValue> get_settings(FileSystem& files, const Instance& instance,
                                       const std::optional<std::string>& name)
{
    std::vector<SettingValue> result;
    if (is_running(files, instance))
    {
        Connection connection(instance, instance.database);
        if (name)
        {
            const auto rows = connection.query(
                "SELECT name, current_setting(name, true) FROM pg_settings WHERE name = lower($1)",
                {*name});
            if (rows.empty())
                throw Error(BAD_ARGUMENTS,
                            fmt::format("PostgreSQL has no setting named '{}'", *name));
            result.push_back({rows[0][0].value_or(""), cell_text(rows[0])});
            return result;
        }
        for (const auto& row : connection.query("SELECT name, current_setting(name, true) "
                                                "FROM pg_settings ORDER BY name"))
            result.push_back({row[0].value_or(""), cell_text(row)});
        return result;
    }
    if (name)
        return {{*name, stopped_value(instance, *name)}};
    const MachineFile machine = load_machine(files, instance);
    KeyValues values;
    for (const auto& setting : derive_settings(machine.machine, machine.features).settings)
        values.set(setting.name, setting.value);
    const KeyValues user = load_user_settings(files, instance);
    for (const auto& [key, value] : user.entries())
        values.set(key, value);
    for (const auto& [key, value] : values.entries())
        result.push_back({key, value});
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return result;
}

std::vector<SettingExplanation> explain_settings(FileSystem& files, const Instance& instance,
                                                 const std::optional<std::string>& name)
{
    const MachineFile machine = load_machine(files, instance);
    const DerivedSettings derived = derive_settings(machine.machine, machine.features);
    const KeyValues user = load_user_settings(files, instance);
    std::vector<SettingExplanation> result;
    for (const auto& setting : derived.settings)
    {
        if (name && setting.name != *name)
            continue;
        SettingExplanation line{setting.name, setting.value, setting.otherwise, setting.source,
                                setting.why};
        if (const auto value = user.get(setting.name))
        {
            line.source = "set by the user";
            line.why = fmt::format("derived would be {}: {}", setting.value, setting.why);
            line.value = *value;
        }
        result.push_back(std::move(line));
    }
    for (const auto& [key, value] : user.entries())
        if (!derived.find(key) && (!name || key == *name))
            result.push_back({key, value, "", "set by the user", ""});
    const bool wants_server = (name && result.empty()) || !user.entries().empty() || !name;
    if (!wants_server || !is_running(files, instance))
    {
        if (name && result.empty())
            result.push_back({*name, stopped_value(instance, *name), "", "PostgreSQL",
                              "not derived; a running server can say more"});
        return result;
    }
    Connection connection(instance, instance.database);
    const auto describe = [&](const std::string& setting)
    {
        return connection.query("SELECT current_setting(name, true), boot_val || "
                                "coalesce(' ' || unit, ''), source, short_desc, name "
                                "FROM pg_settings WHERE name = lower($1)",
                                {setting});
    };
    if (name && result.empty())
    {
        const auto rows = describe(*name);
        if (rows.empty())
            throw Error(BAD_ARGUMENTS, fmt::format("PostgreSQL has no setting named '{}'", *name));
        const Row& row = rows[0];
        result.push_back({row[4].value_or(*name), row[0].value_or(""), row[1].value_or(""),
                          "PostgreSQL: " + row[2].value_or(""), row[3].value_or("")});
        return result;
    }
    for (auto& line : result)
        if (line.otherwise.empty() && line.why.empty())
            if (const auto rows = describe(line.name); !rows.empty())
            {
                line.otherwise = rows[0][1].value_or("");
                line.why = rows[0][3].value_or("");
            }
    // ALTER SYSTEM wins over every file of ours.
    for (const auto& row :
         connection.query("SELECT name, setting FROM pg_file_settings WHERE applied AND "
                          "sourcefile LIKE '%postgresql.auto.conf' ORDER BY name"))
    {
        const std::string setting = row[0].value_or("");
        if (name && setting != *name)
            continue;
        std::erase_if(result, [&](const auto& line) { return line.name == setting; });
        result.push_back({setting, row[1].value_or(""), "", "ALTER SYSTEM",
                          "set inside PostgreSQL; ALTER SYSTEM RESET takes it back"});
    }
    return result;
}

SettingEffect change_setting(FileSystem& files, const Instance& instance, const std::string& name,
                             const std::optional<std::string>& value)
{
    check_user_setting(name, value.value_or(""));
    KeyValues user = load_user_settings(files, instance);
    const KeyValues before = user;
    if (value)
    {
        stopped_value(instance, name, *value);
        user.set(name, *value);
    }
    else if (!user.remove(name))
        throw Error(BAD_ARGUMENTS, fmt::format("{} was not set by basalt pg config", name));
    save_user_settings(files, instance, user);
    // Some values are refused only together with others.
    if (const ProcessResult whole = ask_program(instance, "data_directory", {}); !whole.status.ok())
    {
        save_user_settings(files, instance, before);
        throw Error(BAD_ARGUMENTS,
                    fmt::format("PostgreSQL refuses {}: {}", name, first_line(whole.errors)));
    }
    const auto alive = live_postmaster(files, instance);
    if (!alive || alive->status != "ready")
        return SettingEffect::AtStart;
    Connection connection(instance, instance.database);
    const std::string loaded = connection.value("SELECT pg_conf_load_time()");
    connection.query("SELECT pg_reload_conf()");
    for (int i = 0; i < kReloadPolls; ++i)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(kReloadPollMs));
        Connection fresh(instance, instance.database);
        if (fresh.value("SELECT pg_conf_load_time()") == loaded)
            continue;
        return fresh.value("SELECT pending_restart FROM pg_settings WHERE name = $1", {name}) == "t"
                   ? SettingEffect::AtRestart
                   : SettingEffect::Now;
    }
    throw Error(TIMEOUT_EXCEEDED, fmt::format("Instance '{}' has not read {} yet; it is stored",
                                              instance.name, name));
}

} // namespace basalt::pg
