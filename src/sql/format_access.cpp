#include "sql/format_impl.h"
#include "sql/parser_impl.h"

namespace basalt
{

void FormatWriter::user_name(const std::string& text)
{
    const size_t at = text.find('@');
    if (at == std::string::npos || at == 0)
    {
        if (text.empty())
            out += "''";
        else
            name(text);
        return;
    }
    name(std::string_view(text).substr(0, at));
    out += "@" + quote_string(std::string_view(text).substr(at + 1));
}

void FormatWriter::user_names(const std::vector<std::string>& names)
{
    for (size_t i = 0; i < names.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        user_name(names[i]);
    }
}

void FormatWriter::role_set(const RoleSet& set)
{
    const auto quoted_names = [&](const std::vector<std::string>& names, bool first)
    {
        for (const std::string& one : names)
        {
            out += first ? "" : ", ";
            first = false;
            // Names that would read as words of the grammar.
            if (equals_ignoring_case(one, "NONE") || equals_ignoring_case(one, "ANY") ||
                equals_ignoring_case(one, "CURRENT_USER"))
                out += quote_identifier(one);
            else
                user_name(one);
        }
    };
    if (set.none)
        out += "NONE";
    else if (set.all)
        out += "ALL";
    else if (set.any)
        out += "ANY";
    else
    {
        out += set.current_user ? "CURRENT_USER" : "";
        quoted_names(set.names, !set.current_user);
    }
    if (set.except_current_user || !set.except_names.empty())
    {
        out += " EXCEPT ";
        out += set.except_current_user ? "CURRENT_USER" : "";
        quoted_names(set.except_names, !set.except_current_user);
    }
}

void FormatWriter::set_role(const AstSetRole& ast)
{
    switch (ast.action)
    {
    case AstSetRole::Action::SetRoleDefault:
        out += "SET ROLE DEFAULT";
        break;
    case AstSetRole::Action::SetRole:
        out += "SET ROLE ";
        role_set(ast.roles);
        break;
    case AstSetRole::Action::SetDefaultRole:
        out += "SET DEFAULT ROLE ";
        role_set(ast.roles);
        out += " TO ";
        role_set(ast.to);
        break;
    }
}

void FormatWriter::access_element(const AccessElement& element)
{
    for (size_t i = 0; i < element.privileges.size(); ++i)
    {
        out += (i == 0 ? "" : ", ") + element.privileges[i];
        const std::vector<std::string>& columns = element.columns[i];
        for (size_t c = 0; c < columns.size(); ++c)
        {
            out += c == 0 ? "(" : ", ";
            name(columns[c]);
        }
        out += columns.empty() ? "" : ")";
    }
    out += " ON ";
    if (element.any_database)
        out += "*.";
    else if (!element.database.empty())
    {
        name(element.database);
        // d*.*: the database is the prefix.
        out += element.wildcard && element.any_table ? "*." : ".";
    }
    if (element.any_table)
        out += '*';
    else
    {
        name(element.table);
        out += element.wildcard ? "*" : "";
    }
}

void FormatWriter::grant(const AstGrant& ast)
{
    out += ast.revoke ? "REVOKE" : "GRANT";
    on_cluster(ast.cluster);
    out += ' ';
    if (ast.revoke)
        out += ast.grant_option ? "GRANT OPTION FOR " : ast.admin_option ? "ADMIN OPTION FOR " : "";
    if (ast.elements.empty())
        role_set(ast.roles);
    for (size_t i = 0; i < ast.elements.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        access_element(ast.elements[i]);
    }
    out += ast.revoke ? " FROM " : " TO ";
    role_set(ast.grantees);
    if (ast.revoke)
        return;
    out += ast.grant_option ? " WITH GRANT OPTION" : "";
    out += ast.admin_option ? " WITH ADMIN OPTION" : "";
    out += ast.with_replace ? " WITH REPLACE OPTION" : "";
}

void FormatWriter::access_head(AccessVerb verb, const char* what, bool or_replace, bool if_exists,
                               bool if_not_exists)
{
    out += verb == AccessVerb::Alter ? "ALTER " : "CREATE ";
    out += what;
    out += or_replace ? " OR REPLACE" : if_exists ? " IF EXISTS" : "";
    out += if_not_exists ? " IF NOT EXISTS" : "";
    out += ' ';
}

void FormatWriter::profile_elements(const std::vector<ProfileElement>& elements)
{
    for (size_t i = 0; i < elements.size(); ++i)
    {
        const ProfileElement& one = elements[i];
        out += i == 0 ? "" : ", ";
        if (!one.profile.empty())
        {
            out += "PROFILE " + quote_identifier(one.profile);
            continue;
        }
        dotted_name(one.name);
        const auto part = [&](const char* words, const AstPtr& value)
        {
            if (value == nullptr)
                return;
            out += words;
            setting_value(*value);
        };
        part(" = ", one.value);
        part(" MIN ", one.min);
        part(" MAX ", one.max);
        if (!one.writability.empty())
            out += " " + one.writability;
    }
}

void FormatWriter::profile_changes(const ProfileChanges& changes, AccessVerb verb)
{
    if (!changes.present)
        return;
    bool first = true;
    const auto comma = [&]
    {
        out += first ? " " : ", ";
        first = false;
    };
    if (verb != AccessVerb::Alter || changes.replace)
    {
        out += " SETTINGS ";
        if (changes.elements.empty())
            out += "NONE";
        profile_elements(changes.elements);
        return;
    }
    if (changes.drop_all_settings)
    {
        comma();
        out += "DROP ALL SETTINGS";
    }
    if (changes.drop_all_profiles)
    {
        comma();
        out += "DROP ALL PROFILES";
    }
    const auto names = [&](const char* words, const std::vector<std::string>& list)
    {
        if (list.empty())
            return;
        comma();
        out += words;
        for (size_t i = 0; i < list.size(); ++i)
            out += (i == 0 ? "" : ", ") + quote_identifier(list[i]);
    };
    names("DROP SETTINGS ", changes.drop_settings);
    names("DROP PROFILES ", changes.drop_profiles);
    if (!changes.elements.empty())
    {
        comma();
        out += "ADD SETTINGS ";
        profile_elements(changes.elements);
    }
    if (!changes.modified.empty())
    {
        comma();
        out += "MODIFY SETTINGS ";
        profile_elements(changes.modified);
    }
}

void FormatWriter::hosts(const char* words, const std::vector<HostRule>& rules)
{
    for (size_t i = 0; i < rules.size(); ++i)
    {
        out += i == 0 ? words : ", ";
        out += rules[i].kind;
        if (rules[i].kind != "ANY" && rules[i].kind != "NONE" && rules[i].kind != "LOCAL")
            out += " " + quote_string(rules[i].value);
    }
}

void FormatWriter::create_user(const AstCreateUser& ast)
{
    access_head(ast.verb, "USER", ast.or_replace, ast.if_exists, ast.if_not_exists);
    user_names(ast.names);
    on_cluster(ast.cluster);
    if (!ast.new_name.empty())
    {
        out += " RENAME TO ";
        user_name(ast.new_name);
    }
    for (size_t i = 0; i < ast.authentication.size(); ++i)
    {
        const AuthenticationMethod& method = ast.authentication[i];
        if (i == 0)
        {
            out += ast.add_identified ? " ADD IDENTIFIED" : " IDENTIFIED";
            out += method.type.empty() ? "" : " WITH";
        }
        else
            out += ",";
        out += method.type.empty() ? "" : " " + method.type;
        for (size_t a = 0; a < method.arguments.size(); ++a)
        {
            const bool again = a > 0 && method.argument_words[a] == method.argument_words[a - 1];
            out += again ? ", " : " " + method.argument_words[a] + " ";
            if (hide_secrets_)
                out += "'[HIDDEN]'";
            else
                expression(*method.arguments[a]);
        }
        if (method.valid_until != nullptr)
        {
            out += " VALID UNTIL ";
            expression(*method.valid_until);
        }
    }
    out += ast.reset_authentication ? " RESET AUTHENTICATION METHODS TO NEW" : "";
    hosts(" HOST ", ast.hosts);
    hosts(" ADD HOST ", ast.add_hosts);
    hosts(" DROP HOST ", ast.drop_hosts);
    if (ast.valid_until != nullptr)
    {
        out += " VALID UNTIL ";
        expression(*ast.valid_until);
    }
    if (!ast.storage.empty())
    {
        out += " IN ";
        name(ast.storage);
    }
    if (ast.has_default_database)
    {
        out += " DEFAULT DATABASE ";
        if (ast.default_database.empty())
            out += "NONE";
        else
            name(ast.default_database);
    }
    if (ast.has_default_roles)
    {
        out += " DEFAULT ROLE ";
        role_set(ast.default_roles);
    }
    profile_changes(ast.settings, ast.verb);
    if (ast.has_grantees)
    {
        out += " GRANTEES ";
        role_set(ast.grantees);
    }
}

void FormatWriter::create_role(const AstCreateRole& ast)
{
    access_head(ast.verb, "ROLE", ast.or_replace, ast.if_exists, ast.if_not_exists);
    user_names(ast.names);
    on_cluster(ast.cluster);
    if (!ast.new_name.empty())
    {
        out += " RENAME TO ";
        user_name(ast.new_name);
    }
    if (!ast.storage.empty())
    {
        out += " IN ";
        name(ast.storage);
    }
    profile_changes(ast.settings, ast.verb);
}

void FormatWriter::create_profile(const AstCreateSettingsProfile& ast)
{
    access_head(ast.verb, "SETTINGS PROFILE", ast.or_replace, ast.if_exists, ast.if_not_exists);
    user_names(ast.names);
    on_cluster(ast.cluster);
    if (!ast.new_name.empty())
    {
        out += " RENAME TO ";
        user_name(ast.new_name);
    }
    if (!ast.storage.empty())
    {
        out += " IN ";
        name(ast.storage);
    }
    profile_changes(ast.settings, ast.verb);
    if (!ast.to.empty())
    {
        out += " TO ";
        role_set(ast.to);
    }
}

void FormatWriter::create_row_policy(const AstCreateRowPolicy& ast)
{
    access_head(ast.verb, "ROW POLICY", ast.or_replace, ast.if_exists, ast.if_not_exists);
    if (ast.names.size() == 1 || ast.tables.size() == 1)
    {
        user_names(ast.names);
        for (size_t i = 0; i < ast.tables.size(); ++i)
        {
            out += i == 0 ? " ON " : ", ";
            table_name(ast.tables[i]);
        }
    }
    else
    {
        for (size_t i = 0; i < ast.names.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            user_name(ast.names[i]);
            if (i < ast.tables.size())
            {
                out += " ON ";
                table_name(ast.tables[i]);
            }
        }
    }
    on_cluster(ast.cluster);
    if (!ast.new_name.empty())
    {
        out += " RENAME TO ";
        user_name(ast.new_name);
    }
    if (!ast.storage.empty())
    {
        out += " IN ";
        name(ast.storage);
    }
    if (ast.has_restrictive)
        out += ast.restrictive ? " AS RESTRICTIVE" : " AS PERMISSIVE";
    if (ast.has_filter)
    {
        out += " FOR SELECT USING ";
        if (ast.filter == nullptr)
            out += "NONE";
        else
            expression(*ast.filter);
    }
    if (!ast.to.empty())
    {
        out += " TO ";
        role_set(ast.to);
    }
}

void FormatWriter::create_quota(const AstCreateQuota& ast)
{
    access_head(ast.verb, "QUOTA", ast.or_replace, ast.if_exists, ast.if_not_exists);
    user_names(ast.names);
    on_cluster(ast.cluster);
    if (!ast.new_name.empty())
    {
        out += " RENAME TO ";
        user_name(ast.new_name);
    }
    if (!ast.storage.empty())
    {
        out += " IN ";
        name(ast.storage);
    }
    out += ast.not_keyed ? " NOT KEYED" : "";
    for (size_t i = 0; i < ast.keys.size(); ++i)
    {
        out += i == 0 ? " KEYED BY " : ", ";
        name(ast.keys[i]);
    }
    for (size_t i = 0; i < ast.intervals.size(); ++i)
    {
        const QuotaLimits& one = ast.intervals[i];
        out += i == 0 ? " FOR " : ", FOR ";
        out += one.randomized ? "RANDOMIZED INTERVAL " : "INTERVAL ";
        expression(*one.duration);
        out += ' ';
        for (char c : one.unit)
            out += static_cast<char>(c | 0x20);
        out += one.no_limits ? " NO LIMITS" : one.tracking_only ? " TRACKING ONLY" : "";
        for (size_t l = 0; l < one.limits.size(); ++l)
        {
            out += l == 0 ? " MAX " : ", ";
            name(one.limits[l].first);
            out += " = ";
            expression(*one.limits[l].second);
        }
    }
    if (!ast.to.empty())
    {
        out += " TO ";
        role_set(ast.to);
    }
}

void FormatWriter::drop_access(const AstDropAccess& ast)
{
    static constexpr const char* kEntities[] = {"USER ", "ROLE ", "ROW POLICY ", "QUOTA ",
                                                "SETTINGS PROFILE "};
    out += std::string("DROP ") + kEntities[static_cast<size_t>(ast.entity)];
    out += ast.if_exists ? "IF EXISTS " : "";
    user_names(ast.names);
    for (size_t i = 0; i < ast.tables.size(); ++i)
    {
        out += i == 0 ? " ON " : ", ";
        table_name(ast.tables[i]);
    }
    on_cluster(ast.cluster);
    if (!ast.storage.empty())
    {
        out += " FROM ";
        name(ast.storage);
    }
}

void FormatWriter::access(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::SetRole:
        set_role(*ast.as<AstSetRole>());
        break;
    case AstKind::Grant:
        grant(*ast.as<AstGrant>());
        break;
    case AstKind::CreateUser:
        create_user(*ast.as<AstCreateUser>());
        break;
    case AstKind::CreateRole:
        create_role(*ast.as<AstCreateRole>());
        break;
    case AstKind::CreateRowPolicy:
        create_row_policy(*ast.as<AstCreateRowPolicy>());
        break;
    case AstKind::CreateQuota:
        create_quota(*ast.as<AstCreateQuota>());
        break;
    case AstKind::CreateSettingsProfile:
        create_profile(*ast.as<AstCreateSettingsProfile>());
        break;
    default:
        drop_access(*ast.as<AstDropAccess>());
    }
}

} // namespace basalt
