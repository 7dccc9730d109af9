#pragma once

// Query settings by ClickHouse's names. Definitions are a fixed table; a Settings object holds only
// what differs from the defaults, so copying one is cheap. Threads: a Settings object is not shared
// while it is being changed.

#include "base/int_types.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace basalt
{

struct SettingDefinition
{
    std::string_view name;
    std::string_view type; // UInt64, Bool, Seconds, Milliseconds, Float, String, or an enum's name
    std::string_view default_value;
    std::string_view tier; // Production, Beta, Experimental, Obsolete
};

// ClickHouse's settings, then ours (basalt_...), each sorted by name.
std::span<const SettingDefinition> setting_definitions();
std::span<const SettingDefinition> basalt_setting_definitions();

// What a non-default value of a setting does here.
enum class SettingSupport
{
    Honoured,       // changes what Basalt does
    Accepted,       // concerns only speed, caching or logging: taken, without effect
    NotImplemented, // would change answers, limits or access: a non-default value is refused
};
SettingSupport setting_support(std::string_view name);

class Settings
{
public:
    // Throws UNKNOWN_SETTING, CANNOT_PARSE_... for a value not of the setting's type, or
    // NOT_IMPLEMENTED as said above.
    void set(std::string_view name, std::string_view value);
    void reset(std::string_view name);
    static bool exists(std::string_view name);

    bool changed(std::string_view name) const;
    std::string_view get(std::string_view name) const; // as text, normalised

    // Typed reads; the name must exist. "auto" reads as 0. Seconds may have a fraction.
    bool get_bool(std::string_view name) const;
    uint64_t get_uint(std::string_view name) const;
    int64_t get_int(std::string_view name) const;
    double get_float(std::string_view name) const;

    const std::map<std::string, std::string, std::less<>>& changes() const { return changes_; }

    // Sets everything that `other` changes.
    void apply(const Settings& other);

private:
    std::map<std::string, std::string, std::less<>> changes_;
};

} // namespace basalt
