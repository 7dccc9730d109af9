#pragma once

// `basalt pg config`: what a server's settings are, why, and changing them.
// Errors: BAD_ARGUMENTS (the server would refuse the value, with its words; settings that Basalt
// owns or that cost committed data), POSTGRESQL_CONNECTION_FAILURE.

#include "postgres/instance.h"

#include <optional>
#include <string>
#include <vector>

namespace basalt::pg
{

struct SettingValue
{
    std::string name;
    std::string value;
};

// Of a running server what it uses, of a stopped one what it would use.
std::vector<SettingValue> get_settings(FileSystem& files, const Instance& instance,
                                       const std::optional<std::string>& name);

struct SettingExplanation
{
    std::string name;
    std::string value;
    std::string otherwise; // PostgreSQL's default
    std::string source;    // derived from what, or who set it
    std::string why;
};

// Without a name: every derived setting and every one a user set.
std::vector<SettingExplanation> explain_settings(FileSystem& files, const Instance& instance,
                                                 const std::optional<std::string>& name);

enum class SettingEffect : uint8_t
{
    Now,      // the running server uses it
    AtStart,  // it does not run
    AtRestart // it runs, and this setting needs a restart
};

// No value takes the user's setting back.
SettingEffect change_setting(FileSystem& files, const Instance& instance, const std::string& name,
                             const std::optional<std::string>& value);

} // namespace basalt::pg
