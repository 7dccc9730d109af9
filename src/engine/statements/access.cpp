// CREATE, ALTER and DROP of users, roles and settings profiles; GRANT and REVOKE; SET ROLE; what SHOW
// tells of them.

#include "base/error.h"
#include "engine/access_check.h"
#include "engine/select.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

void require_admin(const std::string& role, const EffectiveAccess& access)
{
    if (access.granted("ROLE ADMIN", {}, {}, {}))
        return;
    const auto it = access.user().roles.find(role);
    bool admin = it != access.user().roles.end() && it->second;
    for (const auto& enabled : access.enabled_roles())
    {
        const auto& inner = access.state().role(enabled).roles;
        if (const auto found = inner.find(role); found != inner.end())
            admin = admin || found->second;
    }
    if (!admin)
        access.require("ROLE ADMIN");
}

std::vector<std::string> grantee_names(const RoleSet& set, const EffectiveAccess& access)
{
    std::vector<std::string> names = set.names;
    if (set.current_user)
        names.push_back(access.user().name);
    return names;
}

// Whether the user may give away (or take back) each of these privileges, and to whom.
void check_grant(const AstGrant& grant, const EffectiveAccess& access, StatementContext& statement)
{
    for (const auto& element : grant_elements(grant, statement.context->current_database))
    {
        std::vector<std::string> columns = element.columns;
        if (columns.empty())
            columns.emplace_back();
        for (const auto& column : columns)
        {
            AccessPlace place = element.place;
            place.column = column;
            if (access.rights().with_option(element.privileges, place))
                continue;
            std::string names;
            for (const auto& name : privilege_names(element.privileges))
                names += (names.empty() ? "" : ", ") + name;
            throw Error(
                error_codes::ACCESS_DENIED,
                fmt::format("{}: Not enough privileges. To execute this query, it's necessary to "
                            "have the grant {}{} ON {}.{} WITH GRANT OPTION",
                            access.user().name, names, column.empty() ? "" : "(" + column + ")",
                            place.database.empty() ? "*" : place.database,
                            place.table.empty() ? "*" : place.table));
        }
    }
    if (grant.elements.empty())
    {
        for (const auto& role : grant.roles.names)
            require_admin(role, access);
        // REVOKE ALL [EXCEPT …]
        if (grant.roles.all || grant.roles.any)
            access.require("ROLE ADMIN");
    }
    // What is replaced is taken away.
    if (grant.with_replace)
        for (const auto& name : grantee_names(grant.grantees, access))
        {
            const Grantee& grantee = access.state().grantee(name);
            if (grant.elements.empty())
                for (const auto& [role, admin] : grantee.roles)
                    require_admin(role, access);
            else
                for (const auto& element : grantee.rights.elements())
                    if (!element.revoke &&
                        !access.rights().with_option(element.privileges, element.place))
                        throw Error(error_codes::ACCESS_DENIED,
                                    fmt::format("{}: Not enough privileges. To replace what is "
                                                "granted to {} it's necessary to have all of it "
                                                "WITH GRANT OPTION",
                                                access.user().name, name));
        }
    for (const auto& name : grantee_names(grant.grantees, access))
        if (!AccessState::contains(access.user().grantees, name))
            throw Error(error_codes::ACCESS_DENIED,
                        fmt::format("{}: User {} is not allowed as grantee", access.user().name,
                                    name));
}

void require_verb(const EffectiveAccess& access, AccessVerb verb, const std::string& what)
{
    access.require((verb == AccessVerb::Alter ? "ALTER " : "CREATE ") + what);
}

std::vector<std::string> texts_of(const std::vector<AstPtr>& statements)
{
    std::vector<std::string> texts;
    for (const auto& statement : statements)
        texts.push_back(format_query(*statement));
    return texts;
}

// SHOW GRANTS FOR …; without names: of the current user.
ResultPtr show_grants(const AstShow& show, StatementContext& statement)
{
    const auto state = statement.engine.access().state();
    std::vector<std::string> names = show.names;
    if (names.empty() || names == std::vector<std::string>{"CURRENT_USER"})
        names = {statement.session.user};
    std::vector<std::string> lines;
    for (const auto& name : names)
        for (auto& line : texts_of(grant_statements(state->grantee(name))))
            lines.push_back(std::move(line));
    std::string title = "GRANTS";
    for (size_t i = 0; i < names.size(); ++i)
        title += (i == 0 ? " FOR " : ", ") + quote_identifier_if_needed(names[i]);
    return text_result(title, lines);
}

ResultPtr show_create_access(const AstShow& show, StatementContext& statement)
{
    const auto state = statement.engine.access().state();
    std::vector<std::string> names = show.names, lines;
    if (names.empty())
        names = {statement.session.user};
    for (const auto& name : names)
    {
        AstPtr ast;
        if (show.show == ShowKind::CreateUser)
            ast = create_statement(
                state->user(name == "CURRENT_USER" ? statement.session.user : name), false);
        else if (show.show == ShowKind::CreateRole)
            ast = create_statement(state->role(name));
        else if (const auto it = state->profiles.find(name); it != state->profiles.end())
            ast = create_statement(it->second);
        else
            throw Error(error_codes::THERE_IS_NO_PROFILE,
                        fmt::format("There is no settings profile `{}`", name));
        lines.push_back(format_query(*ast));
    }
    const char* kind = show.show == ShowKind::CreateUser   ? "CREATE USER"
                       : show.show == ShowKind::CreateRole ? "CREATE ROLE"
                                                           : "CREATE SETTINGS PROFILE";
    return text_result(names.size() == 1
                           ? fmt::format("{} {}", kind, quote_identifier_if_needed(names[0]))
                           : std::string(kind),
                       lines);
}

} // namespace

void check_access_statement(const Ast& ast, StatementContext& statement)
{
    const EffectiveAccess& access = *statement.session.access;
    if (const auto* user = ast.as<AstCreateUser>())
    {
        // One's own password may be changed; all the rest needs the privilege.
        AstCreateUser rest = *user;
        rest.authentication.clear();
        rest.names = {access.user().name};
        AstCreateUser nothing;
        nothing.verb = AccessVerb::Alter;
        nothing.names = rest.names;
        const bool own = user->verb == AccessVerb::Alter &&
                         (user->names.empty() ||
                          user->names == std::vector<std::string>{access.user().name}) &&
                         !user->add_identified && format_query(rest) == format_query(nothing) &&
                         std::none_of(user->authentication.begin(), user->authentication.end(),
                                      [](const auto& method)
                                      { return method.type == "no_password"; });
        if (!own)
            require_verb(access, user->verb, "USER");
        if (user->or_replace)
            access.require("DROP USER");
        return;
    }
    if (const auto* role = ast.as<AstCreateRole>())
    {
        require_verb(access, role->verb, "ROLE");
        if (role->or_replace)
            access.require("DROP ROLE");
        return;
    }
    if (const auto* profile = ast.as<AstCreateSettingsProfile>())
    {
        require_verb(access, profile->verb, "SETTINGS PROFILE");
        if (profile->or_replace)
            access.require("DROP SETTINGS PROFILE");
        return;
    }
    if (const auto* drop = ast.as<AstDropAccess>())
    {
        switch (drop->entity)
        {
        case AccessEntity::User:
            return access.require("DROP USER");
        case AccessEntity::Role:
            return access.require("DROP ROLE");
        case AccessEntity::SettingsProfile:
            return access.require("DROP SETTINGS PROFILE");
        case AccessEntity::RowPolicy:
            return access.require("DROP ROW POLICY");
        case AccessEntity::Quota:
            return access.require("DROP QUOTA");
        }
    }
    if (const auto* grant = ast.as<AstGrant>())
        return check_grant(*grant, access, statement);
    if (const auto* set = ast.as<AstSetRole>())
    {
        if (set->action == AstSetRole::Action::SetDefaultRole)
            for (const auto& name : set->to.names)
                if (name != access.user().name)
                    access.require("ALTER USER");
        return;
    }
    if (ast.kind == AstKind::CreateRowPolicy)
        return access.require("CREATE ROW POLICY");
    if (ast.kind == AstKind::CreateQuota)
        return access.require("CREATE QUOTA");
    access.require("ALL"); // a statement whose privilege is not known
}

ResultPtr run_access_change(const Ast& ast, StatementContext& statement)
{
    AccessStatementContext context;
    context.current_user = statement.session.user;
    context.current_database = statement.context->current_database;
    statement.engine.access().change([&](AccessState& state)
                                     { run_access_statement(ast, context, state); });
    return nullptr;
}

ResultPtr run_set_role(const AstSetRole& set, StatementContext& statement)
{
    Session& session = statement.session;
    if (!session.access)
        throw Error(error_codes::NOT_IMPLEMENTED, "Roles need a server with users");
    std::optional<std::set<std::string>> roles;
    if (set.action == AstSetRole::Action::SetRole)
    {
        roles.emplace();
        const auto state = statement.engine.access().state();
        for (const auto& [role, admin] : state->user(session.user).roles)
            if (AccessState::contains(set.roles, role))
                roles->insert(role);
        roles->insert(set.roles.names.begin(), set.roles.names.end());
    }
    set_roles(statement.engine.access(), session, std::move(roles));
    return nullptr;
}

ResultPtr show_access(const AstShow& show, StatementContext& statement)
{
    const auto select = [&](const std::string& sql)
    { return run_select(parse_query(sql), statement); };
    switch (show.show)
    {
    case ShowKind::Grants:
        return show_grants(show, statement);
    case ShowKind::CreateUser:
    case ShowKind::CreateRole:
    case ShowKind::CreateSettingsProfile:
        return show_create_access(show, statement);
    case ShowKind::Users:
        return select("SELECT name FROM system.users ORDER BY name");
    case ShowKind::Roles:
        return select("SELECT name FROM system.roles ORDER BY name");
    case ShowKind::CurrentRoles:
        return select("SELECT role_name, with_admin_option, is_default FROM system.current_roles "
                      "ORDER BY role_name");
    case ShowKind::EnabledRoles:
        return select("SELECT role_name, with_admin_option, is_current, is_default FROM "
                      "system.enabled_roles ORDER BY role_name");
    case ShowKind::SettingsProfiles:
        return select("SELECT name FROM system.settings_profiles ORDER BY name");
    case ShowKind::Privileges:
        return select("SELECT * FROM system.privileges");
    default:
    {
        const auto state = statement.engine.access().state();
        std::vector<std::string> lines;
        for (const auto& [name, profile] : state->profiles)
            lines.push_back(format_query(*create_statement(profile)));
        for (const auto& [name, role] : state->roles)
            lines.push_back(format_query(*create_statement(role)));
        for (const auto& [name, user] : state->users)
            lines.push_back(format_query(*create_statement(user, false)));
        for (const auto& [name, role] : state->roles)
            for (auto& line : texts_of(grant_statements(role)))
                lines.push_back(std::move(line));
        for (const auto& [name, user] : state->users)
            for (auto& line : texts_of(grant_statements(user)))
                lines.push_back(std::move(line));
        return text_result("ACCESS", lines);
    }
    }
}

} // namespace basalt
