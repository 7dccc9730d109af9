#pragma once

// What one session may do: the rights of its user and of the roles that are enabled, and the settings
// that come with them. Immutable; made anew when the access state or the session's roles change.

#include "base/permissions.h"
#include "base/settings.h"
#include "catalog/access/access_entities.h"

#include <memory>

namespace basalt
{

class EffectiveAccess final : public Permissions
{
public:
    // current_roles: nothing: the user's default roles. Throws UNKNOWN_USER when the user is not there,
    // SET_NON_GRANTED_ROLE for a role that was not granted.
    EffectiveAccess(std::shared_ptr<const AccessState> state, std::string_view user,
                    const std::optional<std::set<std::string>>& current_roles);

    const User& user() const { return user_; }
    const AccessState& state() const { return *state_; }
    uint64_t version() const { return state_->version; }
    const std::set<std::string>& current_roles() const { return current_roles_; }
    const std::set<std::string>& enabled_roles() const { return enabled_roles_; } // with theirs
    const AccessRights& rights() const { return rights_; }
    // Values that a session begins with.
    const Settings& default_settings() const { return default_settings_; }

    bool granted(std::string_view privilege, std::string_view database, std::string_view table,
                 std::string_view column) const override;
    bool granted_on_some(std::string_view privilege, std::string_view database,
                         std::string_view table) const override;
    // ACCESS_DENIED (497), with the grant that is missing.
    void require(std::string_view privilege, const AccessPlace& place = {}) const;

    // Whether a statement or a client may set it; `before` holds what is in force. READONLY (164),
    // SETTING_CONSTRAINT_VIOLATION (452).
    void check_setting(const Settings& before, std::string_view name,
                       std::string_view value) const;
    // The last rule for a setting; null without one.
    const SettingRule* rule(std::string_view name) const;

private:
    void enable(const std::string& role, size_t depth);
    void add_settings(const SettingRules& settings, size_t depth);
    void add_profiles_to(std::string_view name);

    std::shared_ptr<const AccessState> state_;
    const User& user_;
    std::set<std::string> current_roles_, enabled_roles_;
    AccessRights rights_;
    Settings default_settings_;
    std::map<std::string, SettingRule, std::less<>> rules_;
};
using EffectiveAccessPtr = std::shared_ptr<const EffectiveAccess>;

// Whether a user may read the table without a grant: tables of the server that show nothing of others,
// or leave out what the user may not see.
bool is_readable_by_all(std::string_view database, std::string_view table);

} // namespace basalt
