#include "postgres/key_values.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/core.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

bool is_name_character(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

// Nothing if it is no value with nothing but a comment behind it.
std::optional<std::string> parse_value(std::string_view rest)
{
    if (rest.empty() || rest[0] != '\'')
        return std::string(trimmed(rest.substr(0, std::min(rest.find('#'), rest.size()))));
    std::string value;
    size_t at = 1;
    for (; at < rest.size(); ++at)
    {
        if (rest[at] == '\'')
        {
            if (at + 1 >= rest.size() || rest[at + 1] != '\'')
                break;
            ++at;
        }
        else if (rest[at] == '\\' && at + 1 < rest.size())
            ++at;
        value.push_back(rest[at]);
    }
    if (at >= rest.size())
        return std::nullopt;
    const std::string_view behind = trimmed(rest.substr(at + 1));
    if (!behind.empty() && behind[0] != '#')
        return std::nullopt;
    return value;
}

std::string doubled(std::string_view text, char quote)
{
    std::string out(1, quote);
    for (const char c : text)
    {
        if (c == quote)
            out.push_back(quote);
        out.push_back(c);
    }
    out.push_back(quote);
    return out;
}

} // namespace

KeyValues KeyValues::parse(std::string_view text, std::string_view what)
{
    KeyValues result;
    size_t number = 0;
    while (!text.empty())
    {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty() || line[0] == '#')
            continue;
        size_t name_end = 0;
        while (name_end < line.size() && is_name_character(line[name_end]))
            ++name_end;
        std::string_view rest = trimmed(line.substr(name_end));
        if (!rest.empty() && rest[0] == '=')
            rest = trimmed(rest.substr(1));
        const auto value = parse_value(rest);
        if (name_end == 0 || !value)
            throw Error(INCORRECT_DATA,
                        fmt::format("Line {} of {} is not \"name = value\": {}", number, what,
                                    line.substr(0, 100)));
        result.set(std::string(line.substr(0, name_end)), *value);
    }
    return result;
}

void KeyValues::set(const std::string& name, const std::string& value)
{
    if (value.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos)
        throw Error(BAD_ARGUMENTS, fmt::format("The value of {} must be one line", name));
    for (auto& entry : entries_)
        if (entry.first == name)
        {
            entry.second = value;
            return;
        }
    entries_.emplace_back(name, value);
}

bool KeyValues::remove(const std::string& name)
{
    return std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; }) > 0;
}

std::optional<std::string> KeyValues::get(std::string_view name) const
{
    for (const auto& entry : entries_)
        if (entry.first == name)
            return entry.second;
    return std::nullopt;
}

std::string KeyValues::text(std::string_view name, std::string_view otherwise) const
{
    return get(name).value_or(std::string(otherwise));
}

int64_t KeyValues::number(std::string_view name, int64_t otherwise) const
{
    const auto value = get(name);
    if (!value)
        return otherwise;
    char* end = nullptr;
    const int64_t result = std::strtoll(value->c_str(), &end, 10);
    return end == value->c_str() ? otherwise : result;
}

double KeyValues::real(std::string_view name, double otherwise) const
{
    const auto value = get(name);
    if (!value)
        return otherwise;
    char* end = nullptr;
    const double result = std::strtod(value->c_str(), &end);
    return end == value->c_str() ? otherwise : result;
}

std::string KeyValues::to_text() const
{
    std::string out;
    for (const auto& [name, value] : entries_)
    {
        // Both ways of escaping are read back by us and by PostgreSQL.
        std::string escaped;
        for (const char c : value)
        {
            if (c == '\\')
                escaped.push_back('\\');
            escaped.push_back(c);
        }
        out += name + " = " + quoted(escaped) + "\n";
    }
    return out;
}

std::string quoted(std::string_view text)
{
    return doubled(text, '\'');
}

std::string quoted_identifier(std::string_view name)
{
    return doubled(name, '"');
}

std::string shell_quoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace basalt::pg
