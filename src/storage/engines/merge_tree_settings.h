#pragma once

// Settings of MergeTree tables (SETTINGS behind ENGINE), by ClickHouse's names.

#include "base/settings.h"

#include <span>
#include <string_view>

namespace basalt
{

struct MergeTreeSetting
{
    std::string_view name;
    std::string_view type;
    std::string_view default_value;
    std::string_view tier;
    // Honoured: changes what the engine does. Accepted: concerns speed, caching or housekeeping of
    // ClickHouse's own storage.
    SettingSupport support;
};

std::span<const MergeTreeSetting> merge_tree_settings();
const MergeTreeSetting* find_merge_tree_setting(std::string_view name); // null: unknown
// Throws UNKNOWN_SETTING, CANNOT_PARSE_BOOL, CANNOT_PARSE_NUMBER, NOT_IMPLEMENTED.
void check_merge_tree_setting(std::string_view name, std::string_view value);

} // namespace basalt
