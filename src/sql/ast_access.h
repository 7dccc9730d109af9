#pragma once

// Users, roles, row policies, quotas, settings profiles, grants.

#include "sql/ast_statements.h"

#include <utility>

namespace basalt
{

// A list of users and roles: alice, CURRENT_USER, ALL, NONE, ANY, with EXCEPT.
struct RoleSet
{
    bool all = false;
    bool none = false;
    bool any = false;
    bool current_user = false;
    std::vector<std::string> names;
    bool except_current_user = false;
    std::vector<std::string> except_names;

    bool empty() const { return !all && !none && !any && !current_user && names.empty(); }
    void visit_fields(FieldVisitor& visitor);
};

struct AstSetRole : AstNode<AstSetRole, AstKind::SetRole>
{
    enum class Action : uint8_t
    {
        SetRole,
        SetRoleDefault,
        SetDefaultRole, // SET DEFAULT ROLE r TO u
    };
    Action action = Action::SetRole;
    RoleSet roles;
    RoleSet to;
    void visit_fields(FieldVisitor& visitor) override;
};

// One SELECT(a, b), INSERT ON db.* of a grant.
struct AccessElement
{
    std::vector<std::string> privileges; // SELECT, ALTER ADD COLUMN: words in capitals
    std::vector<std::vector<std::string>> columns; // of each privilege; empty: all
    bool any_database = false;                     // *.*
    bool any_table = false;                        // db.*
    bool is_global_with_parameter = false;         // ON *, a user name, a named collection
    std::string database;
    std::string table;
    bool wildcard = false; // prefix*: the last name above is a prefix
};

struct AstGrant : AstNode<AstGrant, AstKind::Grant>
{
    bool revoke = false;
    bool grant_option = false; // WITH GRANT OPTION / GRANT OPTION FOR
    bool admin_option = false;
    bool with_replace = false;
    bool current_grants = false;
    std::vector<AccessElement> elements;
    RoleSet roles; // GRANT role TO ..
    RoleSet grantees;
    std::string cluster;
    void visit_fields(FieldVisitor& visitor) override;
};

// One element of the SETTINGS of users, roles and profiles: a setting with bounds, or PROFILE x.
struct ProfileElement
{
    std::string profile; // INHERIT / PROFILE name
    std::string name;
    AstPtr value;
    AstPtr min;
    AstPtr max;
    std::string writability; // WRITABLE, READONLY, CONST, CHANGEABLE_IN_READONLY or empty
};

// SETTINGS of users, roles and profiles. In ALTER, `replace` means SETTINGS without ADD: all that
// was there goes first.
struct ProfileChanges
{
    bool present = false;
    bool replace = false;
    bool drop_all_settings = false;
    bool drop_all_profiles = false;
    std::vector<std::string> drop_settings;
    std::vector<std::string> drop_profiles;
    std::vector<ProfileElement> elements; // added
    std::vector<ProfileElement> modified; // MODIFY SETTING

    void visit_fields(FieldVisitor& visitor);
};

enum class AccessVerb : uint8_t
{
    Create,
    Alter,
    Attach,
};

struct AuthenticationMethod
{
    std::string type; // plaintext_password, sha256_password, no_password ...; empty: default
    AstList arguments; // BY 'secret', SALT 's', REALM, SERVER ...: literals in order
    std::vector<std::string> argument_words;
    AstPtr valid_until;
};

struct HostRule
{
    std::string kind;
    std::string value;
};

struct AstCreateUser : AstNode<AstCreateUser, AstKind::CreateUser>
{
    AccessVerb verb = AccessVerb::Create;
    bool or_replace = false;
    bool if_exists = false;
    bool if_not_exists = false;
    std::vector<std::string> names; // 'name@host' kept in one
    std::string new_name;           // RENAME TO
    std::string cluster;
    std::string storage; // IN storage
    bool add_identified = false;
    bool reset_authentication = false;
    std::vector<AuthenticationMethod> authentication;
    // HOST clauses: ANY, NONE, LOCAL, NAME, REGEXP, IP, LIKE with their values.
    std::vector<HostRule> hosts;
    std::vector<HostRule> add_hosts;
    std::vector<HostRule> drop_hosts;
    AstPtr valid_until;
    bool has_default_roles = false;
    RoleSet default_roles;
    std::string default_database;
    bool has_default_database = false;
    bool has_grantees = false;
    RoleSet grantees;
    ProfileChanges settings;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCreateRole : AstNode<AstCreateRole, AstKind::CreateRole>
{
    AccessVerb verb = AccessVerb::Create;
    bool or_replace = false;
    bool if_exists = false;
    bool if_not_exists = false;
    std::vector<std::string> names;
    std::string new_name;
    std::string cluster;
    std::string storage;
    ProfileChanges settings;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCreateRowPolicy : AstNode<AstCreateRowPolicy, AstKind::CreateRowPolicy>
{
    AccessVerb verb = AccessVerb::Create;
    bool or_replace = false;
    bool if_exists = false;
    bool if_not_exists = false;
    std::vector<std::string> names;
    std::vector<AstTableName> tables; // table "*" is every table of the database
    std::string new_name;
    std::string cluster;
    std::string storage;
    bool restrictive = false;
    bool has_restrictive = false;
    AstPtr filter; // USING; null with has_filter: USING NONE
    bool has_filter = false;
    RoleSet to;
    void visit_fields(FieldVisitor& visitor) override;
};

struct QuotaLimits
{
    bool randomized = false;
    AstPtr duration; // number
    std::string unit;
    bool no_limits = false;
    bool tracking_only = false;
    std::vector<std::pair<std::string, AstPtr>> limits; // MAX name = value
};

struct AstCreateQuota : AstNode<AstCreateQuota, AstKind::CreateQuota>
{
    AccessVerb verb = AccessVerb::Create;
    bool or_replace = false;
    bool if_exists = false;
    bool if_not_exists = false;
    std::vector<std::string> names;
    std::string new_name;
    std::string cluster;
    std::string storage;
    bool not_keyed = false;
    std::vector<std::string> keys;
    std::vector<QuotaLimits> intervals;
    RoleSet to;
    void visit_fields(FieldVisitor& visitor) override;
};

struct AstCreateSettingsProfile
    : AstNode<AstCreateSettingsProfile, AstKind::CreateSettingsProfile>
{
    AccessVerb verb = AccessVerb::Create;
    bool or_replace = false;
    bool if_exists = false;
    bool if_not_exists = false;
    std::vector<std::string> names;
    std::string new_name;
    std::string cluster;
    std::string storage;
    ProfileChanges settings;
    RoleSet to;
    void visit_fields(FieldVisitor& visitor) override;
};

enum class AccessEntity : uint8_t
{
    User,
    Role,
    RowPolicy,
    Quota,
    SettingsProfile,
};

struct AstDropAccess : AstNode<AstDropAccess, AstKind::DropAccess>
{
    AccessEntity entity = AccessEntity::User;
    bool if_exists = false;
    std::vector<std::string> names;
    std::vector<AstTableName> tables; // of row policies
    std::string cluster;
    std::string storage;
    void visit_fields(FieldVisitor& visitor) override;
};

} // namespace basalt
