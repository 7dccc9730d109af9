#include "base/settings.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr SettingDefinition kBasaltTable[] = {
    {"basalt_bound_top_scans", "Bool", "1", "Production"},
    {"basalt_enable_key_pruning", "Bool", "1", "Production"},
    {"basalt_enable_page_statistics", "Bool", "1", "Production"},
    {"basalt_lazy_materialization", "Bool", "1", "Production"},
    {"basalt_page_cache", "Bool", "1", "Production"},
    {"basalt_postgres_semantics", "Bool", "0", "Production"},
    {"basalt_predicates_on_encoded_pages", "Bool", "1", "Production"},
    {"basalt_read_text_prefixes", "Bool", "1", "Production"},
    {"postgres_min_lsn", "String", "", "Production"},
};

const SettingDefinition* find(std::span<const SettingDefinition> table, std::string_view name)
{
    auto it = std::lower_bound(table.begin(), table.end(), name,
                               [](const SettingDefinition& a, std::string_view b)
                               { return a.name < b; });
    return it != table.end() && it->name == name ? &*it : nullptr;
}

const SettingDefinition* find(std::string_view name)
{
    if (const auto* d = find(setting_definitions(), name))
        return d;
    return find(basalt_setting_definitions(), name);
}

const SettingDefinition& must_find(std::string_view name)
{
    const auto* d = find(name);
    if (!d)
        throw Error(error_codes::UNKNOWN_SETTING, fmt::format("Unknown setting '{}'", name));
    return *d;
}

bool is_number(std::string_view text, bool allow_sign, bool allow_point)
{
    if (allow_sign && !text.empty() && (text[0] == '-' || text[0] == '+'))
        text.remove_prefix(1);
    if (text.empty())
        return false;
    return std::all_of(text.begin(), text.end(),
                       [&](char c)
                       {
                           return (c >= '0' && c <= '9') ||
                                  (allow_point && (c == '.' || c == 'e' || c == 'E' || c == '-' ||
                                                   c == '+'));
                       });
}

[[noreturn]] void bad_value(const SettingDefinition& d, std::string_view value,
                            int code = error_codes::CANNOT_PARSE_NUMBER)
{
    throw Error(code, fmt::format("Cannot parse value '{}' of setting '{}' as {}", value, d.name,
                                  d.type));
}

// What a setting of a type with a list of words may be.
struct WordType
{
    std::string_view type;
    int code; // of the error for another word
    std::string_view words; // each between bars
};

constexpr WordType kWordTypes[] = {
    {"DateTimeInputFormat", error_codes::BAD_ARGUMENTS, "|basic|best_effort|best_effort_us|"},
    {"DateTimeOutputFormat", error_codes::BAD_ARGUMENTS, "|simple|iso|unix_timestamp|"},
    {"JoinStrictness", error_codes::UNKNOWN_JOIN, "||ALL|ANY|"},
    {"OverflowMode", error_codes::UNKNOWN_OVERFLOW_MODE, "|throw|break|"},
    {"OverflowModeGroupBy", error_codes::UNKNOWN_OVERFLOW_MODE, "|throw|break|any|"},
    {"SetOperationMode", error_codes::UNKNOWN_UNION, "||ALL|DISTINCT|"},
    {"ShortCircuitFunctionEvaluation", error_codes::BAD_ARGUMENTS,
     "|enable|force_enable|disable|"},
    {"TotalsMode", error_codes::UNKNOWN_TOTALS_MODE,
     "|before_having|after_having_inclusive|after_having_exclusive|after_having_auto|"},
};

void check_word(const SettingDefinition& d, std::string_view value)
{
    for (const auto& known : kWordTypes)
        if (known.type == d.type &&
            (value.find('|') != std::string_view::npos ||
             known.words.find(fmt::format("|{}|", value)) == std::string_view::npos))
            throw Error(known.code,
                        fmt::format("Unexpected value of {}: '{}' for setting '{}'", d.type, value,
                                    d.name));
}

std::string normalise(const SettingDefinition& d, std::string_view value)
{
    if (d.type == "Bool" || d.type == "BoolAuto")
    {
        if (value == "1" || value == "true" || value == "True" || value == "TRUE")
            return "1";
        if (value == "0" || value == "false" || value == "False" || value == "FALSE")
            return "0";
        if (d.type == "BoolAuto" && value == "auto")
            return "auto";
        throw Error(error_codes::CANNOT_PARSE_BOOL,
                    fmt::format("Cannot parse boolean from '{}' for setting '{}', should be "
                                "'true', 'false', '1' or '0'",
                                value, d.name));
    }
    if (d.type.starts_with("UInt64") || d.type == "MaxThreads" || d.type == "NonZeroUInt64")
    {
        if ((d.type != "UInt64") && (value == "auto" || value.starts_with("auto(")))
            return "0";
        if (value == "true")
            return "1";
        if (value == "false")
            return "0";
        if (!is_number(value, true, true))
            bad_value(d, value, error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED);
        if (value[0] == '-')
            bad_value(d, value, error_codes::CANNOT_CONVERT_TYPE);
        if (!is_number(value, false, false))
        {
            const double number = std::strtod(std::string(value).c_str(), nullptr);
            if (number < 0 || number > 1.8e19)
                bad_value(d, value);
            return fmt::format("{}", static_cast<uint64_t>(number));
        }
        return std::string(value);
    }
    if (d.type.starts_with("Int") && d.type != "IntervalOutputFormat")
    {
        if (!is_number(value, true, false))
            bad_value(d, value);
        return std::string(value);
    }
    if (d.type == "Float" || d.type == "Seconds" || d.type == "Milliseconds")
    {
        if (value != "inf" && !is_number(value, true, true))
            bad_value(d, value);
        return std::string(value);
    }
    check_word(d, value);
    return std::string(value);
}

} // namespace

std::span<const SettingDefinition> basalt_setting_definitions()
{
    return kBasaltTable;
}

bool Settings::exists(std::string_view name)
{
    return find(name) != nullptr;
}

void Settings::set(std::string_view name, std::string_view value)
{
    const auto& d = must_find(name);
    std::string normal = normalise(d, value);
    if (normal != d.default_value && setting_support(name) == SettingSupport::NotImplemented)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Setting '{}' = '{}' is not implemented (default: '{}')", name,
                                value, d.default_value));
    changes_[std::string(name)] = std::move(normal);
}

void Settings::reset(std::string_view name)
{
    must_find(name);
    if (auto it = changes_.find(name); it != changes_.end())
        changes_.erase(it);
}

bool Settings::changed(std::string_view name) const
{
    return changes_.find(name) != changes_.end();
}

std::string_view Settings::get(std::string_view name) const
{
    if (auto it = changes_.find(name); it != changes_.end())
        return it->second;
    return must_find(name).default_value;
}

bool Settings::get_bool(std::string_view name) const
{
    const auto text = get(name);
    return text == "1" || text == "true";
}

uint64_t Settings::get_uint(std::string_view name) const
{
    const auto text = get(name);
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

int64_t Settings::get_int(std::string_view name) const
{
    const auto text = get(name);
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

double Settings::get_float(std::string_view name) const
{
    return std::strtod(std::string(get(name)).c_str(), nullptr);
}

void Settings::apply(const Settings& other)
{
    for (const auto& [name, value] : other.changes_)
        changes_[name] = value;
}

} // namespace basalt
