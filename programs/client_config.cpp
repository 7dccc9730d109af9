#include "programs/client_config.h"

#include "base/error.h"
#include "base/settings.h"
#include "io/file_system.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace basalt
{

namespace
{

[[noreturn]] void broken(const std::string& path, const std::string& why)
{
    throw Error(error_codes::BAD_ARGUMENTS, fmt::format("Config file {}: {}", path, why));
}

std::string_view trim(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string without_entities(std::string_view text)
{
    static constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string out;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const auto found =
            std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& entity)
                         { return text.substr(i).starts_with(entity.first); });
        if (found == std::end(kEntities))
            out += text[i];
        else
        {
            out += found->second;
            i += found->first.size() - 1;
        }
    }
    return out;
}

uint16_t port_of(const std::string& text)
{
    const bool digits = !text.empty() && text.size() <= 5 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const int port = digits ? std::atoi(text.c_str()) : 0;
    if (port < 1 || port > 65535)
        throw Error(error_codes::BAD_ARGUMENTS, fmt::format("'{}' is no port", text));
    return static_cast<uint16_t>(port);
}

bool is_true(const std::string& text)
{
    return text.empty() || text == "1" || text == "true" || text == "yes" || text == "on";
}

// Whether the name is one of ours.
bool apply_option(const std::string& name, const std::string& value, RemoteOptions& options,
                  ScriptOptions& script)
{
    if (name == "host" || name == "hostname")
        options.host = value;
    else if (name == "port")
        options.port = port_of(value);
    else if (name == "user")
        options.user = value;
    else if (name == "password")
        options.password = value;
    else if (name == "database")
        options.database = value;
    else if (name == "secure" || name == "s")
        options.secure = is_true(value);
    else if (name == "accept-invalid-certificate")
        options.tls.verify = !is_true(value);
    else if (name == "compression")
        options.compressed = is_true(value);
    else if (name == "history_file")
        options.history_path = value;
    else if (name == "pager")
        options.pager = value;
    else if (name == "multiline")
        options.multiline = is_true(value);
    else if (name == "format")
        script.format = value;
    else if (name == "vertical")
        options.vertical = is_true(value);
    else if (Settings::exists(name))
        script.settings.set(name, value);
    else
        return false;
    return true;
}

std::optional<std::string> find_config()
{
    std::vector<std::string> places = {"clickhouse-client"};
    if (const char* home = std::getenv("HOME"))
        places.push_back(std::string(home) + "/.clickhouse-client/config");
    places.push_back("/etc/clickhouse-client/config");
    for (const auto& place : places)
        for (const char* extension : {".xml", ".yaml", ".yml"})
            if (const auto status = real_file_system().status(place + extension);
                status && !status->is_directory)
                return place + extension;
    return std::nullopt;
}

std::string percent_decoded(std::string_view text)
{
    const auto digit = [](char c)
    {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    std::string out;
    for (size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '%')
        {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "A % of the connection string is not followed by two hexadecimal digits");
        out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
        i += 2;
    }
    return out;
}

} // namespace

ConfigValues parse_xml_config(std::string_view text, const std::string& path)
{
    ConfigValues values;
    std::vector<std::string> open;
    std::string content;
    for (size_t at = 0; at < text.size();)
    {
        if (text[at] != '<')
        {
            content += text[at++];
            continue;
        }
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("<!--") || rest.starts_with("<?"))
        {
            const std::string_view end = rest[1] == '!' ? "-->" : "?>";
            const size_t close = rest.find(end);
            if (close == std::string_view::npos)
                broken(path, "a comment does not end");
            at += close + end.size();
            continue;
        }
        const size_t close = rest.find('>');
        if (close == std::string_view::npos || rest.starts_with("<!"))
            broken(path, "it is no XML that is understood");
        std::string_view tag = trim(rest.substr(1, close - 1));
        at += close + 1;
        if (tag.starts_with('/'))
        {
            if (open.empty() || open.back() != trim(tag.substr(1)))
                broken(path, fmt::format("<{}> closes nothing", tag));
            std::string name;
            for (size_t i = 1; i < open.size(); ++i)
                name += (i > 1 ? "/" : "") + open[i];
            open.pop_back();
            values.emplace_back(std::move(name), without_entities(trim(content)));
            content.clear();
            continue;
        }
        const bool empty = tag.ends_with('/');
        if (empty)
            tag.remove_suffix(1);
        const std::string name(tag.substr(0, tag.find_first_of(" \t\r\n")));
        content.clear();
        if (!empty)
            open.push_back(name);
    }
    if (!open.empty())
        broken(path, fmt::format("<{}> is not closed", open.back()));
    return values;
}

ConfigValues parse_yaml_config(std::string_view text, const std::string& path)
{
    ConfigValues values;
    std::vector<std::pair<size_t, std::string>> parents; // indentation, name
    for (size_t at = 0; at < text.size();)
    {
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        size_t indentation = line.find_first_not_of(' ');
        line = trim(line);
        if (line.empty() || line[0] == '#' || line == "---")
            continue;
        if (line.starts_with("- "))
        {
            line = trim(line.substr(2));
            indentation += 2;
        }
        const size_t colon = line.find(':');
        if (colon == std::string_view::npos || line[0] == '\t')
            broken(path, fmt::format("a line is not understood: {}", line));
        while (!parents.empty() && parents.back().first >= indentation)
            parents.pop_back();
        const std::string key(trim(line.substr(0, colon)));
        std::string_view value = trim(line.substr(colon + 1));
        std::string full;
        for (const auto& parent : parents)
            full += parent.second + "/";
        full += key;
        if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') &&
            value.find(value[0], 1) != std::string_view::npos)
            value = value.substr(1, value.find(value[0], 1) - 1);
        else if (const size_t comment = value.find(" #"); comment != std::string_view::npos)
            value = trim(value.substr(0, comment));
        if (value.empty() || value[0] == '#')
            parents.emplace_back(indentation, key);
        else
            values.emplace_back(std::move(full), std::string(value));
    }
    return values;
}

void apply_config(const std::string& config_file, const std::string& connection,
                  RemoteOptions& options, ScriptOptions& script)
{
    const auto path =
        config_file.empty() ? find_config() : std::optional<std::string>(config_file);
    if (!path)
    {
        if (!connection.empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("There is no config file that names connection {}", connection));
        return;
    }
    const std::string text = real_file_system().read_whole(*path, kMaxConfigBytes);
    const bool yaml = path->ends_with(".yaml") || path->ends_with(".yml");
    const ConfigValues values =
        yaml ? parse_yaml_config(text, *path) : parse_xml_config(text, *path);
    for (const auto& [name, value] : values)
        if (name.find('/') == std::string::npos)
            apply_option(name, value, options, script);
    if (connection.empty())
        return;
    // The values of a connection come behind one another; its name may stand anywhere among them.
    const std::string prefix = "connections_credentials/";
    std::vector<std::pair<std::string, std::string>> one;
    bool found = false, ours = false;
    const auto apply = [&]
    {
        for (const auto& [name, value] : one)
            if (ours && name != "name")
                apply_option(name, value, options, script);
        found = found || ours;
        one.clear();
        ours = false;
    };
    for (const auto& [name, value] : values)
    {
        if (!name.starts_with(prefix))
            continue;
        const std::string inner = name.substr(prefix.size());
        const size_t slash = inner.find('/');
        const std::string key = slash == std::string::npos ? inner : inner.substr(slash + 1);
        const bool is_end = yaml ? key == "name" : slash == std::string::npos;
        if (is_end)
            apply();
        if (key == "name" && value == connection)
            ours = true;
        if (yaml || slash != std::string::npos)
            one.emplace_back(key, value);
    }
    apply();
    if (!found)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Config file {} names no connection {}", *path, connection));
}

void apply_environment(RemoteOptions& options)
{
    ScriptOptions none;
    for (const auto& [variable, name] :
         {std::pair{"CLICKHOUSE_HOST", "host"}, {"CLICKHOUSE_PORT", "port"},
          {"CLICKHOUSE_USER", "user"}, {"CLICKHOUSE_PASSWORD", "password"},
          {"CLICKHOUSE_DATABASE", "database"}, {"CLICKHOUSE_SECURE", "secure"}})
        if (const char* value = std::getenv(variable))
            apply_option(name, value, options, none);
}

bool is_connection_string(std::string_view text)
{
    return text.starts_with("clickhouse:");
}

void apply_connection_string(const std::string& text, RemoteOptions& options,
                             ScriptOptions& script)
{
    std::string_view rest = std::string_view(text).substr(std::string_view("clickhouse:").size());
    std::string_view query;
    if (const size_t mark = rest.find('?'); mark != std::string_view::npos)
    {
        query = rest.substr(mark + 1);
        rest = rest.substr(0, mark);
    }
    std::string_view database = rest;
    if (rest.starts_with("//"))
    {
        rest.remove_prefix(2);
        const size_t slash = rest.find('/');
        std::string_view place = rest.substr(0, slash);
        database = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
        if (const size_t at = place.rfind('@'); at != std::string_view::npos)
        {
            const std::string_view who = place.substr(0, at);
            const size_t colon = who.find(':');
            if (colon != 0 && !who.empty())
                options.user = percent_decoded(who.substr(0, colon));
            if (colon != std::string_view::npos)
                options.password = percent_decoded(who.substr(colon + 1));
            place = place.substr(at + 1);
        }
        if (place.find(',') != std::string_view::npos)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "A connection string of several hosts is not implemented");
        const size_t bracket = place.find(']');
        const size_t colon =
            place.find(':', bracket == std::string_view::npos ? 0 : bracket);
        if (colon != std::string_view::npos)
            options.port = port_of(std::string(place.substr(colon + 1)));
        place = place.substr(0, colon);
        if (place.starts_with('[') && place.ends_with(']'))
            place = place.substr(1, place.size() - 2);
        if (!place.empty())
            options.host = percent_decoded(place);
    }
    else if (database.starts_with('/'))
        database.remove_prefix(1);
    if (!database.empty())
        options.database = percent_decoded(database);
    while (!query.empty())
    {
        const size_t end = std::min(query.find('&'), query.size());
        const std::string_view one = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const size_t equals = one.find('=');
        const std::string name = percent_decoded(one.substr(0, equals));
        const std::string value =
            equals == std::string_view::npos ? "" : percent_decoded(one.substr(equals + 1));
        if (!name.empty() && !apply_option(name, value, options, script))
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The connection string has an unknown option '{}'", name));
    }
}

} // namespace basalt
