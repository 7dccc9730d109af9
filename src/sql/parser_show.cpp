// SHOW in all its forms.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

struct PlainShow
{
    const char* words;
    ShowKind kind;
};

// Forms without more than LIKE, WHERE and LIMIT.
constexpr PlainShow kPlain[] = {
    {"PROCESSLIST", ShowKind::ProcessList},
    {"ENGINES", ShowKind::Engines},
    {"FORMATS", ShowKind::Formats},
    {"MERGES", ShowKind::Merges},
    {"FUNCTIONS", ShowKind::Functions},
    {"FILESYSTEM CACHES", ShowKind::FilesystemCaches},
    {"CLUSTERS", ShowKind::Clusters},
    {"SETTINGS PROFILES", ShowKind::SettingsProfiles},
    {"PROFILES", ShowKind::SettingsProfiles},
    {"SETTINGS", ShowKind::Settings},
    {"USERS", ShowKind::Users},
    {"CURRENT ROLES", ShowKind::CurrentRoles},
    {"ENABLED ROLES", ShowKind::EnabledRoles},
    {"ROLES", ShowKind::Roles},
    {"QUOTAS", ShowKind::Quotas},
    {"CURRENT QUOTA", ShowKind::CurrentQuota},
    {"QUOTA", ShowKind::CurrentQuota},
    {"ACCESS", ShowKind::Access},
    {"PRIVILEGES", ShowKind::Privileges},
    {"DATABASES", ShowKind::Databases},
};

constexpr PlainShow kCreateAccess[] = {
    {"USERS", ShowKind::CreateUser},
    {"USER", ShowKind::CreateUser},
    {"ROLES", ShowKind::CreateRole},
    {"ROLE", ShowKind::CreateRole},
    {"ROW POLICIES", ShowKind::CreateRowPolicy},
    {"ROW POLICY", ShowKind::CreateRowPolicy},
    {"POLICIES", ShowKind::CreateRowPolicy},
    {"POLICY", ShowKind::CreateRowPolicy},
    {"QUOTAS", ShowKind::CreateQuota},
    {"QUOTA", ShowKind::CreateQuota},
    {"SETTINGS PROFILES", ShowKind::CreateSettingsProfile},
    {"SETTINGS PROFILE", ShowKind::CreateSettingsProfile},
    {"PROFILES", ShowKind::CreateSettingsProfile},
    {"PROFILE", ShowKind::CreateSettingsProfile},
};

} // namespace

AstPtr Parser::parse_show()
{
    const size_t begin = mark();
    expect_word("SHOW");
    auto show = std::make_shared<AstShow>();
    const auto parse_filter = [&]
    {
        parse_like(show->like, show->not_like, show->case_insensitive_like);
        if (show->like == nullptr && accept_word("WHERE"))
            show->where = parse_expression();
        if (accept_word("LIMIT"))
            show->limit = parse_expression();
        return finish(show, begin);
    };

    if (accept_word("CREATE") || peek_words("TABLE") || peek_words("DATABASE"))
    {
        show->temporary = accept_word("TEMPORARY");
        for (const PlainShow& one : kCreateAccess)
        {
            if (!peek_words(one.words))
                continue;
            accept_word(one.words);
            show->show = one.kind;
            while (peek_identifier() || peek_is(TokenType::String))
            {
                show->names.push_back(parse_user_name());
                if (!accept(TokenType::Comma))
                    break;
            }
            if (one.kind == ShowKind::CreateRowPolicy && accept_word("ON"))
                parse_table_name_into(show->name);
            return finish(std::move(show), begin);
        }
        if (accept_word("DATABASE"))
        {
            show->show = ShowKind::CreateDatabase;
            parse_database_name(show->name.database, show->name.database_parameter);
            return finish(std::move(show), begin);
        }
        show->show = ShowKind::CreateTable;
        const bool name_follows = peek_identifier(1) || peek_is(TokenType::OpenCurly, 1);
        if (name_follows && accept_word("VIEW"))
            show->show = ShowKind::CreateView;
        else if (name_follows && accept_word("DICTIONARY"))
            show->show = ShowKind::CreateDictionary;
        else if (name_follows && accept_word("FUNCTION"))
            show->show = ShowKind::CreateFunction;
        else if (name_follows && accept_word("TEMPORARY TABLE"))
            show->temporary = true;
        else if (name_follows)
            accept_word("TABLE");
        parse_table_name_into(show->name);
        return finish(std::move(show), begin);
    }

    if (accept_word("SETTING"))
    {
        show->show = ShowKind::Setting;
        show->names.push_back(parse_identifier());
        return finish(std::move(show), begin);
    }
    if (accept_word("CLUSTER"))
    {
        show->show = ShowKind::Cluster;
        show->names.push_back(parse_name_or_string());
        return finish(std::move(show), begin);
    }
    if (accept_word("GRANTS"))
    {
        show->show = ShowKind::Grants;
        if (accept_word("FOR"))
        {
            do
                show->names.push_back(parse_user_name());
            while (accept(TokenType::Comma));
        }
        show->with_implicit = accept_word("WITH IMPLICIT");
        show->with_final = accept_word("FINAL");
        return finish(std::move(show), begin);
    }
    if (accept_word("ROW POLICIES") || accept_word("POLICIES"))
    {
        show->show = ShowKind::RowPolicies;
        if (accept_word("ON"))
            parse_table_name_into(show->name);
        return finish(std::move(show), begin);
    }
    if (accept_word("NAMED COLLECTIONS"))
        not_implemented("SHOW NAMED COLLECTIONS");

    show->changed = accept_word("CHANGED");
    for (const PlainShow& one : kPlain)
    {
        if (accept_word(one.words))
        {
            show->show = one.kind;
            return parse_filter();
        }
    }
    show->extended = accept_word("EXTENDED");
    show->full = accept_word("FULL");
    show->temporary = accept_word("TEMPORARY");
    if (accept_word("TABLES") || accept_word("DICTIONARIES"))
    {
        show->show = equals_ignoring_case(token_text(tokens_[position_ - 1]), "TABLES")
                         ? ShowKind::Tables
                         : ShowKind::Dictionaries;
        if (accept_word("FROM") || accept_word("IN"))
            parse_database_name(show->database, show->name.database_parameter);
        return parse_filter();
    }
    if (accept_word("COLUMNS") || accept_word("FIELDS"))
        show->show = ShowKind::Columns;
    else if (accept_word("INDEXES") || accept_word("INDEX") || accept_word("INDICES") ||
             accept_word("KEYS"))
        show->show = ShowKind::Indexes;
    else
        fail();
    if (!accept_word("FROM"))
        expect_word("IN");
    parse_table_name_into(show->name);
    if (accept_word("FROM") || accept_word("IN"))
        show->name.database = parse_identifier();
    return parse_filter();
}

} // namespace basalt
