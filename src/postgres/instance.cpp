#include "postgres/instance.h"

#include "base/error.h"
#include "io/socket.h"
#include "postgres/key_values.h"

#include <cstdlib>
#include <ctime>
#include <fmt/core.h>
#include <unistd.h>

namespace basalt::pg
{

using namespace error_codes;

int Instance::major() const
{
    return std::atoi(version.c_str());
}

void Instance::save(FileSystem& files) const
{
    KeyValues values;
    values.set("name", name);
    values.set("database", database);
    values.set("version", version);
    values.set("bin_directory", bin_directory);
    values.set("os_user", os_user);
    values.set("listen", listen);
    values.set("port", port);
    values.set("keep_backups", keep_backups);
    values.set("backup_every_hours", backup_every_hours);
    values.set("created", created);
    files.replace_whole(path + "/instance.conf", values.to_text());
}

Instance Instance::load(FileSystem& files, const std::string& path)
{
    const std::string file = path + "/instance.conf";
    const KeyValues values = KeyValues::parse(files.read_whole(file, kMaxKeyValueFileBytes), file);
    Instance result;
    result.path = path;
    const auto needed = [&](std::string_view name)
    {
        const auto value = values.get(name);
        if (!value || value->empty())
            throw Error(INCORRECT_DATA, fmt::format("{} does not say {}", file, name));
        return *value;
    };
    result.name = needed("name");
    result.database = values.text("database", result.name);
    result.version = needed("version");
    result.bin_directory = needed("bin_directory");
    result.os_user = needed("os_user");
    needed("port");
    const int64_t port = values.number("port");
    if (port < 1 || port > 65535)
        throw Error(INCORRECT_DATA, fmt::format("{}: port {} is none", file, port));
    result.port = static_cast<uint16_t>(port);
    result.listen = values.text("listen", result.listen);
    result.created = values.text("created");
    result.keep_backups = values.number("keep_backups", result.keep_backups);
    result.backup_every_hours = values.number("backup_every_hours");
    return result;
}

void check_instance_name(const std::string& name)
{
    bool good = !name.empty() && name.size() <= kMaxInstanceNameBytes && name[0] >= 'a' &&
                name[0] <= 'z';
    for (const char c : name)
        good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-');
    // These databases exist in every server.
    good = good && name != "postgres" && name != "template0" && name != "template1";
    if (!good)
        throw Error(BAD_ARGUMENTS,
                    fmt::format("'{}' cannot name an instance: a name is a letter and then "
                                "letters, digits, '_' and '-', in lower case, at most {} of them; "
                                "it also names the first database, so postgres, template0 and "
                                "template1 are taken",
                                name, kMaxInstanceNameBytes));
}

std::string default_home()
{
    if (const char* home = std::getenv("BASALT_PG_HOME"); home && *home)
        return home;
    if (::geteuid() == 0)
        return "/var/lib/basalt/pg";
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/basalt/pg";
    const char* home = std::getenv("HOME");
    return std::string(home ? home : ".") + "/.local/share/basalt/pg";
}

std::vector<std::string> InstanceList::names() const
{
    std::vector<std::string> result;
    const std::string folder = home_ + "/instances";
    if (files_.exists(folder))
        for (const auto& found : files_.list(folder))
            if (!found.is_directory && found.name.find('.') == std::string::npos)
                result.push_back(found.name);
    return result;
}

bool InstanceList::has(const std::string& name) const
{
    return files_.exists(entry(name));
}

std::vector<Instance> InstanceList::all() const
{
    std::vector<Instance> result;
    for (const auto& name : names())
    {
        try
        {
            result.push_back(find(name));
        }
        catch (const Error&)
        {
        }
    }
    return result;
}

Instance InstanceList::find(const std::string& name) const
{
    check_instance_name(name);
    if (!has(name))
    {
        std::string known;
        for (const auto& other : names())
            known += (known.empty() ? "" : ", ") + other;
        throw Error(BAD_ARGUMENTS,
                    fmt::format("There is no instance '{}' in {}; {}", name, home_,
                                known.empty() ? "there is none at all" : "there are: " + known));
    }
    const KeyValues values =
        KeyValues::parse(files_.read_whole(entry(name), kMaxKeyValueFileBytes), entry(name));
    const auto path = values.get("path");
    if (!path)
        throw Error(INCORRECT_DATA, fmt::format("{} does not say path", entry(name)));
    if (!files_.exists(*path + "/instance.conf"))
        throw Error(DIRECTORY_DOESNT_EXIST,
                    fmt::format("Instance '{}' should be in {}, but there is no instance.conf; "
                                "basalt pg destroy {} forgets it",
                                name, *path, name));
    return Instance::load(files_, *path);
}

void InstanceList::add(const std::string& name, const std::string& path)
{
    if (names().size() >= kMaxInstances)
        throw Error(LIMIT_EXCEEDED, fmt::format("More than {} instances in {}", kMaxInstances, home_));
    KeyValues values;
    values.set("path", path);
    files_.create_directories(home_ + "/instances");
    files_.replace_whole(entry(name), values.to_text());
}

void InstanceList::remove(const std::string& name)
{
    files_.remove_file_if_exists(entry(name));
}

uint16_t InstanceList::choose_port(uint16_t wish) const
{
    const auto instances = all();
    const auto owner = [&](uint16_t port) -> const Instance*
    {
        for (const auto& instance : instances)
            if (instance.port == port)
                return &instance;
        return nullptr;
    };
    const auto is_free = [](uint16_t port)
    {
        try
        {
            Listener probe("127.0.0.1", port);
            return true;
        }
        catch (const Error&)
        {
            return false;
        }
    };
    if (wish != 0)
    {
        if (const Instance* other = owner(wish))
            throw Error(BAD_ARGUMENTS,
                        fmt::format("Port {} belongs to instance '{}'", wish, other->name));
        if (!is_free(wish))
            throw Error(NETWORK_ERROR,
                        fmt::format("Port {} of 127.0.0.1 is in use by another program", wish));
        return wish;
    }
    for (uint32_t port = kFirstPort; port < kFirstPort + 2 * kMaxInstances; ++port)
        if (!owner(static_cast<uint16_t>(port)) && is_free(static_cast<uint16_t>(port)))
            return static_cast<uint16_t>(port);
    throw Error(NETWORK_ERROR, fmt::format("No free port from {} on", kFirstPort));
}

std::string utc_text(int64_t unix_s)
{
    const time_t time = unix_s;
    tm parts{};
    ::gmtime_r(&time, &parts);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

} // namespace basalt::pg
