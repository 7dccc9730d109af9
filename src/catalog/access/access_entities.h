#pragma once

// Users, roles and settings profiles as values. All of them together are an AccessState, which is
// copied, changed and published whole (catalog/access/access_control.h).

#include "base/error.h"
#include "catalog/access/access_rights.h"
#include "catalog/access/credential.h"
#include "sql/ast_access.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxAccessEntities = 100'000;
inline constexpr size_t kMaxAccessNameBytes = 256;
inline constexpr size_t kMaxCredentials = 100; // of one user
inline constexpr size_t kMaxRoleDepth = 64;    // roles that hold roles that hold …

enum class SettingWritability : uint8_t
{
    Writable, // also where nothing is said
    Const,    // READONLY
    ChangeableInReadonly,
};

// Value and bounds of one setting; texts as Settings keeps them.
struct SettingRule
{
    std::string name;
    std::optional<std::string> value, min, max;
    std::optional<SettingWritability> writability;
};

// SETTINGS of a user, role or profile. Later elements win.
struct SettingRules
{
    std::vector<std::string> profiles; // applied first, in order
    std::vector<SettingRule> rules;
    bool empty() const { return profiles.empty() && rules.empty(); }
};

// What users, roles and profiles share.
struct AccessObject
{
    std::string name;
    std::string uuid;
    bool from_config = false; // cannot be changed by statements
    SettingRules settings;
};

// Users and roles: those that something is granted to.
struct Grantee : AccessObject
{
    AccessRights rights;
    std::map<std::string, bool, std::less<>> roles; // granted; true: WITH ADMIN OPTION
};

struct Role : Grantee
{
};

struct User : Grantee
{
    std::vector<Credential> credentials{Credential{}}; // any of them will do
    std::vector<HostRule> hosts;                       // empty: any; kind NONE: nobody
    RoleSet default_roles;                             // ALL unless said otherwise
    RoleSet grantees;                                  // whom this user may grant to; ANY
    std::string default_database;

    User()
    {
        default_roles.all = true;
        grantees.any = true;
    }
};

struct Profile : AccessObject
{
    RoleSet to; // applied to these users and roles without being named by them
};

struct AccessState
{
    std::map<std::string, User, std::less<>> users;
    std::map<std::string, Role, std::less<>> roles;
    std::map<std::string, Profile, std::less<>> profiles;
    uint64_t version = 0; // changes with every change

    // UNKNOWN_USER, UNKNOWN_ROLE, THERE_IS_NO_PROFILE when absent.
    const User& user(std::string_view name) const;
    const Role& role(std::string_view name) const;
    // A user, else a role of the name; UNKNOWN_USER when neither is there.
    const Grantee& grantee(std::string_view name) const;
    // Whether a RoleSet that was stored holds the name.
    static bool contains(const RoleSet& set, std::string_view name);
};

// Statement to value. The names of the statement are not looked at, nor is RENAME.
void apply_statement(const AstCreateUser& ast, User& user, RandomSource& random);
void apply_statement(const ProfileChanges& changes, SettingRules& settings);
// The value of SETTINGS a = …: literal or identifier. NOT_IMPLEMENTED for others.
std::string setting_value_text(const std::string& name, const Ast& value);

// Value to statement. with_secrets: with what is kept of passwords (to be read back), else without.
AstPtr create_statement(const User& user, bool with_secrets);
AstPtr create_statement(const Role& role);
AstPtr create_statement(const Profile& profile);
std::vector<AstPtr> grant_statements(const Grantee& grantee);

// Grants or revokes the elements. INVALID_GRANT for a privilege that such a place has not,
// NOT_IMPLEMENTED for prefixes (ON db*.*).
void apply_grant(const AstGrant& ast, const std::string& current_database, AccessRights& rights);
// The places and privileges that the statement names.
std::vector<GrantElement> grant_elements(const AstGrant& ast, const std::string& current_database);

} // namespace basalt
