// CREATE and ATTACH of tables and views.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

AstPtr Parser::parse_create(bool attach)
{
    const size_t begin = mark();
    advance(); // CREATE, ATTACH or REPLACE
    auto create = std::make_shared<AstCreateTable>();
    create->attach = attach;
    if (token_text(tokens_[begin]).size() == 7) // REPLACE
        create->replace_table = true;
    const bool or_replace = !create->replace_table && accept_word("OR REPLACE");
    create->create_or_replace = or_replace;

    if (!attach && !create->replace_table)
    {
        if (AstPtr access = parse_access_create(begin, AccessVerb::Create, or_replace))
            return access;
        if (peek_word("INDEX") || peek_words("UNIQUE INDEX"))
            return parse_create_index(begin);
        if (accept_word("FUNCTION"))
            return parse_create_function(begin, or_replace);
        for (const char* what : {"NAMED COLLECTION", "WORKLOAD", "RESOURCE", "LIVE VIEW",
                                 "WINDOW VIEW", "TYPE", "MODEL"})
            if (peek_words(what))
                not_implemented(std::string("CREATE ") + what);
    }
    if (accept_word("DATABASE"))
        return parse_create_database(begin, attach);
    if (accept_word("DICTIONARY"))
        return parse_create_dictionary(begin, attach, or_replace || create->replace_table);
    if (accept_word("TEMPORARY"))
        create->temporary = true;
    if (accept_word("MATERIALIZED VIEW"))
    {
        create->create = CreateKind::MaterializedView;
        return parse_create_view(begin, std::move(create));
    }
    if (accept_word("VIEW"))
    {
        create->create = CreateKind::View;
        return parse_create_view(begin, std::move(create));
    }
    if (!accept_word("TABLE"))
    {
        for (const char* what : {"USER", "ROLE", "QUOTA", "ROW POLICY", "SETTINGS PROFILE"})
            expected(what);
        fail();
    }
    return parse_create_table(begin, std::move(create));
}

void Parser::parse_create_name(AstCreateTable& create)
{
    if (accept_word("IF NOT EXISTS"))
        create.if_not_exists = true;
    parse_table_name_into(create.name);
    create.uuid = parse_uuid();
    create.cluster = parse_on_cluster();
}

AstPtr Parser::parse_create_table(size_t begin, std::shared_ptr<AstCreateTable> create)
{
    parse_create_name(*create);
    if (create->attach)
    {
        if (accept_word("FROM"))
            create->attach_from = parse_string_literal();
        else if (accept_word("AS NOT REPLICATED"))
            create->has_attach_as = true;
        else if (accept_word("AS REPLICATED"))
            create->has_attach_as = create->attach_as_replicated = true;
    }
    if (accept(TokenType::OpenRound))
    {
        create->has_columns = true;
        parse_table_elements(*create);
    }
    const auto merge_storage = [&](AstPtr storage)
    {
        // PRIMARY KEY of the list of columns is there already.
        auto* fresh = storage == nullptr ? nullptr : storage->as<AstStorage>();
        if (create->storage == nullptr || fresh == nullptr)
        {
            if (fresh != nullptr)
                create->storage = std::move(storage);
            return;
        }
        if (fresh->primary_key != nullptr)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Multiple primary keys are not allowed");
        fresh->primary_key = create->storage->as<AstStorage>()->primary_key;
        create->storage = std::move(storage);
    };
    const auto parse_comment = [&]
    {
        if (create->comment == nullptr && accept_word("COMMENT"))
            create->comment = parse_string_literal();
    };
    merge_storage(parse_storage());
    parse_comment();
    if (accept_word("CLONE AS"))
    {
        create->clone = true;
        parse_table_name_into(create->as_table);
        merge_storage(parse_storage());
    }
    else if (peek_word("AS") || peek_words("EMPTY AS"))
    {
        create->empty = accept_word("EMPTY");
        advance();
        if (peek_subquery(0) || peek_is(TokenType::OpenRound))
            create->select = parse_select_union();
        else if (create->empty)
            fail("SELECT");
        else if (peek_identifier() && peek_is(TokenType::OpenRound, 1))
            create->as_table_function = parse_table_function();
        else
        {
            parse_table_name_into(create->as_table);
            merge_storage(parse_storage());
        }
    }
    parse_comment();
    return finish(std::move(create), begin);
}

bool Parser::parse_sql_security(std::string& security, std::string& definer)
{
    if (accept_word("SQL SECURITY"))
    {
        if (accept_word("DEFINER"))
            security = "DEFINER";
        else if (accept_word("INVOKER"))
            security = "INVOKER";
        else
        {
            expect_word("NONE");
            security = "NONE";
        }
        return true;
    }
    if (peek_word("DEFINER") && peek_is(TokenType::Equals, 1))
    {
        position_ += 2;
        definer = accept_word("CURRENT_USER") ? "CURRENT_USER" : parse_user_name();
        return true;
    }
    return false;
}

// REFRESH EVERY 1 DAY [2 HOUR ..] [OFFSET ..] [RANDOMIZE FOR ..] [DEPENDS ON ..] [SETTINGS ..]
// [APPEND]
AstPtr Parser::parse_refresh()
{
    const size_t begin = mark();
    expect_word("REFRESH");
    auto refresh = std::make_shared<AstRefreshStrategy>();
    const auto parse_period = [&]() -> AstPtr
    {
        const size_t at = mark();
        auto tuple = std::make_shared<AstFunction>("tuple");
        std::string unit;
        do
        {
            const size_t part = mark();
            AstPtr amount = parse_number_literal();
            if (!peek_interval_unit(unit))
                fail("interval kind");
            advance();
            tuple->arguments.push_back(
                finish(make_ast_function("toInterval" + unit, std::move(amount)), part));
        } while (peek_is(TokenType::Number));
        if (tuple->arguments.size() == 1)
            return tuple->arguments.front();
        return finish(std::move(tuple), at);
    };
    if (accept_word("AFTER"))
        refresh->after = true;
    else
        expect_word("EVERY");
    refresh->period = parse_period();
    if (!refresh->after && accept_word("OFFSET"))
        refresh->offset = parse_period();
    if (accept_word("RANDOMIZE FOR"))
        refresh->randomize = parse_period();
    if (accept_word("DEPENDS ON"))
    {
        do
            refresh->depends_on.push_back(parse_table_name());
        while (accept(TokenType::Comma));
    }
    if (accept_word("SETTINGS"))
        refresh->settings = parse_settings();
    if (accept_word("APPEND"))
        refresh->append = true;
    return finish(std::move(refresh), begin);
}

AstPtr Parser::parse_create_view(size_t begin, std::shared_ptr<AstCreateTable> create)
{
    parse_create_name(*create);
    const auto parse_security = [&]
    {
        while (parse_sql_security(create->sql_security, create->definer))
        {
        }
    };
    const auto parse_comment = [&]
    {
        if (create->comment == nullptr && accept_word("COMMENT"))
            create->comment = parse_string_literal();
    };
    const auto parse_columns = [&]
    {
        if (create->has_columns || !create->column_names.empty() ||
            !peek_is(TokenType::OpenRound))
            return;
        // (a, b): names alone.
        size_t ahead = 1;
        while (peek_identifier(ahead) && peek_is(TokenType::Comma, ahead + 1))
            ahead += 2;
        const bool names =
            peek_identifier(ahead) && peek_is(TokenType::CloseRound, ahead + 1);
        advance();
        if (!names)
        {
            create->has_columns = true;
            parse_table_elements(*create);
            return;
        }
        do
            create->column_names.push_back(parse_identifier());
        while (accept(TokenType::Comma));
        expect(TokenType::CloseRound);
    };
    if (create->create == CreateKind::MaterializedView)
    {
        if (peek_word("REFRESH"))
            create->refresh = parse_refresh();
        parse_security();
        if (accept_word("TO INNER UUID"))
            create->to_uuid = parse_string();
        else if (accept_word("TO"))
            parse_table_name_into(create->to_table);
    }
    parse_security();
    parse_columns();
    parse_security();
    if (create->create == CreateKind::MaterializedView)
    {
        create->storage = parse_storage();
        parse_security();
        if (accept_word("POPULATE"))
            create->populate = true;
        else if (accept_word("EMPTY"))
            create->empty = true;
    }
    parse_comment();
    parse_security();
    if (create->attach && at_end())
        return finish(std::move(create), begin);
    expect_word("AS");
    create->select = parse_select_union();
    parse_comment();
    return finish(std::move(create), begin);
}

AstPtr Parser::parse_create_index(size_t begin)
{
    const bool unique = accept_word("UNIQUE");
    expect_word("INDEX");
    auto command = std::make_shared<AstAlterCommand>();
    command->action = AlterAction::AddIndex;
    command->if_not_exists = accept_word("IF NOT EXISTS");
    const size_t at = mark();
    auto index = std::make_shared<AstIndexDeclaration>();
    index->unique = unique;
    index->name = parse_identifier();
    expect_word("ON");
    auto alter = std::make_shared<AstAlter>();
    alter->create_or_drop_index = true;
    parse_table_name_into(alter->table);
    alter->cluster = parse_on_cluster();
    index->expression = parse_expression();
    index->expression->parenthesized = false;
    if (accept_word("TYPE"))
        index->type = parse_simple_function();
    if (accept_word("GRANULARITY"))
        index->granularity = parse_number_literal();
    else
        index->granularity = AstLiteral::unsigned_number(1);
    command->declaration = finish(std::move(index), at);
    alter->commands.push_back(finish(std::move(command), at));
    return finish(std::move(alter), begin);
}

AstPtr Parser::parse_create_database(size_t begin, bool attach)
{
    auto create = std::make_shared<AstCreateDatabase>();
    create->attach = attach;
    create->if_not_exists = accept_word("IF NOT EXISTS");
    parse_database_name(create->name, create->name_parameter);
    create->uuid = parse_uuid();
    create->cluster = parse_on_cluster();
    create->storage = parse_storage();
    if (accept_word("COMMENT"))
        create->comment = parse_string_literal();
    return finish(std::move(create), begin);
}

AstPtr Parser::parse_create_function(size_t begin, bool or_replace)
{
    auto create = std::make_shared<AstCreateFunction>();
    create->or_replace = or_replace;
    create->if_not_exists = accept_word("IF NOT EXISTS");
    create->name = parse_identifier();
    create->cluster = parse_on_cluster();
    expect_word("AS");
    AstPtr lambda = parse_expression();
    if (lambda->as<AstLambda>() == nullptr)
        fail("lambda expression");
    create->lambda = std::move(lambda);
    return finish(std::move(create), begin);
}

} // namespace basalt
