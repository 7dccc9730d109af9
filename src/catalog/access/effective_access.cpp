#include "catalog/access/effective_access.h"

#include "sql/formatter.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr std::string_view kReadableByAll[] = {
    "aggregate_function_combinators", "asynchronous_metrics_descriptions", "build_options",
    "codecs", "collations", "columns", "completions", "contributors", "current_roles",
    "data_skipping_indices", "data_type_families", "database_engines", "databases",
    "detached_parts", "enabled_roles", "formats", "functions", "keywords", "licenses",
    "merge_tree_settings", "merges", "mutations", "numbers", "numbers_mt", "one", "parts",
    "parts_columns", "privileges", "processes", "projections", "settings", "settings_changes",
    "settings_profile_elements", "table_engines", "table_functions", "tables", "time_zones",
    "user_processes", "zeros", "zeros_mt"};
static_assert(std::is_sorted(std::begin(kReadableByAll), std::end(kReadableByAll)));

// -1, 0, 1 as numbers when both are, else as texts.
int compare_values(std::string_view a, std::string_view b)
{
    const auto number = [](std::string_view text) -> std::optional<long double>
    {
        double value = 0;
        const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (ec != std::errc() || end != text.data() + text.size())
            return std::nullopt;
        // Integers past 2^53 are compared exactly.
        uint64_t whole = 0;
        const auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), whole);
        if (failed == std::errc() && last == text.data() + text.size())
            return static_cast<long double>(whole);
        return value;
    };
    const auto x = number(a), y = number(b);
    if (x && y)
        return *x < *y ? -1 : *x > *y;
    return a < b ? -1 : a > b;
}

std::string place_text(const AccessPlace& place)
{
    if (place.database.empty())
        return "*.*";
    return quote_identifier_if_needed(place.database) + "." +
           (place.table.empty() ? "*" : quote_identifier_if_needed(place.table));
}

AccessPlace make_place(std::string_view database, std::string_view table, std::string_view column)
{
    return {std::string(database), std::string(table), std::string(column)};
}

} // namespace

bool is_readable_by_all(std::string_view database, std::string_view table)
{
    if (database == "information_schema" || database == "INFORMATION_SCHEMA" ||
        database == "pg_catalog")
        return true;
    return database == "system" && std::binary_search(std::begin(kReadableByAll),
                                                      std::end(kReadableByAll), table);
}

EffectiveAccess::EffectiveAccess(std::shared_ptr<const AccessState> state, std::string_view user,
                                 const std::optional<std::set<std::string>>& current_roles)
    : state_(std::move(state)), user_(state_->user(user))
{
    if (current_roles)
    {
        for (const auto& role : *current_roles)
            if (!user_.roles.contains(role))
                throw Error(error_codes::SET_NON_GRANTED_ROLE,
                            fmt::format("Role {} should be granted to set current", role));
        current_roles_ = *current_roles;
    }
    else
        for (const auto& [role, admin] : user_.roles)
            if (AccessState::contains(user_.default_roles, role))
                current_roles_.insert(role);
    rights_ = user_.rights;
    for (const auto& role : current_roles_)
        enable(role, 0);
    // What is nearer to the user wins.
    add_profiles_to(user_.name);
    for (const auto& role : enabled_roles_)
    {
        add_profiles_to(role);
        add_settings(state_->role(role).settings, 0);
    }
    add_settings(user_.settings, 0);
    for (const auto& [name, rule] : rules_)
        if (rule.value)
            default_settings_.set(name, *rule.value);
}

void EffectiveAccess::enable(const std::string& role, size_t depth)
{
    if (depth > kMaxRoleDepth || !enabled_roles_.insert(role).second)
        return;
    const auto it = state_->roles.find(role);
    if (it == state_->roles.end())
        return;
    rights_.add(it->second.rights);
    for (const auto& [inner, admin] : it->second.roles)
        enable(inner, depth + 1);
}

void EffectiveAccess::add_profiles_to(std::string_view name)
{
    for (const auto& [profile, entity] : state_->profiles)
        if (AccessState::contains(entity.to, name))
            add_settings(entity.settings, 0);
}

void EffectiveAccess::add_settings(const SettingRules& settings, size_t depth)
{
    if (depth > kMaxRoleDepth)
        return;
    for (const auto& profile : settings.profiles)
        if (const auto it = state_->profiles.find(profile); it != state_->profiles.end())
            add_settings(it->second.settings, depth + 1);
    for (const auto& rule : settings.rules)
    {
        SettingRule& merged = rules_[rule.name];
        merged.name = rule.name;
        for (auto part : {&SettingRule::value, &SettingRule::min, &SettingRule::max})
            if (rule.*part)
                merged.*part = rule.*part;
        if (rule.writability)
            merged.writability = rule.writability;
    }
}

bool EffectiveAccess::granted(std::string_view name, std::string_view database,
                              std::string_view table, std::string_view column) const
{
    const AccessPlace place = make_place(database, table, column);
    // Who may do anything with an object may know that it is there.
    if (name.starts_with("SHOW ") &&
        (name == "SHOW DATABASES" || name == "SHOW TABLES" || name == "SHOW COLUMNS") &&
        !database.empty())
        return is_readable_by_all(database, table) || (database == "system" && table.empty()) ||
               rights_.granted_on_some(database_privileges(), place);
    if (name == "SELECT" && is_readable_by_all(database, table))
        return true;
    if (rights_.granted(privilege(name), place))
        return true;
    if (name == "CREATE VIEW")
        return rights_.granted(privilege("CREATE TABLE"), place);
    if (name == "DROP VIEW")
        return rights_.granted(privilege("DROP TABLE"), place);
    // Who may make a table somewhere may make one that goes with the session.
    if (name == "CREATE TEMPORARY TABLE" || name == "CREATE TEMPORARY VIEW")
        return rights_.granted_on_some(privilege("CREATE TABLE"), {});
    return false;
}

bool EffectiveAccess::granted_on_some(std::string_view name, std::string_view database,
                                      std::string_view table) const
{
    return rights_.granted_on_some(privilege(name), make_place(database, table, {})) ||
           (name == "SELECT" && is_readable_by_all(database, table));
}

void EffectiveAccess::require(std::string_view name, const AccessPlace& place) const
{
    if (granted(name, place.database, place.table, place.column))
        return;
    std::string what(name);
    if (!place.column.empty())
        what += "(" + quote_identifier_if_needed(place.column) + ")";
    const PrivilegeSet& set = privilege(name);
    const bool global = (set & ~database_privileges()).any();
    throw Error(error_codes::ACCESS_DENIED,
                fmt::format("{}: Not enough privileges. To execute this query, it's necessary to "
                            "have the grant {} ON {}",
                            user_.name, what, global ? "*.*" : place_text(place)));
}

const SettingRule* EffectiveAccess::rule(std::string_view name) const
{
    const auto it = rules_.find(name);
    return it == rules_.end() ? nullptr : &it->second;
}

void EffectiveAccess::check_setting(const Settings& before, std::string_view name,
                                    std::string_view value) const
{
    Settings checked;
    checked.set(name, value); // UNKNOWN_SETTING, or a value that is none
    const std::string_view wanted = checked.get(name);
    if (before.get(name) == wanted)
        return; // nothing changes
    const SettingRule* found = rule(name);
    const uint64_t readonly = before.get_uint("readonly");
    const bool changeable =
        found && found->writability == SettingWritability::ChangeableInReadonly;
    if (readonly == 1 && !changeable)
        throw Error(error_codes::READONLY,
                    fmt::format("Cannot modify '{}' setting in readonly mode", name));
    if (readonly > 1 && name == "readonly")
        throw Error(error_codes::READONLY,
                    "Cannot modify 'readonly' setting in readonly mode");
    if (!found)
        return;
    if (found->writability == SettingWritability::Const)
        throw Error(error_codes::SETTING_CONSTRAINT_VIOLATION,
                    fmt::format("Setting {} should not be changed", name));
    if (found->min && compare_values(wanted, *found->min) < 0)
        throw Error(error_codes::SETTING_CONSTRAINT_VIOLATION,
                    fmt::format("Setting {} shouldn't be less than {}", name, *found->min));
    if (found->max && compare_values(wanted, *found->max) > 0)
        throw Error(error_codes::SETTING_CONSTRAINT_VIOLATION,
                    fmt::format("Setting {} shouldn't be greater than {}", name, *found->max));
}

} // namespace basalt
