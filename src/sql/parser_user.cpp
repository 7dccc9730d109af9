// CREATE USER and ALTER USER.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

// After IDENTIFIED.
void Parser::parse_authentication(AstCreateUser& user)
{
    const bool with = accept_word("WITH");
    do
    {
        AuthenticationMethod method;
        if (with && !peek_word("BY"))
        {
            method.type = parse_identifier();
            for (char& c : method.type)
                c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        }
        // BY 'secret', SERVER 's', REALM 'r', CN 'a', 'b', SALT 's', SCHEME 's' and so on.
        while (true)
        {
            const char* found = nullptr;
            for (const char* word :
                 {"BY", "SALT", "SERVER", "REALM", "CN", "SAN", "SCHEME", "CLAIMS"})
            {
                if (peek_word(word) && peek_is(TokenType::String, 1))
                {
                    found = word;
                    advance();
                    break;
                }
            }
            if (found == nullptr)
            {
                if (peek_words("BY KEY"))
                    not_implemented("IDENTIFIED WITH ssh_key");
                break;
            }
            do
            {
                method.argument_words.emplace_back(found);
                method.arguments.push_back(parse_string_literal());
            } while (peek_is(TokenType::Comma) && peek_is(TokenType::String, 1) &&
                     accept(TokenType::Comma));
        }
        if (method.type.empty() && method.arguments.empty())
            fail("BY");
        if (accept_word("VALID UNTIL"))
            method.valid_until = parse_string_literal();
        user.authentication.push_back(std::move(method));
        if (!peek_is(TokenType::Comma) || !peek_is(TokenType::Word, 1))
            break;
    } while (accept(TokenType::Comma));
}

// After HOST.
void Parser::parse_hosts(AstCreateUser& user)
{
    do
    {
        HostRule rule;
        for (const char* word : {"ANY", "NONE", "LOCAL", "NAME REGEXP", "REGEXP", "NAME", "IP",
                                 "LIKE"})
        {
            if (accept_word(word))
            {
                rule.kind = word;
                break;
            }
        }
        if (rule.kind.empty())
            fail();
        if (rule.kind == "NAME REGEXP")
            rule.kind = "REGEXP";
        if (rule.kind != "ANY" && rule.kind != "NONE" && rule.kind != "LOCAL")
        {
            rule.value = parse_string();
            while (peek_is(TokenType::Comma) && peek_is(TokenType::String, 1))
            {
                user.hosts.push_back(rule);
                advance();
                rule.value = parse_string();
            }
        }
        user.hosts.push_back(std::move(rule));
    } while (peek_is(TokenType::Comma) && !peek_word("SETTINGS", 1) && accept(TokenType::Comma));
}

AstPtr Parser::parse_create_user(size_t begin, std::shared_ptr<AstCreateUser> user)
{
    do
        user->names.push_back(parse_user_name());
    while (accept(TokenType::Comma));
    const bool alter = user->verb == AccessVerb::Alter;
    const auto parse_changed_hosts = [&](std::vector<HostRule>& target)
    {
        std::vector<HostRule> plain = std::move(user->hosts);
        user->hosts.clear();
        parse_hosts(*user);
        for (HostRule& one : user->hosts)
            target.push_back(std::move(one));
        user->hosts = std::move(plain);
    };
    while (true)
    {
        if (alter && user->new_name.empty() && accept_word("RENAME TO"))
            user->new_name = parse_user_name();
        else if (user->cluster.empty() && peek_words("ON CLUSTER"))
            user->cluster = parse_on_cluster();
        else if (user->storage.empty() && accept_word("IN"))
            user->storage = parse_identifier();
        else if (user->authentication.empty() && accept_word("NOT IDENTIFIED"))
        {
            AuthenticationMethod method;
            method.type = "no_password";
            user->authentication.push_back(std::move(method));
        }
        else if (user->authentication.empty() && accept_word("IDENTIFIED"))
            parse_authentication(*user);
        else if (alter && user->authentication.empty() && accept_word("ADD IDENTIFIED"))
        {
            user->add_identified = true;
            parse_authentication(*user);
        }
        else if (alter && accept_word("RESET AUTHENTICATION METHODS TO NEW"))
            user->reset_authentication = true;
        else if (alter && accept_word("ADD HOST"))
            parse_changed_hosts(user->add_hosts);
        else if (alter && accept_word("DROP HOST"))
            parse_changed_hosts(user->drop_hosts);
        else if (user->hosts.empty() && accept_word("HOST"))
            parse_hosts(*user);
        else if (user->valid_until == nullptr && accept_word("VALID UNTIL"))
            user->valid_until = parse_string_literal();
        else if (!user->has_default_roles && accept_word("DEFAULT ROLE"))
        {
            user->has_default_roles = true;
            user->default_roles = parse_role_set();
        }
        else if (!user->has_default_database && accept_word("DEFAULT DATABASE"))
        {
            user->has_default_database = true;
            user->default_database = accept_word("NONE") ? std::string() : parse_identifier();
        }
        else if (!user->has_grantees && accept_word("GRANTEES"))
        {
            user->has_grantees = true;
            user->grantees = parse_role_set();
        }
        else if (!parse_profile_changes(user->settings, user->verb))
            break;
    }
    return finish(std::move(user), begin);
}

} // namespace basalt
