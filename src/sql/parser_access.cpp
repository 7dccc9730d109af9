// GRANT, REVOKE, SET ROLE, and CREATE / ALTER / DROP of users, roles, row policies, quotas and
// settings profiles.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

// name, 'name', name@host, name@'host'
std::string Parser::parse_user_name()
{
    std::string name = parse_name_or_string();
    if (accept(TokenType::At, "@"))
        name += "@" + parse_name_or_string();
    return name;
}

RoleSet Parser::parse_role_set()
{
    RoleSet set;
    if (accept_word("NONE"))
    {
        set.none = true;
        return set;
    }
    if (accept_word("ALL"))
        set.all = true;
    else if (accept_word("ANY"))
        set.any = true;
    else
    {
        do
        {
            if (accept_word("CURRENT_USER"))
            {
                set.current_user = true;
                if (accept(TokenType::OpenRound))
                    expect(TokenType::CloseRound);
            }
            else
                set.names.push_back(parse_user_name());
        } while (accept(TokenType::Comma));
    }
    if (accept_word("EXCEPT"))
    {
        do
        {
            if (accept_word("CURRENT_USER"))
                set.except_current_user = true;
            else
                set.except_names.push_back(parse_user_name());
        } while (accept(TokenType::Comma));
    }
    return set;
}

AstPtr Parser::parse_set_role()
{
    const size_t begin = mark();
    expect_word("SET");
    auto node = std::make_shared<AstSetRole>();
    if (accept_word("DEFAULT ROLE"))
    {
        node->action = AstSetRole::Action::SetDefaultRole;
        node->roles = parse_role_set();
        expect_word("TO");
        node->to = parse_role_set();
        return finish(std::move(node), begin);
    }
    expect_word("ROLE");
    if (accept_word("DEFAULT"))
        node->action = AstSetRole::Action::SetRoleDefault;
    else
        node->roles = parse_role_set();
    return finish(std::move(node), begin);
}

// SELECT(a, b), ALTER ADD COLUMN ON db.*
AccessElement Parser::parse_access_element()
{
    AccessElement element;
    do
    {
        std::string words;
        while (peek_is(TokenType::Word) && !peek_word("ON"))
        {
            words += (words.empty() ? "" : " ") + to_upper(token_text(peek()));
            advance();
        }
        if (words.empty())
            fail("privilege");
        element.privileges.push_back(std::move(words));
        element.columns.emplace_back();
        if (accept(TokenType::OpenRound))
        {
            do
                element.columns.back().push_back(parse_identifier());
            while (accept(TokenType::Comma));
            expect(TokenType::CloseRound);
        }
    } while (accept(TokenType::Comma));
    expect_word("ON");
    const auto parse_part = [&](std::string& text, bool& any)
    {
        if (accept(TokenType::Asterisk))
        {
            any = true;
            return;
        }
        text = parse_identifier();
        if (accept(TokenType::Asterisk))
            element.wildcard = true;
    };
    std::string first;
    bool any_first = false;
    parse_part(first, any_first);
    if (!accept(TokenType::Dot))
    {
        element.table = std::move(first);
        element.any_table = any_first;
        return element;
    }
    element.database = std::move(first);
    element.any_database = any_first;
    parse_part(element.table, element.any_table);
    return element;
}

AstPtr Parser::parse_grant(bool revoke)
{
    const size_t begin = mark();
    advance();
    auto grant = std::make_shared<AstGrant>();
    grant->revoke = revoke;
    grant->cluster = parse_on_cluster();
    if (revoke)
    {
        if (accept_word("GRANT OPTION FOR"))
            grant->grant_option = true;
        else if (accept_word("ADMIN OPTION FOR"))
            grant->admin_option = true;
    }
    if (peek_words("CURRENT GRANTS"))
        not_implemented("GRANT CURRENT GRANTS");

    // Privileges have an ON before the TO or FROM; roles have none.
    bool privileges = false;
    for (size_t ahead = 0;; ++ahead)
    {
        const TokenType type = peek(ahead).type;
        if (type == TokenType::End || type == TokenType::Semicolon ||
            peek_word(revoke ? "FROM" : "TO", ahead))
            break;
        if (peek_word("ON", ahead))
        {
            privileges = true;
            break;
        }
    }
    if (!privileges)
        grant->roles = parse_role_set();
    else
    {
        do
            grant->elements.push_back(parse_access_element());
        while (accept(TokenType::Comma));
    }
    if (grant->cluster.empty())
        grant->cluster = parse_on_cluster();
    expect_word(revoke ? "FROM" : "TO");
    grant->grantees = parse_role_set();
    while (!revoke)
    {
        if (accept_word("WITH GRANT OPTION"))
            grant->grant_option = true;
        else if (accept_word("WITH ADMIN OPTION"))
            grant->admin_option = true;
        else if (accept_word("WITH REPLACE OPTION"))
            grant->with_replace = true;
        else
            break;
    }
    return finish(std::move(grant), begin);
}

// a = 1 MIN 0 MAX 5 READONLY, PROFILE 'p', INHERIT 'p'
std::vector<ProfileElement> Parser::parse_profile_elements()
{
    std::vector<ProfileElement> elements;
    if (accept_word("NONE"))
        return elements;
    do
    {
        ProfileElement element;
        if ((peek_word("PROFILE") || peek_word("INHERIT")) && !peek_is(TokenType::Equals, 1))
        {
            advance();
            element.profile = parse_name_or_string();
        }
        else
        {
            element.name = parse_compound_name();
            while (true)
            {
                if (accept(TokenType::Equals))
                    element.value = parse_setting_value();
                else if (accept_word("MIN"))
                {
                    accept(TokenType::Equals);
                    element.min = parse_setting_value();
                }
                else if (accept_word("MAX"))
                {
                    accept(TokenType::Equals);
                    element.max = parse_setting_value();
                }
                else if (accept_word("READONLY") || accept_word("CONST"))
                    element.writability = "CONST";
                else if (accept_word("WRITABLE"))
                    element.writability = "WRITABLE";
                else if (accept_word("CHANGEABLE_IN_READONLY"))
                    element.writability = "CHANGEABLE_IN_READONLY";
                else
                    break;
            }
        }
        elements.push_back(std::move(element));
    } while (peek_is(TokenType::Comma) && !peek_word("DROP", 1) && !peek_word("ADD", 1) &&
             !peek_word("MODIFY", 1) && accept(TokenType::Comma));
    return elements;
}

// One clause of the SETTINGS family; false when there is none here.
bool Parser::parse_profile_changes(ProfileChanges& changes, AccessVerb verb)
{
    if (accept_word("SETTINGS") || accept_word("SETTING"))
    {
        changes.present = true;
        changes.replace = verb == AccessVerb::Alter;
        changes.elements = parse_profile_elements();
        return true;
    }
    if (verb != AccessVerb::Alter)
        return false;
    const auto parse_names = [&](std::vector<std::string>& names)
    {
        do
            names.push_back(parse_name_or_string());
        while (peek_is(TokenType::Comma) && !peek_word("DROP", 1) && !peek_word("ADD", 1) &&
               !peek_word("MODIFY", 1) && accept(TokenType::Comma));
    };
    const auto append = [](std::vector<ProfileElement>& to, std::vector<ProfileElement> from)
    {
        for (ProfileElement& one : from)
            to.push_back(std::move(one));
    };
    const auto parse_profiles = [&]
    {
        std::vector<std::string> names;
        parse_names(names);
        for (std::string& name : names)
        {
            ProfileElement element;
            element.profile = std::move(name);
            changes.elements.push_back(std::move(element));
        }
    };
    if (accept_word("DROP ALL SETTINGS"))
        changes.drop_all_settings = true;
    else if (accept_word("DROP ALL PROFILES"))
        changes.drop_all_profiles = true;
    else if (accept_word("DROP SETTINGS") || accept_word("DROP SETTING"))
        parse_names(changes.drop_settings);
    else if (accept_word("DROP PROFILES") || accept_word("DROP PROFILE"))
        parse_names(changes.drop_profiles);
    else if (accept_word("ADD SETTINGS") || accept_word("ADD SETTING"))
        append(changes.elements, parse_profile_elements());
    else if (accept_word("MODIFY SETTINGS") || accept_word("MODIFY SETTING"))
        append(changes.modified, parse_profile_elements());
    else if (accept_word("ADD PROFILES") || accept_word("ADD PROFILE"))
        parse_profiles();
    else
        return false;
    changes.present = true;
    accept(TokenType::Comma);
    return true;
}

// IF [NOT] EXISTS | OR REPLACE, then the caller's names.
template <class Node>
void Parser::parse_access_head(Node& node)
{
    if (node.verb == AccessVerb::Alter)
        node.if_exists = accept_word("IF EXISTS");
    else if (accept_word("IF NOT EXISTS"))
        node.if_not_exists = true;
    else if (accept_word("OR REPLACE"))
        node.or_replace = true;
}

AstPtr Parser::parse_access_create(size_t begin, AccessVerb verb, bool or_replace)
{
    const auto prepare = [&](auto node)
    {
        node->verb = verb;
        node->or_replace = or_replace;
        parse_access_head(*node);
        return node;
    };
    if (accept_word("USER"))
        return parse_create_user(begin, prepare(std::make_shared<AstCreateUser>()));
    if (accept_word("ROLE"))
        return parse_create_role(begin, prepare(std::make_shared<AstCreateRole>()));
    if (accept_word("ROW POLICY") || accept_word("POLICY"))
        return parse_create_row_policy(begin, prepare(std::make_shared<AstCreateRowPolicy>()));
    if (accept_word("QUOTA"))
        return parse_create_quota(begin, prepare(std::make_shared<AstCreateQuota>()));
    if (accept_word("SETTINGS PROFILE") || accept_word("PROFILE"))
        return parse_create_profile(begin,
                                    prepare(std::make_shared<AstCreateSettingsProfile>()));
    return nullptr;
}

AstPtr Parser::parse_access_drop(size_t begin)
{
    auto drop = std::make_shared<AstDropAccess>();
    if (accept_word("USER"))
        drop->entity = AccessEntity::User;
    else if (accept_word("ROLE"))
        drop->entity = AccessEntity::Role;
    else if (accept_word("ROW POLICY") || accept_word("POLICY"))
        drop->entity = AccessEntity::RowPolicy;
    else if (accept_word("QUOTA"))
        drop->entity = AccessEntity::Quota;
    else if (accept_word("SETTINGS PROFILE") || accept_word("PROFILE"))
        drop->entity = AccessEntity::SettingsProfile;
    else
        return nullptr;
    drop->if_exists = accept_word("IF EXISTS");
    const bool policy = drop->entity == AccessEntity::RowPolicy;
    do
        drop->names.push_back(parse_user_name());
    while (accept(TokenType::Comma));
    if (policy)
    {
        expect_word("ON");
        do
            drop->tables.push_back(parse_policy_table());
        while (accept(TokenType::Comma));
    }
    drop->cluster = parse_on_cluster();
    if (accept_word("FROM"))
        drop->storage = parse_identifier();
    return finish(std::move(drop), begin);
}

// t, db.t, db.*
AstTableName Parser::parse_policy_table()
{
    AstTableName table;
    table.table = parse_identifier();
    if (accept(TokenType::Dot))
    {
        table.database = std::move(table.table);
        if (accept(TokenType::Asterisk))
            table.table = "*";
        else
            table.table = parse_identifier();
    }
    return table;
}

AstPtr Parser::parse_create_role(size_t begin, std::shared_ptr<AstCreateRole> role)
{
    do
        role->names.push_back(parse_user_name());
    while (accept(TokenType::Comma));
    while (true)
    {
        if (role->new_name.empty() && role->verb == AccessVerb::Alter && accept_word("RENAME TO"))
            role->new_name = parse_user_name();
        else if (role->cluster.empty() && peek_words("ON CLUSTER"))
            role->cluster = parse_on_cluster();
        else if (role->storage.empty() && accept_word("IN"))
            role->storage = parse_identifier();
        else if (!parse_profile_changes(role->settings, role->verb))
            break;
    }
    return finish(std::move(role), begin);
}

AstPtr Parser::parse_create_profile(size_t begin,
                                    std::shared_ptr<AstCreateSettingsProfile> profile)
{
    do
        profile->names.push_back(parse_user_name());
    while (accept(TokenType::Comma));
    while (true)
    {
        if (profile->new_name.empty() && profile->verb == AccessVerb::Alter &&
            accept_word("RENAME TO"))
            profile->new_name = parse_user_name();
        else if (profile->cluster.empty() && peek_words("ON CLUSTER"))
            profile->cluster = parse_on_cluster();
        else if (profile->storage.empty() && accept_word("IN"))
            profile->storage = parse_identifier();
        else if (profile->to.empty() && accept_word("TO"))
            profile->to = parse_role_set();
        else if (!parse_profile_changes(profile->settings, profile->verb))
            break;
    }
    return finish(std::move(profile), begin);
}

AstPtr Parser::parse_create_row_policy(size_t begin, std::shared_ptr<AstCreateRowPolicy> policy)
{
    // p1, p2 ON t | p1 ON a, p2 ON b
    do
    {
        policy->names.push_back(parse_user_name());
        if (accept_word("ON"))
        {
            do
                policy->tables.push_back(parse_policy_table());
            while (peek_is(TokenType::Comma) && !peek_word("ON", 2) && policy->names.size() == 1 &&
                   accept(TokenType::Comma));
        }
    } while (accept(TokenType::Comma));
    if (policy->tables.empty())
        fail("ON");
    while (true)
    {
        if (policy->new_name.empty() && policy->verb == AccessVerb::Alter &&
            accept_word("RENAME TO"))
            policy->new_name = parse_user_name();
        else if (policy->cluster.empty() && peek_words("ON CLUSTER"))
            policy->cluster = parse_on_cluster();
        else if (policy->storage.empty() && accept_word("IN"))
            policy->storage = parse_identifier();
        else if (!policy->has_restrictive && accept_word("AS"))
        {
            policy->has_restrictive = true;
            policy->restrictive = accept_word("RESTRICTIVE");
            if (!policy->restrictive)
                expect_word("PERMISSIVE");
        }
        else if (accept_word("FOR"))
            expect_word("SELECT");
        else if (!policy->has_filter && accept_word("USING"))
        {
            policy->has_filter = true;
            if (!accept_word("NONE"))
                policy->filter = parse_expression();
        }
        else if (policy->to.empty() && accept_word("TO"))
            policy->to = parse_role_set();
        else
            break;
    }
    return finish(std::move(policy), begin);
}

AstPtr Parser::parse_create_quota(size_t begin, std::shared_ptr<AstCreateQuota> quota)
{
    do
        quota->names.push_back(parse_user_name());
    while (accept(TokenType::Comma));
    while (true)
    {
        if (quota->new_name.empty() && quota->verb == AccessVerb::Alter &&
            accept_word("RENAME TO"))
            quota->new_name = parse_user_name();
        else if (quota->cluster.empty() && peek_words("ON CLUSTER"))
            quota->cluster = parse_on_cluster();
        else if (quota->storage.empty() && accept_word("IN"))
            quota->storage = parse_identifier();
        else if (accept_word("NOT KEYED"))
            quota->not_keyed = true;
        else if (quota->keys.empty() && (accept_word("KEYED BY") || accept_word("KEY BY")))
        {
            do
                quota->keys.push_back(parse_name_or_string());
            while (accept(TokenType::Comma));
        }
        else if (accept_word("FOR"))
        {
            do
            {
                accept_word("FOR");
                QuotaLimits limits;
                limits.randomized = accept_word("RANDOMIZED");
                accept_word("INTERVAL");
                limits.duration = parse_number_literal();
                std::string unit;
                if (!peek_interval_unit(unit))
                    fail("interval kind");
                limits.unit = to_upper(unit);
                advance();
                if (accept_word("NO LIMITS"))
                    limits.no_limits = true;
                else if (accept_word("TRACKING ONLY"))
                    limits.tracking_only = true;
                else
                {
                    accept_word("MAX");
                    do
                    {
                        accept_word("MAX");
                        std::string name = parse_identifier();
                        while (peek_is(TokenType::Word))
                        {
                            name += "_" + std::string(token_text(peek()));
                            advance();
                        }
                        accept(TokenType::Equals);
                        limits.limits.emplace_back(std::move(name), parse_literal());
                    } while (peek_is(TokenType::Comma) && !peek_word("FOR", 1) &&
                             accept(TokenType::Comma));
                }
                quota->intervals.push_back(std::move(limits));
            } while (accept(TokenType::Comma));
        }
        else if (quota->to.empty() && accept_word("TO"))
            quota->to = parse_role_set();
        else
            break;
    }
    return finish(std::move(quota), begin);
}

} // namespace basalt
