// Dispatch by the first word, output clauses, INSERT, EXPLAIN, SET, and the public entry points.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

namespace
{

bool may_have_output(AstKind kind)
{
    return kind != AstKind::Insert && kind != AstKind::SetQuery && kind != AstKind::Use &&
           kind != AstKind::Transaction && kind != AstKind::SetRole;
}

} // namespace

AstPtr Parser::parse_any_statement()
{
    const DepthGuard guard(*this);
    if (peek_is(TokenType::OpenRound))
        return parse_select_union();
    if (peek_word("SELECT") || peek_word("WITH") || peek_word("FROM"))
        return parse_select_union();
    if (peek_word("INSERT"))
        return parse_insert();
    if (peek_word("EXPLAIN"))
        return parse_explain();
    if (peek_word("CREATE"))
        return parse_create(false);
    if (peek_word("ATTACH"))
        return parse_create(true);
    if (peek_words("REPLACE TABLE") || peek_words("REPLACE TEMPORARY TABLE") ||
        peek_words("REPLACE DICTIONARY"))
        return parse_create(false);
    if (peek_word("ALTER"))
        return parse_alter();
    if (peek_word("DROP") || peek_word("DETACH") || peek_word("TRUNCATE") || peek_word("UNDROP"))
        return parse_drop();
    if (peek_word("RENAME"))
        return parse_rename(false);
    if (peek_word("EXCHANGE"))
        return parse_rename(true);
    if (peek_word("SHOW"))
        return parse_show();
    if (peek_word("DESCRIBE") || peek_word("DESC"))
        return parse_describe();
    if (peek_word("EXISTS") && !peek_is(TokenType::OpenRound, 1))
        return parse_exists();
    if (peek_word("SET"))
        return parse_set();
    if (peek_word("USE"))
        return parse_use();
    if (peek_word("SYSTEM"))
        return parse_system();
    if (peek_word("OPTIMIZE"))
        return parse_optimize();
    if (peek_word("KILL"))
        return parse_kill();
    if (peek_word("CHECK"))
        return parse_check();
    if (peek_word("BACKUP"))
        return parse_backup(false);
    if (peek_word("RESTORE"))
        return parse_backup(true);
    if (peek_word("BEGIN") || peek_word("START") || peek_word("COMMIT") || peek_word("ROLLBACK"))
        return parse_transaction();
    if (peek_word("DELETE"))
        return parse_delete();
    if (peek_word("UPDATE"))
        return parse_update();
    if (peek_word("GRANT"))
        return parse_grant(false);
    if (peek_word("REVOKE"))
        return parse_grant(true);
    for (const char* word : {"WATCH", "MOVE", "EXECUTE AS", "EXTERNAL DDL", "COPY"})
        if (peek_words(word) && !peek_is(TokenType::End, 1))
            not_implemented(word);
    if (limits_.implicit_select && !at_end())
    {
        const size_t begin = mark();
        auto select = std::make_shared<AstSelect>();
        select->projection = parse_expression_list();
        auto select_union = std::make_shared<AstSelectUnion>();
        select_union->selects.push_back(finish(std::move(select), begin));
        return finish(std::move(select_union), begin);
    }
    for (const char* word :
         {"SELECT", "WITH", "FROM", "INSERT", "EXPLAIN", "CREATE", "ATTACH", "REPLACE", "ALTER",
          "DROP", "DETACH", "TRUNCATE", "UNDROP", "RENAME", "EXCHANGE", "SHOW", "DESCRIBE",
          "DESC", "EXISTS", "SET", "USE", "SYSTEM", "OPTIMIZE", "KILL", "CHECK", "BACKUP",
          "RESTORE", "BEGIN TRANSACTION", "COMMIT", "ROLLBACK", "DELETE", "UPDATE", "GRANT",
          "REVOKE"})
        expected(word);
    fail();
}

AstPtr Parser::parse_output_statement()
{
    const size_t begin = mark();
    AstPtr statement = parse_any_statement();
    if (stopped_at_data_ || !may_have_output(statement->kind))
    {
        auto* insert = statement->as<AstInsert>();
        if (insert == nullptr || insert->select == nullptr)
            return statement;
    }
    return parse_output_clauses(std::move(statement), begin);
}

AstPtr Parser::parse_output_clauses(AstPtr statement, size_t begin)
{
    auto query = std::make_shared<AstQuery>();
    bool any = false;
    if (accept_word("INTO OUTFILE"))
    {
        any = true;
        query->outfile = parse_string_literal();
        if (accept_word("APPEND"))
            query->outfile_append = true;
        else if (accept_word("TRUNCATE"))
            query->outfile_truncate = true;
        if (accept_word("AND STDOUT"))
            query->outfile_stdout = true;
        if (accept_word("COMPRESSION"))
        {
            query->compression = parse_string_literal();
            if (accept_word("LEVEL"))
                query->compression_level = parse_number_literal();
        }
    }
    for (int i = 0; i < 2; ++i)
    {
        if (query->format.empty() && accept_word("FORMAT"))
        {
            query->format = parse_identifier();
            any = true;
        }
        if (query->settings == nullptr && accept_word("SETTINGS"))
        {
            query->settings = parse_settings();
            any = true;
        }
    }
    if (!any)
        return statement;
    query->statement = std::move(statement);
    return finish(std::move(query), begin);
}

AstPtr Parser::parse_whole_statement()
{
    const size_t begin = mark();
    AstPtr statement = parse_output_statement();
    if (stopped_at_data_ || !peek_words("PARALLEL WITH"))
    {
        if (!stopped_at_data_)
            expected("PARALLEL WITH");
        return statement;
    }
    auto parallel = std::make_shared<AstParallelWith>();
    parallel->statements.push_back(std::move(statement));
    while (accept_word("PARALLEL WITH"))
        parallel->statements.push_back(parse_output_statement());
    return finish(std::move(parallel), begin);
}

AstPtr Parser::parse_insert()
{
    const size_t begin = mark();
    expect_word("INSERT");
    expect_word("INTO");
    auto insert = std::make_shared<AstInsert>();
    accept_word("TABLE");
    if (peek_word("FUNCTION") && peek_identifier(1))
    {
        advance();
        insert->table_function = parse_table_function();
        if (accept_word("PARTITION BY"))
            insert->partition_by = parse_expression();
    }
    else
        parse_table_name_into(insert->target);

    if (peek_is(TokenType::OpenRound) && !peek_subquery(1) && !peek_is(TokenType::OpenRound, 1))
    {
        advance();
        insert->has_columns = true;
        while (!peek_is(TokenType::CloseRound))
        {
            const size_t at = mark();
            if (peek_is(TokenType::Asterisk))
                insert->columns.push_back(parse_asterisk({}, at));
            else if (peek_word("COLUMNS") && peek_is(TokenType::OpenRound, 1))
                insert->columns.push_back(parse_columns_matcher({}, at));
            else
            {
                auto column = std::make_shared<AstIdentifier>(parse_compound_name());
                insert->columns.push_back(finish(std::move(column), at));
            }
            if (!accept(TokenType::Comma))
                break;
        }
        expect(TokenType::CloseRound);
    }
    if (accept_word("FROM INFILE"))
    {
        insert->infile = parse_string_literal();
        if (accept_word("COMPRESSION"))
            insert->compression = parse_string_literal();
    }
    if (accept_word("SETTINGS"))
        insert->settings = parse_settings();

    // Nothing behind these words may be lexed: it is data.
    const auto stop = [&](bool values)
    {
        size_t data = tokens_[position_ - 1].end;
        const auto at = [&] { return data < text_.size() ? text_[data] : '\0'; };
        if (values)
        {
            while (at() == ' ' || (at() >= '\t' && at() <= '\r'))
                ++data;
        }
        else
        {
            while (at() == ' ' || at() == '\t' || at() == '\f')
                ++data;
            if (at() == '\r')
                ++data;
            if (at() == '\n')
                ++data;
        }
        insert->data_offset = data;
        insert->has_inline_data = data < text_.size() && at() != ';';
        stopped_at_data_ = true;
    };
    if (accept_word("VALUES"))
    {
        insert->format = "Values";
        if (insert->infile == nullptr)
            stop(true);
    }
    else if (accept_word("FORMAT"))
    {
        insert->format = parse_identifier();
        if (insert->infile == nullptr)
            stop(insert->format == "Values");
    }
    else if (peek_word("SELECT") || peek_word("WITH") || peek_word("FROM") ||
             peek_is(TokenType::OpenRound))
        insert->select = parse_select_union();
    else if (peek_word("WATCH"))
        not_implemented("INSERT ... WATCH");
    else if (insert->infile == nullptr)
        fail("SELECT");
    return finish(std::move(insert), begin);
}

AstPtr Parser::parse_explain()
{
    const size_t begin = mark();
    expect_word("EXPLAIN");
    auto explain = std::make_shared<AstExplain>();
    const bool kind_then_query = !peek_is(TokenType::Equals, 1);
    if (kind_then_query)
    {
        if (accept_word("AST"))
            explain->explain = ExplainKind::Ast;
        else if (accept_word("SYNTAX"))
            explain->explain = ExplainKind::Syntax;
        else if (accept_word("QUERY TREE"))
            explain->explain = ExplainKind::QueryTree;
        else if (accept_word("PIPELINE"))
            explain->explain = ExplainKind::Pipeline;
        else if (accept_word("ESTIMATE"))
            explain->explain = ExplainKind::Estimate;
        else if (accept_word("CURRENT TRANSACTION"))
        {
            explain->explain = ExplainKind::CurrentTransaction;
            return finish(std::move(explain), begin);
        }
        else if (peek_words("TABLE OVERRIDE"))
            not_implemented("EXPLAIN TABLE OVERRIDE");
        else if (!accept_word("PLAN"))
            expected("statement");
    }
    if (peek_is(TokenType::Word) && peek_is(TokenType::Equals, 1))
        explain->settings = parse_settings();
    explain->query = parse_any_statement();
    return finish(std::move(explain), begin);
}

AstPtr Parser::parse_set()
{
    const size_t begin = mark();
    if (peek_words("SET ROLE") || peek_words("SET DEFAULT ROLE"))
        return parse_set_role();
    expect_word("SET");
    if (accept_word("TRANSACTION SNAPSHOT"))
    {
        auto transaction = std::make_shared<AstTransaction>();
        transaction->action = TransactionAction::SetSnapshot;
        transaction->snapshot = parse_unsigned();
        return finish(std::move(transaction), begin);
    }
    auto set = std::make_shared<AstSetQuery>();
    if (accept_word("TIME ZONE"))
        set->changes.push_back({"session_timezone", parse_string_literal(), false});
    else
    {
        do
            set->changes.push_back(parse_setting_change());
        while (accept(TokenType::Comma));
    }
    set->is_statement = true;
    return finish(std::move(set), begin);
}

AstPtr parse_query(std::string_view text, const ParserLimits& limits)
{
    Parser parser(text, 0, limits);
    if (parser.peek_is(TokenType::End) || parser.peek_is(TokenType::Semicolon))
        throw Error(error_codes::SYNTAX_ERROR, "Empty query");
    AstPtr statement = parser.parse_whole_statement();
    if (!parser.stopped_at_data())
        parser.expect_end();
    return statement;
}

namespace
{

// End of VALUES data: the ';' outside quotes, comments and brackets.
size_t find_values_end(std::string_view text, size_t p)
{
    int level = 0;
    for (; p < text.size(); ++p)
    {
        const char c = text[p];
        if (c == '\'' || c == '"' || c == '`')
        {
            for (++p; p < text.size() && text[p] != c; ++p)
                if (text[p] == '\\')
                    ++p;
        }
        else if (c == '(' || c == '[' || c == '{')
            ++level;
        else if (c == ')' || c == ']' || c == '}')
            --level;
        else if (c == ';' && level <= 0)
            return p;
    }
    return text.size();
}

const AstInsert* find_insert(const AstPtr& ast)
{
    if (const auto* insert = ast->as<AstInsert>())
        return insert;
    if (const auto* parallel = ast->as<AstParallelWith>())
        return parallel->statements.back()->as<AstInsert>();
    return nullptr;
}

} // namespace

ParsedStatement parse_statement(std::string_view text, size_t offset, const ParserLimits& limits)
{
    ParsedStatement result;
    Parser parser(text, offset, limits);
    while (parser.peek_is(TokenType::Semicolon))
        parser.advance();
    if (parser.peek_is(TokenType::End))
    {
        result.next = text.size();
        return result;
    }
    result.ast = parser.parse_whole_statement();
    if (!parser.stopped_at_data())
    {
        if (!parser.at_end())
            parser.fail("end of query");
        result.next = parser.peek().end;
        return result;
    }
    const AstInsert* insert = find_insert(result.ast);
    result.data_begin = insert->data_offset;
    result.data_end = insert->data_offset;
    if (insert->has_inline_data)
    {
        result.has_inline_data = true;
        if (insert->format == "Values")
            result.data_end = find_values_end(text, result.data_begin);
        else
        {
            // An empty line ends it.
            const size_t blank = text.find("\n\n", result.data_begin);
            result.data_end = blank == std::string_view::npos ? text.size() : blank + 1;
        }
    }
    result.next = result.data_end;
    if (result.next < text.size() && text[result.next] == ';')
        ++result.next;
    return result;
}

AstPtr parse_expression(std::string_view text, const ParserLimits& limits)
{
    Parser parser(text, 0, limits);
    AstPtr expression = parser.parse_aliased();
    parser.expect_end();
    return expression;
}

AstList parse_expression_list(std::string_view text, const ParserLimits& limits)
{
    Parser parser(text, 0, limits);
    AstList list = parser.parse_expression_list();
    parser.expect_end();
    return list;
}

AstPtr parse_type(std::string_view text, const ParserLimits& limits)
{
    Parser parser(text, 0, limits);
    AstPtr type = parser.parse_type();
    parser.expect_end();
    return type;
}

AstList parse_column_declarations(std::string_view text, const ParserLimits& limits)
{
    Parser parser(text, 0, limits);
    AstList list;
    do
        list.push_back(parser.parse_column_declaration());
    while (parser.accept(TokenType::Comma));
    parser.expect_end();
    return list;
}

} // namespace basalt
