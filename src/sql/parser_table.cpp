// FROM: tables, table functions, joins, ARRAY JOIN; and SETTINGS lists.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

void Parser::parse_from(AstSelect& select)
{
    // ((a JOIN b ON ..) JOIN c ON ..), as PostgreSQL's clients write it: joins bind to the left anyway.
    size_t open = 0;
    while (limits_.postgres && peek_is(TokenType::OpenRound) && !peek_subquery(1) &&
           !peek_word("VALUES", 1) &&
           accept(TokenType::OpenRound))
        ++open;
    size_t begin = mark();
    select.from.push_back(parse_table_element(std::make_shared<AstTableElement>(), begin));
    while (true)
    {
        begin = mark();
        if (open > 0 && accept(TokenType::CloseRound))
        {
            --open;
            continue;
        }
        auto element = std::make_shared<AstTableElement>();
        if (!accept_join(*element))
        {
            if (open > 0)
                expect(TokenType::CloseRound);
            return;
        }
        select.from.push_back(parse_table_element(std::move(element), begin));
    }
}

// [GLOBAL] [ANY|ALL|ASOF|SEMI|ANTI|ONLY] [INNER|LEFT|RIGHT|FULL [OUTER]] [ANY|..] JOIN, and kin.
bool Parser::accept_join(AstTableElement& element)
{
    if (accept(TokenType::Comma))
    {
        element.join = AstJoinKind::Comma;
        return true;
    }
    if (accept_word("ARRAY JOIN") || accept_word("INNER ARRAY JOIN"))
    {
        element.join = AstJoinKind::ArrayJoin;
        return true;
    }
    if (accept_word("LEFT ARRAY JOIN"))
    {
        element.join = AstJoinKind::LeftArrayJoin;
        return true;
    }

    const size_t begin = mark();
    if (accept_word("GLOBAL"))
        element.locality = JoinLocality::Global;
    else if (accept_word("LOCAL"))
        element.locality = JoinLocality::Local;
    if (accept_word("NATURAL"))
        element.natural = true;
    const auto parse_strictness = [&]
    {
        if (element.strictness != AstJoinStrictness::Unspecified)
            return;
        if (accept_word("ANY"))
            element.strictness = AstJoinStrictness::Any;
        else if (accept_word("ALL"))
            element.strictness = AstJoinStrictness::All;
        else if (accept_word("ASOF"))
            element.strictness = AstJoinStrictness::Asof;
        else if (accept_word("SEMI"))
            element.strictness = AstJoinStrictness::Semi;
        else if (accept_word("ANTI") || accept_word("ONLY"))
            element.strictness = AstJoinStrictness::Anti;
    };
    parse_strictness();
    bool kind_written = true;
    if (accept_word("INNER"))
        element.join = AstJoinKind::Inner;
    else if (accept_word("LEFT"))
        element.join = AstJoinKind::Left;
    else if (accept_word("RIGHT"))
        element.join = AstJoinKind::Right;
    else if (accept_word("FULL"))
        element.join = AstJoinKind::Full;
    else if (accept_word("CROSS"))
        element.join = AstJoinKind::Cross;
    else if (accept_word("PASTE"))
        element.join = AstJoinKind::Paste;
    else
    {
        kind_written = false;
        const bool half = element.strictness == AstJoinStrictness::Semi ||
                          element.strictness == AstJoinStrictness::Anti;
        element.join = half ? AstJoinKind::Left : AstJoinKind::Inner;
    }
    if (kind_written)
    {
        parse_strictness();
        if (element.join == AstJoinKind::Left || element.join == AstJoinKind::Right ||
            element.join == AstJoinKind::Full)
            accept_word("OUTER");
    }
    if (accept_word("JOIN"))
    {
        const bool half = element.strictness == AstJoinStrictness::Semi ||
                          element.strictness == AstJoinStrictness::Anti;
        if (half && element.join != AstJoinKind::Left && element.join != AstJoinKind::Right)
            throw Error(error_codes::SYNTAX_ERROR,
                        "SEMI|ANTI JOIN should be LEFT or RIGHT.");
        if ((element.join == AstJoinKind::Cross || element.join == AstJoinKind::Paste) &&
            element.strictness != AstJoinStrictness::Unspecified)
            throw Error(error_codes::SYNTAX_ERROR,
                        "You must not specify ANY or ALL for CROSS or PASTE JOIN.");
        return true;
    }
    if (mark() != begin)
        fail();
    return false;
}

AstPtr Parser::parse_table_element(std::shared_ptr<AstTableElement> element, size_t begin)
{
    if (element->join == AstJoinKind::ArrayJoin || element->join == AstJoinKind::LeftArrayJoin)
    {
        do
            element->array_join.push_back(parse_aliased());
        while (accept(TokenType::Comma));
        return finish(std::move(element), begin);
    }

    if (limits_.postgres)
        element->table = parse_postgres_table();
    if (!element->table)
    {
        element->table = parse_table_expression();
        parse_alias(*element->table, !peek_word("SELECT"));
    }
    if (!element->table->alias.empty() && peek_is(TokenType::OpenRound))
    {
        advance();
        do
            element->column_aliases.push_back(parse_identifier());
        while (accept(TokenType::Comma));
        expect(TokenType::CloseRound);
    }
    if (accept_word("FINAL"))
        element->is_final = true;
    if (accept_word("SAMPLE"))
    {
        element->sample = parse_operators(11);
        if (accept_word("OFFSET"))
            element->sample_offset = parse_operators(11);
    }
    const bool has_condition = element->join == AstJoinKind::Inner ||
                               element->join == AstJoinKind::Left ||
                               element->join == AstJoinKind::Right ||
                               element->join == AstJoinKind::Full;
    if (!has_condition || element->natural)
        return finish(std::move(element), begin);
    if (accept_word("USING"))
    {
        element->has_using = true;
        element->using_in_parentheses = accept(TokenType::OpenRound);
        do
            element->using_columns.push_back(parse_aliased(false));
        while (accept(TokenType::Comma));
        if (element->using_in_parentheses)
            expect(TokenType::CloseRound);
        element->using_in_parentheses = true;
    }
    else if (accept_word("ON"))
        element->on = parse_expression();
    return finish(std::move(element), begin);
}

AstPtr Parser::parse_table_expression()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    if (peek_is(TokenType::OpenRound))
    {
        size_t ahead = 1;
        while (peek_is(TokenType::OpenRound, ahead))
            ++ahead;
        if (peek_subquery(ahead))
            return parse_subquery_in_parentheses();
        if (peek_word("VALUES", ahead) && ahead == 1)
        {
            position_ += 2;
            // (VALUES (1, 2), (3, 4)) as a table.
            auto function = std::make_shared<AstFunction>("SQLStandardValues");
            function->arguments = parse_expression_list();
            expect(TokenType::CloseRound);
            return wrap_table(finish(std::move(function), begin), begin);
        }
        // (t1 JOIN t2 ..) is SELECT * FROM of them.
        advance();
        auto select = std::make_shared<AstSelect>();
        select->projection.push_back(finish(std::make_shared<AstAsterisk>(), begin));
        parse_from(*select);
        if (select->from.size() == 1)
            fail("JOIN");
        expect(TokenType::CloseRound);
        return wrap_select(std::move(select), begin);
    }
    return parse_table_function_or_name();
}

// (SELECT * FROM table)
AstPtr Parser::wrap_table(AstPtr table, size_t begin)
{
    auto element = std::make_shared<AstTableElement>();
    element->table = std::move(table);
    auto select = std::make_shared<AstSelect>();
    select->projection.push_back(finish(std::make_shared<AstAsterisk>(), begin));
    select->from.push_back(finish(std::move(element), begin));
    return wrap_select(std::move(select), begin);
}

AstPtr Parser::wrap_select(std::shared_ptr<AstSelect> select, size_t begin)
{
    auto select_union = std::make_shared<AstSelectUnion>();
    select_union->selects.push_back(finish(std::move(select), begin));
    auto subquery = std::make_shared<AstSubquery>();
    subquery->query = finish(std::move(select_union), begin);
    return finish(std::move(subquery), begin);
}

AstPtr Parser::parse_table_function_or_name()
{
    const size_t begin = mark();
    if (peek_identifier() && peek_is(TokenType::OpenRound, 1))
        return parse_table_function();
    if (peek_is(TokenType::OpenCurly))
    {
        AstPtr parameter = parse_query_parameter();
        if (!peek_is(TokenType::Dot))
            return parameter;
        return parse_parameter_name(std::move(parameter), begin);
    }
    if (peek_is(TokenType::String))
    {
        // FROM 'file.csv': a name like any other; `basalt local` reads files so.
        auto name = std::make_shared<AstIdentifier>();
        name->parts.push_back(parse_string());
        return finish(std::move(name), begin);
    }
    if (!peek_identifier())
    {
        expected("table");
        expected("table function");
        fail("subquery");
    }
    auto identifier = std::make_shared<AstIdentifier>();
    identifier->parts.push_back(parse_identifier());
    if (accept(TokenType::Dot))
    {
        if (peek_is(TokenType::OpenCurly))
        {
            auto name = std::make_shared<AstIdentifier>(std::move(identifier->parts.front()));
            position_ -= 1;
            return parse_parameter_name(finish(std::move(name), begin), begin);
        }
        identifier->parts.push_back(parse_identifier());
    }
    return finish(std::move(identifier), begin);
}

// {database:Identifier}.{table:Identifier}, one of the two perhaps a plain name: an operator
// Function "tableName" of the two, for binding to resolve.
AstPtr Parser::parse_parameter_name(AstPtr database, size_t begin)
{
    expect(TokenType::Dot);
    auto pair = std::make_shared<AstFunction>("tableName");
    pair->is_operator = true;
    const size_t at = mark();
    AstPtr table;
    if (peek_is(TokenType::OpenCurly))
        table = parse_query_parameter();
    else
        table = finish(std::make_shared<AstIdentifier>(parse_identifier()), at);
    pair->arguments = {std::move(database), std::move(table)};
    return finish(std::move(pair), begin);
}

AstPtr Parser::parse_table_function()
{
    const size_t begin = mark();
    auto function = std::make_shared<AstFunction>(parse_identifier());
    expect(TokenType::OpenRound);
    const DepthGuard guard(*this);
    parse_function_arguments(*function);
    return finish(std::move(function), begin);
}

// name = value, name
SettingChange Parser::parse_setting_change()
{
    SettingChange change;
    change.name = parse_compound_name();
    if (!accept(TokenType::Equals))
    {
        change.value = finish(AstLiteral::boolean(true), mark());
        return change;
    }
    if (peek_word("DEFAULT"))
    {
        advance();
        change.is_default = true;
        return change;
    }
    change.value = parse_setting_value();
    return change;
}

AstPtr Parser::parse_setting_value()
{
    const size_t begin = mark();
    if (peek_is(TokenType::Word))
    {
        if (peek_is(TokenType::OpenRound, 1))
            return parse_operand(); // disk(..), map(..)
        if (peek_word("TRUE") || peek_word("FALSE") || peek_word("NULL"))
            return parse_literal();
        if (peek_word("INF") || peek_word("NAN"))
            return parse_operand();
        // A bare word is a string: log_comment = abc.
        auto identifier = std::make_shared<AstIdentifier>();
        identifier->parts = parse_compound_parts();
        return finish(std::move(identifier), begin);
    }
    switch (peek().type)
    {
    case TokenType::OpenSquare:
    case TokenType::OpenRound:
    case TokenType::OpenCurly:
        return parse_operand();
    default:
        return parse_literal();
    }
}

AstPtr Parser::parse_settings()
{
    const size_t begin = mark();
    auto settings = std::make_shared<AstSetQuery>();
    do
        settings->changes.push_back(parse_setting_change());
    while (!peek_next_alter_command() && accept(TokenType::Comma));
    return finish(std::move(settings), begin);
}

} // namespace basalt
