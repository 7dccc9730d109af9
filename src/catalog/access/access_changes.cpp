// Access statements change an AccessState.

#include "catalog/access/access_control.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string new_uuid(RandomSource& random)
{
    const uint64_t a = random.next_u64(), b = random.next_u64();
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff,
                       a & 0xfff, 0x8000 | ((b >> 48) & 0x3fff), b & 0xffffffffffffull);
}

void check_name(const std::string& name)
{
    if (name.empty() || name.size() > kMaxAccessNameBytes)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The name of a user or role has 1 to {} bytes",
                                kMaxAccessNameBytes));
}

void require_here(const std::string& cluster, const std::string& storage = {})
{
    if (!cluster.empty())
        throw Error(error_codes::NOT_IMPLEMENTED, "ON CLUSTER is not implemented");
    if (!storage.empty() && storage != "local_directory")
        throw Error(error_codes::ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND,
                    fmt::format("There is no access storage '{}'", storage));
}

class Changes
{
public:
    Changes(const AccessStatementContext& context, AccessState& state)
        : context_(context), state_(state)
    {
    }

    void run(const AstCreateUser& ast)
    {
        require_here(ast.cluster, ast.storage);
        check_role_names(ast.default_roles);
        check_profile_names(ast.settings);
        auto names = ast.names;
        if (names.empty() && ast.verb == AccessVerb::Alter)
            names.push_back(context_.current_user);
        each(ast, names, state_.users, "user", error_codes::UNKNOWN_USER,
             [&](User& user)
             {
                 AstCreateUser own = ast;
                 // name@host: only from there.
                 if (const size_t at = user.name.find('@');
                     at != std::string::npos && ast.verb == AccessVerb::Create && own.hosts.empty())
                     own.hosts.push_back({"LIKE", user.name.substr(at + 1)});
                 apply_statement(own, user, *context_.random);
                 if (ast.has_default_roles)
                     for (const auto& role : ast.default_roles.names)
                         if (ast.verb == AccessVerb::Alter && !user.roles.contains(role))
                             throw Error(error_codes::SET_NON_GRANTED_ROLE,
                                         fmt::format("Role {} should be granted to set default",
                                                     role));
             });
    }

    void run(const AstCreateRole& ast)
    {
        require_here(ast.cluster, ast.storage);
        check_profile_names(ast.settings);
        each(ast, ast.names, state_.roles, "role", error_codes::UNKNOWN_ROLE,
             [&](Role& role) { apply_statement(ast.settings, role.settings); });
    }

    void run(const AstCreateSettingsProfile& ast)
    {
        require_here(ast.cluster, ast.storage);
        check_profile_names(ast.settings);
        RoleSet to = resolved(ast.to);
        for (const auto& name : to.names)
            state_.grantee(name);
        each(ast, ast.names, state_.profiles, "settings profile",
             error_codes::THERE_IS_NO_PROFILE,
             [&](Profile& profile)
             {
                 apply_statement(ast.settings, profile.settings);
                 if (!ast.to.empty())
                     profile.to = to;
             });
    }

    void run(const AstDropAccess& ast)
    {
        require_here(ast.cluster, ast.storage);
        for (const auto& name : ast.names)
            switch (ast.entity)
            {
            case AccessEntity::User:
                drop(state_.users, name, ast.if_exists, "user", error_codes::UNKNOWN_USER);
                break;
            case AccessEntity::Role:
                drop(state_.roles, name, ast.if_exists, "role", error_codes::UNKNOWN_ROLE);
                break;
            case AccessEntity::SettingsProfile:
                drop(state_.profiles, name, ast.if_exists, "settings profile",
                     error_codes::THERE_IS_NO_PROFILE);
                break;
            default:
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Row policies and quotas are not implemented");
            }
    }

    void run(const AstGrant& ast)
    {
        require_here(ast.cluster);
        for (const auto& name : resolved(ast.grantees).names)
        {
            Grantee& grantee = editable_grantee(name);
            if (ast.with_replace && !ast.revoke)
            {
                if (ast.elements.empty())
                    grantee.roles.clear();
                else
                    grantee.rights = {};
            }
            if (!ast.elements.empty())
                apply_grant(ast, context_.current_database, grantee.rights);
            else
                change_roles(ast, grantee);
        }
    }

    void run(const AstSetRole& ast) // SET DEFAULT ROLE
    {
        check_role_names(ast.roles);
        for (const auto& name : resolved(ast.to).names)
        {
            User& user = editable(state_.users, name, "user", error_codes::UNKNOWN_USER);
            for (const auto& role : ast.roles.names)
                if (!user.roles.contains(role))
                    throw Error(error_codes::SET_NON_GRANTED_ROLE,
                                fmt::format("Role {} should be granted to set default", role));
            user.default_roles = ast.roles;
        }
    }

private:
    // CREATE or ALTER of each name.
    template <class Ast, class Entity, class Apply>
    void each(const Ast& ast, const std::vector<std::string>& names,
              std::map<std::string, Entity, std::less<>>& entities, const char* kind,
              int unknown_code, const Apply& apply)
    {
        for (const auto& name : names)
        {
            check_name(name);
            const auto it = entities.find(name);
            if (ast.verb == AccessVerb::Alter)
            {
                if (it == entities.end() && ast.if_exists)
                    continue;
                Entity& entity = editable(entities, name, kind, unknown_code);
                apply(entity);
                if (!ast.new_name.empty())
                    rename(entities, name, ast.new_name, kind);
                continue;
            }
            if (it != entities.end())
            {
                if (ast.if_not_exists)
                    continue;
                if (!ast.or_replace)
                    throw Error(error_codes::ACCESS_ENTITY_ALREADY_EXISTS,
                                fmt::format("{} `{}` already exists", kind, name));
                editable(entities, name, kind, unknown_code);
            }
            Entity made;
            made.name = name;
            made.uuid = new_uuid(*context_.random);
            made.from_config = context_.from_config;
            apply(made);
            entities.insert_or_assign(name, std::move(made));
        }
    }

    template <class Entity>
    Entity& editable(std::map<std::string, Entity, std::less<>>& entities, const std::string& name,
                     const char* kind, int unknown_code)
    {
        const auto it = entities.find(name);
        if (it == entities.end())
            throw Error(unknown_code, fmt::format("There is no {} `{}`", kind, name));
        if (context_.from_config && !it->second.from_config)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The {} `{}` was made by statements, the configuration cannot "
                                    "change it",
                                    kind, name));
        if (it->second.from_config && !context_.from_config)
            throw Error(error_codes::ACCESS_STORAGE_READONLY,
                        fmt::format("The {} `{}` comes from the configuration and cannot be "
                                    "changed by statements",
                                    kind, name));
        return it->second;
    }

    Grantee& editable_grantee(const std::string& name)
    {
        if (!state_.users.contains(name) && state_.roles.contains(name))
            return editable(state_.roles, name, "role", error_codes::UNKNOWN_ROLE);
        if (!state_.users.contains(name))
            state_.grantee(name); // throws
        return editable(state_.users, name, "user", error_codes::UNKNOWN_USER);
    }

    template <class Entity>
    void drop(std::map<std::string, Entity, std::less<>>& entities, const std::string& name,
              bool if_exists, const char* kind, int unknown_code)
    {
        if (if_exists && !entities.contains(name))
            return;
        editable(entities, name, kind, unknown_code);
        entities.erase(name);
        const bool is_profile = std::is_same_v<Entity, Profile>;
        for_each_entity(
            [&](AccessObject& object)
            {
                if (is_profile)
                    std::erase(object.settings.profiles, name);
            });
        if (is_profile)
            return;
        for_each_grantee([&](Grantee& grantee) { grantee.roles.erase(name); });
        for_each_set([&](RoleSet& set)
                     {
                         std::erase(set.names, name);
                         std::erase(set.except_names, name);
                     });
    }

    template <class Entity>
    void rename(std::map<std::string, Entity, std::less<>>& entities, const std::string& from,
                const std::string& to, const char* kind)
    {
        if (from == to)
            return;
        check_name(to);
        if (entities.contains(to))
            throw Error(error_codes::ACCESS_ENTITY_ALREADY_EXISTS,
                        fmt::format("{} `{}` already exists", kind, to));
        auto node = entities.extract(from);
        node.key() = to;
        node.mapped().name = to;
        entities.insert(std::move(node));
        const bool is_profile = std::is_same_v<Entity, Profile>;
        for_each_entity(
            [&](AccessObject& object)
            {
                if (is_profile)
                    std::replace(object.settings.profiles.begin(), object.settings.profiles.end(),
                                 from, to);
            });
        if (is_profile)
            return;
        for_each_grantee(
            [&](Grantee& grantee)
            {
                if (auto role = grantee.roles.extract(from); !role.empty())
                {
                    role.key() = to;
                    grantee.roles.insert(std::move(role));
                }
            });
        for_each_set(
            [&](RoleSet& set)
            {
                std::replace(set.names.begin(), set.names.end(), from, to);
                std::replace(set.except_names.begin(), set.except_names.end(), from, to);
            });
    }

    template <class Do>
    void for_each_entity(const Do& what)
    {
        for (auto& [name, user] : state_.users)
            what(user);
        for (auto& [name, role] : state_.roles)
            what(role);
        for (auto& [name, profile] : state_.profiles)
            what(profile);
    }

    template <class Do>
    void for_each_grantee(const Do& what)
    {
        for (auto& [name, user] : state_.users)
            what(user);
        for (auto& [name, role] : state_.roles)
            what(role);
    }

    template <class Do>
    void for_each_set(const Do& what)
    {
        for (auto& [name, user] : state_.users)
        {
            what(user.default_roles);
            what(user.grantees);
        }
        for (auto& [name, profile] : state_.profiles)
            what(profile.to);
    }

    void change_roles(const AstGrant& ast, Grantee& grantee)
    {
        std::vector<std::string> names = ast.roles.names;
        if (ast.roles.all) // REVOKE ALL [EXCEPT …]
            for (const auto& [role, admin] : grantee.roles)
                if (AccessState::contains(ast.roles, role))
                    names.push_back(role);
        for (const auto& name : names)
        {
            if (!ast.revoke)
            {
                state_.role(name);
                if (name == grantee.name && !state_.users.contains(name))
                    throw Error(error_codes::BAD_ARGUMENTS,
                                fmt::format("Role {} cannot be granted to itself", name));
                bool& admin = grantee.roles[name];
                admin = admin || ast.admin_option;
                continue;
            }
            state_.role(name);
            if (ast.admin_option)
            {
                if (const auto it = grantee.roles.find(name); it != grantee.roles.end())
                    it->second = false;
            }
            else
                grantee.roles.erase(name);
        }
    }

    // CURRENT_USER and ALL in a list of grantees become names.
    RoleSet resolved(RoleSet set) const
    {
        if (set.current_user)
            set.names.push_back(context_.current_user);
        if (set.except_current_user)
            set.except_names.push_back(context_.current_user);
        set.current_user = set.except_current_user = false;
        return set;
    }

    void check_role_names(const RoleSet& set) const
    {
        for (const auto& name : set.names)
            state_.role(name);
        for (const auto& name : set.except_names)
            state_.role(name);
    }

    void check_profile_names(const ProfileChanges& changes) const
    {
        for (const auto& element : changes.elements)
            if (!element.profile.empty() && !state_.profiles.contains(element.profile))
                throw Error(error_codes::THERE_IS_NO_PROFILE,
                            fmt::format("There is no settings profile `{}`", element.profile));
    }

    const AccessStatementContext& context_;
    AccessState& state_;
};

} // namespace

void run_access_statement(const Ast& ast, const AccessStatementContext& context, AccessState& state)
{
    Changes changes(context, state);
    if (const auto* user = ast.as<AstCreateUser>())
        changes.run(*user);
    else if (const auto* role = ast.as<AstCreateRole>())
        changes.run(*role);
    else if (const auto* profile = ast.as<AstCreateSettingsProfile>())
        changes.run(*profile);
    else if (const auto* drop = ast.as<AstDropAccess>())
        changes.run(*drop);
    else if (const auto* grant = ast.as<AstGrant>())
        changes.run(*grant);
    else if (const auto* set = ast.as<AstSetRole>();
             set && set->action == AstSetRole::Action::SetDefaultRole)
        changes.run(*set);
    else
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("{} is not implemented", ast_kind_name(ast.kind)));
}

} // namespace basalt
