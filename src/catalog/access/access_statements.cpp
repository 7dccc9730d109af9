// Access statements to values and back.

#include "base/error.h"
#include "base/settings.h"
#include "catalog/access/access_entities.h"
#include "columns/date_text.h"
#include "columns/text_cursor.h"
#include "columns/timezone.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

std::string literal_text(const AstPtr& ast)
{
    const auto* literal = ast ? ast->as<AstLiteral>() : nullptr;
    if (!literal || !literal->is_string())
        throw Error(error_codes::BAD_ARGUMENTS, "A text is expected in a statement about a user");
    return literal->text;
}

std::string hash_bytes(const std::string& text, size_t size, const std::string& type)
{
    const auto bytes = from_hex(text);
    if (!bytes || bytes->size() != size)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The hash of {} has {} hexadecimal digits", type, size * 2));
    return *bytes;
}

Credential credential_of(const AuthenticationMethod& method, RandomSource& random)
{
    std::string secret, salt;
    Credential made;
    for (size_t i = 0; i < method.arguments.size(); ++i)
    {
        const std::string& word = method.argument_words[i];
        const std::string text = literal_text(method.arguments[i]);
        if (word == "BY")
            secret = text;
        else if (word == "SALT")
            salt = text;
        else if (word == "CN" || word == "SAN")
            made.names.push_back(word + ":" + text);
        else
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("IDENTIFIED … {} is not implemented", word));
    }
    const std::string& type = method.type;
    const auto of_password = [&](CredentialKind kind)
    { return credential_of_password(kind, secret, random); };
    if (type.empty() || type == "sha256_password")
        return of_password(CredentialKind::Sha256);
    if (type == "no_password")
        return made;
    if (type == "plaintext_password")
        return of_password(CredentialKind::Plaintext);
    if (type == "double_sha1_password")
        return of_password(CredentialKind::DoubleSha1);
    if (type == "scram_sha256_password")
        return of_password(CredentialKind::ScramSha256);
    if (type == "bcrypt_password")
        return of_password(CredentialKind::Bcrypt);
    made.salt = salt;
    if (type == "sha256_hash")
    {
        made.kind = CredentialKind::Sha256;
        made.data = hash_bytes(secret, 32, type);
    }
    else if (type == "double_sha1_hash")
    {
        made.kind = CredentialKind::DoubleSha1;
        made.data = hash_bytes(secret, 20, type);
    }
    else if (type == "scram_sha256_hash")
    {
        made.kind = CredentialKind::ScramSha256;
        made.data = hash_bytes(secret, 32, type);
    }
    else if (type == "bcrypt_hash")
    {
        if (secret.size() != 60 || !secret.starts_with("$2"))
            throw Error(error_codes::BAD_ARGUMENTS, "A bcrypt hash has 60 characters, $2b$…");
        // $2b$12$…: each login costs 2^12 rounds.
        const int cost = std::atoi(secret.c_str() + 4);
        if (cost < 4 || cost > kMaxBcryptCost)
            throw Error(error_codes::BAD_ARGUMENTS,
                        fmt::format("The cost of a bcrypt hash is 4 to {}, not {}", kMaxBcryptCost,
                                    cost));
        made.kind = CredentialKind::Bcrypt;
        made.data = secret;
    }
    else if (type == "ssl_certificate")
    {
        if (made.names.empty())
            throw Error(error_codes::BAD_ARGUMENTS, "ssl_certificate needs CN or SAN");
        made.kind = CredentialKind::SslCertificate;
    }
    else
        throw Error(error_codes::NOT_IMPLEMENTED,
                    fmt::format("Authentication by {} is not implemented", type));
    return made;
}

int64_t parse_utc_time(const std::string& text)
{
    TextCursor cursor(text);
    DateTimeParts parts;
    if (!parse_date_time_best_effort(cursor, true, utc(), false, parts) || !cursor.at_end())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Cannot read '{}' of VALID UNTIL as a time", text));
    return parts.unix_s;
}

std::string utc_time_text(int64_t unix_s)
{
    const CivilTime t = utc().to_civil(unix_s);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", t.year, t.month, t.day, t.hour,
                       t.minute, t.second);
}

// 'infinity' is none. Texts are UTC.
std::optional<int64_t> valid_until_of(const AstPtr& ast)
{
    const std::string text = literal_text(ast);
    if (text == "infinity")
        return std::nullopt;
    return parse_utc_time(text);
}

AuthenticationMethod method_of(const Credential& credential, bool with_secrets)
{
    AuthenticationMethod method;
    method.type = credential.type_name();
    const auto add = [&](const char* word, std::string text)
    {
        method.argument_words.emplace_back(word);
        method.arguments.push_back(AstLiteral::string(std::move(text)));
    };
    for (const auto& name : credential.names)
    {
        const size_t colon = name.find(':');
        add(name.substr(0, colon) == "CN" ? "CN" : "SAN", name.substr(colon + 1));
    }
    if (with_secrets)
        switch (credential.kind)
        {
        case CredentialKind::NoPassword:
        case CredentialKind::SslCertificate:
            break;
        case CredentialKind::Plaintext:
            add("BY", credential.data);
            break;
        case CredentialKind::Sha256:
            method.type = "sha256_hash";
            add("BY", to_hex(credential.data));
            break;
        case CredentialKind::DoubleSha1:
            method.type = "double_sha1_hash";
            add("BY", to_hex(credential.data));
            break;
        case CredentialKind::ScramSha256:
            method.type = "scram_sha256_hash";
            add("BY", to_hex(credential.data));
            break;
        case CredentialKind::Bcrypt:
            method.type = "bcrypt_hash";
            add("BY", credential.data);
            break;
        }
    if (with_secrets && !credential.salt.empty())
        add("SALT", credential.salt);
    if (credential.valid_until_unix_s)
        method.valid_until = AstLiteral::string(utc_time_text(*credential.valid_until_unix_s));
    return method;
}

void check_hosts(const std::vector<HostRule>& hosts)
{
    for (const auto& rule : hosts)
        if (rule.kind == "REGEXP")
            throw Error(error_codes::NOT_IMPLEMENTED, "HOST REGEXP is not implemented");
}

SettingRule rule_of(const ProfileElement& element)
{
    SettingRule rule;
    rule.name = element.name;
    if (!Settings::exists(rule.name))
        throw Error(error_codes::UNKNOWN_SETTING,
                    fmt::format("Unknown setting '{}'", rule.name));
    Settings checked;
    const auto text = [&](const AstPtr& value) -> std::optional<std::string>
    {
        if (!value)
            return std::nullopt;
        checked.set(rule.name, setting_value_text(rule.name, *value));
        return std::string(checked.get(rule.name));
    };
    rule.value = text(element.value);
    rule.min = text(element.min);
    rule.max = text(element.max);
    if (element.writability == "CONST" || element.writability == "READONLY")
        rule.writability = SettingWritability::Const;
    else if (element.writability == "WRITABLE")
        rule.writability = SettingWritability::Writable;
    else if (element.writability == "CHANGEABLE_IN_READONLY")
        rule.writability = SettingWritability::ChangeableInReadonly;
    return rule;
}

ProfileChanges changes_of(const SettingRules& settings)
{
    ProfileChanges changes;
    changes.present = !settings.empty();
    for (const auto& profile : settings.profiles)
        changes.elements.push_back({profile, {}, {}, {}, {}, {}});
    for (const auto& rule : settings.rules)
    {
        ProfileElement element;
        element.name = rule.name;
        const auto text = [](const std::optional<std::string>& value) -> AstPtr
        { return value ? AstLiteral::string(*value) : nullptr; };
        element.value = text(rule.value);
        element.min = text(rule.min);
        element.max = text(rule.max);
        if (rule.writability == SettingWritability::Const)
            element.writability = "CONST";
        else if (rule.writability == SettingWritability::Writable)
            element.writability = "WRITABLE";
        else if (rule.writability == SettingWritability::ChangeableInReadonly)
            element.writability = "CHANGEABLE_IN_READONLY";
        changes.elements.push_back(std::move(element));
    }
    return changes;
}

AstPtr grant_of(const GrantElement& element, const std::string& grantee)
{
    auto grant = std::make_shared<AstGrant>();
    grant->revoke = element.revoke;
    grant->grant_option = element.grant_option;
    grant->grantees.names.push_back(grantee);
    AccessElement target;
    for (auto& name : privilege_names(element.privileges))
    {
        target.privileges.push_back(std::move(name));
        target.columns.push_back(element.columns);
    }
    target.database = element.place.database;
    target.table = element.place.table;
    target.any_database = target.database.empty();
    target.any_table = target.table.empty();
    grant->elements.push_back(std::move(target));
    return grant;
}

} // namespace

std::string setting_value_text(const std::string& name, const Ast& value)
{
    if (const auto* literal = value.as<AstLiteral>())
    {
        switch (literal->literal_kind)
        {
        case LiteralKind::Bool:
            return literal->unsigned_value ? "1" : "0";
        case LiteralKind::UInt64:
            return fmt::format("{}", literal->unsigned_value);
        case LiteralKind::Int64:
            return fmt::format("{}", literal->signed_value);
        case LiteralKind::Float64:
            return literal->text.empty() ? fmt::format("{}", literal->float_value) : literal->text;
        default:
            return literal->text;
        }
    }
    if (const auto* identifier = value.as<AstIdentifier>())
        return identifier->full_name();
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("The value of setting '{}' must be a literal", name));
}

void apply_statement(const ProfileChanges& changes, SettingRules& settings)
{
    if (!changes.present)
        return;
    if (changes.replace)
        settings = {};
    if (changes.drop_all_settings)
        settings.rules.clear();
    if (changes.drop_all_profiles)
        settings.profiles.clear();
    const auto drop_rule = [&](const std::string& name)
    { std::erase_if(settings.rules, [&](const auto& rule) { return rule.name == name; }); };
    for (const auto& name : changes.drop_settings)
        drop_rule(name);
    for (const auto& name : changes.drop_profiles)
        std::erase(settings.profiles, name);
    for (const auto& element : changes.elements)
    {
        if (!element.profile.empty())
        {
            std::erase(settings.profiles, element.profile);
            settings.profiles.push_back(element.profile);
            continue;
        }
        drop_rule(element.name);
        settings.rules.push_back(rule_of(element));
    }
    for (const auto& element : changes.modified)
    {
        SettingRule change = rule_of(element);
        const auto it = std::find_if(settings.rules.begin(), settings.rules.end(),
                                     [&](const auto& rule) { return rule.name == change.name; });
        if (it == settings.rules.end())
        {
            settings.rules.push_back(std::move(change));
            continue;
        }
        for (auto part : {&SettingRule::value, &SettingRule::min, &SettingRule::max})
            if (change.*part)
                (*it).*part = change.*part;
        if (change.writability)
            it->writability = change.writability;
    }
}

void apply_statement(const AstCreateUser& ast, User& user, RandomSource& random)
{
    if (!ast.storage.empty() && ast.storage != "local_directory")
        throw Error(error_codes::ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND,
                    fmt::format("There is no access storage '{}'", ast.storage));
    std::vector<Credential> made;
    for (const auto& method : ast.authentication)
    {
        made.push_back(credential_of(method, random));
        if (method.valid_until)
            made.back().valid_until_unix_s = valid_until_of(method.valid_until);
    }
    const auto open = [](const Credential& one) { return one.kind == CredentialKind::NoPassword; };
    if (ast.add_identified)
    {
        if (std::any_of(made.begin(), made.end(), open))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The authentication method 'no_password' cannot be added to others");
        std::erase_if(user.credentials, open);
        user.credentials.insert(user.credentials.end(), made.begin(), made.end());
    }
    else if (!made.empty())
    {
        if (made.size() > 1 && std::any_of(made.begin(), made.end(), open))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The authentication method 'no_password' cannot stand beside others");
        user.credentials = std::move(made);
    }
    if (user.credentials.size() > kMaxCredentials)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("A user has at most {} authentication methods", kMaxCredentials));
    if (ast.reset_authentication && !user.credentials.empty())
        user.credentials = {user.credentials.back()};
    if (ast.valid_until)
        for (auto& credential : user.credentials)
            credential.valid_until_unix_s = valid_until_of(ast.valid_until);
    check_hosts(ast.hosts);
    check_hosts(ast.add_hosts);
    const auto is_any = [](const HostRule& rule) { return rule.kind == "ANY"; };
    if (!ast.hosts.empty())
        user.hosts = std::any_of(ast.hosts.begin(), ast.hosts.end(), is_any)
                         ? std::vector<HostRule>()
                         : ast.hosts;
    for (const auto& rule : ast.add_hosts)
    {
        std::erase_if(user.hosts, [](const auto& one) { return one.kind == "NONE"; });
        if (is_any(rule))
            user.hosts.clear();
        else
            user.hosts.push_back(rule);
    }
    for (const auto& rule : ast.drop_hosts)
    {
        std::erase_if(user.hosts, [&](const auto& one)
                      { return one.kind == rule.kind && one.value == rule.value; });
        // No host is left: nobody, which is not the same as any.
        if (user.hosts.empty())
            user.hosts.push_back({"NONE", ""});
    }
    if (ast.has_default_roles)
        user.default_roles = ast.default_roles;
    if (ast.has_default_database)
        user.default_database = ast.default_database;
    if (ast.has_grantees)
        user.grantees = ast.grantees;
    apply_statement(ast.settings, user.settings);
}

AstPtr create_statement(const User& user, bool with_secrets)
{
    auto ast = std::make_shared<AstCreateUser>();
    ast->names.push_back(user.name);
    for (const auto& credential : user.credentials)
        ast->authentication.push_back(method_of(credential, with_secrets));
    ast->hosts = user.hosts;
    if (!user.default_database.empty())
    {
        ast->has_default_database = true;
        ast->default_database = user.default_database;
    }
    const RoleSet& roles = user.default_roles;
    if (!roles.all || !roles.except_names.empty())
    {
        ast->has_default_roles = true;
        ast->default_roles = roles;
        ast->default_roles.none = !roles.all && roles.names.empty();
    }
    const RoleSet& grantees = user.grantees;
    if (!grantees.any || !grantees.except_names.empty())
    {
        ast->has_grantees = true;
        ast->grantees = grantees;
        ast->grantees.none = !grantees.any && grantees.names.empty();
    }
    ast->settings = changes_of(user.settings);
    return ast;
}

AstPtr create_statement(const Role& role)
{
    auto ast = std::make_shared<AstCreateRole>();
    ast->names.push_back(role.name);
    ast->settings = changes_of(role.settings);
    return ast;
}

AstPtr create_statement(const Profile& profile)
{
    auto ast = std::make_shared<AstCreateSettingsProfile>();
    ast->names.push_back(profile.name);
    ast->settings = changes_of(profile.settings);
    ast->to = profile.to;
    return ast;
}

std::vector<AstPtr> grant_statements(const Grantee& grantee)
{
    std::vector<AstPtr> statements;
    for (const auto& element : grantee.rights.elements())
        statements.push_back(grant_of(element, grantee.name));
    for (const bool admin : {false, true})
    {
        auto grant = std::make_shared<AstGrant>();
        grant->admin_option = admin;
        grant->grantees.names.push_back(grantee.name);
        for (const auto& [role, with_admin] : grantee.roles)
            if (with_admin == admin)
                grant->roles.names.push_back(role);
        if (!grant->roles.names.empty())
            statements.push_back(grant);
    }
    return statements;
}

std::vector<GrantElement> grant_elements(const AstGrant& ast, const std::string& current_database)
{
    std::vector<GrantElement> found;
    for (const auto& element : ast.elements)
    {
        if (element.wildcard)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Grants on a prefix of names are not implemented");
        AccessPlace place{element.database, element.table, {}};
        if (!element.any_database && place.database.empty())
            place.database = current_database;
        for (size_t i = 0; i < element.privileges.size(); ++i)
        {
            GrantElement one;
            one.revoke = ast.revoke;
            one.grant_option = ast.grant_option;
            one.privileges = find_privileges(element.privileges[i]);
            one.place = place;
            one.columns = element.columns[i];
            AccessPlace smallest = place;
            if (!one.columns.empty())
                smallest.column = one.columns.front();
            const PrivilegeSet fitting = one.privileges & grantable_on(smallest);
            // A group is cut to what the place can have; one privilege must fit.
            if (fitting.none() && one.privileges.any())
                throw Error(error_codes::INVALID_GRANT,
                            fmt::format("{} cannot be granted on the {} level",
                                        element.privileges[i],
                                        !one.columns.empty()      ? "column"
                                        : !place.table.empty()    ? "table"
                                        : !place.database.empty() ? "database"
                                                                  : "global"));
            one.privileges = fitting;
            found.push_back(std::move(one));
        }
    }
    return found;
}

void apply_grant(const AstGrant& ast, const std::string& current_database, AccessRights& rights)
{
    for (const auto& element : grant_elements(ast, current_database))
    {
        std::vector<std::string> columns = element.columns;
        if (columns.empty())
            columns.emplace_back();
        for (const auto& column : columns)
        {
            AccessPlace place = element.place;
            place.column = column;
            if (element.revoke)
                rights.revoke(element.privileges, place, element.grant_option);
            else
                rights.grant(element.privileges, place, element.grant_option);
        }
    }
}

} // namespace basalt
