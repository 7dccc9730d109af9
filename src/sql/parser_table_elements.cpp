// What stands in the brackets of CREATE TABLE and behind them: columns, indices, constraints,
// projections, engine clauses, TTL.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

// After '('; consumes ')'.
void Parser::parse_table_elements(AstCreateTable& create)
{
    AstPtr primary_key;
    auto key_columns = std::make_shared<AstFunction>("tuple");
    while (!peek_is(TokenType::CloseRound))
    {
        const size_t begin = mark();
        if (peek_word("INDEX") && peek_identifier(1))
        {
            advance();
            create.indices.push_back(parse_index_declaration());
        }
        else if (peek_word("CONSTRAINT") && peek_identifier(1))
        {
            advance();
            create.constraints.push_back(parse_constraint_declaration());
        }
        else if (peek_word("PROJECTION") && peek_identifier(1))
        {
            advance();
            create.projections.push_back(parse_projection_declaration());
        }
        else if (accept_word("PRIMARY KEY"))
        {
            if (primary_key != nullptr)
                throw Error(error_codes::BAD_ARGUMENTS,
                            "Multiple primary keys are not allowed");
            primary_key = parse_expression();
        }
        else if (peek_words("FOREIGN KEY"))
            not_implemented("FOREIGN KEY");
        else
        {
            AstPtr column = parse_column_declaration();
            if (accept_word("PRIMARY KEY"))
                key_columns->arguments.push_back(finish(
                    std::make_shared<AstIdentifier>(column->as<AstColumnDeclaration>()->name),
                    begin));
            create.columns.push_back(std::move(column));
        }
        if (!accept(TokenType::Comma))
            break;
    }
    expect(TokenType::CloseRound);
    if (!key_columns->arguments.empty())
    {
        if (primary_key != nullptr)
            throw Error(error_codes::BAD_ARGUMENTS, "Multiple primary keys are not allowed");
        primary_key = finish(std::move(key_columns), mark() - 1);
    }
    if (primary_key != nullptr)
    {
        auto storage = std::make_shared<AstStorage>();
        storage->primary_key = std::move(primary_key);
        create.storage = finish(std::move(storage), mark() - 1);
    }
}

// name [type] [NULL | NOT NULL] [DEFAULT | MATERIALIZED | EPHEMERAL | ALIAS expression] and
// COMMENT, CODEC, STATISTICS, TTL, COLLATE, SETTINGS in any order.
AstPtr Parser::parse_column_declaration(bool alter)
{
    const size_t begin = mark();
    auto column = std::make_shared<AstColumnDeclaration>();
    column->name = parse_compound_name();

    const auto peek_default = [&]
    {
        return peek_word("DEFAULT") || peek_word("MATERIALIZED") || peek_word("EPHEMERAL") ||
               peek_word("ALIAS");
    };
    const auto peek_attribute = [&]
    {
        return peek_word("COMMENT") || peek_word("TTL") || peek_word("COLLATE") ||
               (peek_word("CODEC") && peek_is(TokenType::OpenRound, 1)) ||
               (peek_word("STATISTICS") && peek_is(TokenType::OpenRound, 1)) ||
               peek_words("AUTO_INCREMENT") ||
               (peek_word("SETTINGS") && peek_is(TokenType::OpenRound, 1));
    };
    const auto peek_alter_word = [&]
    {
        return alter && (peek_word("REMOVE") || peek_words("MODIFY SETTING") ||
                         peek_words("RESET SETTING") || peek_word("FIRST") ||
                         peek_word("AFTER"));
    };
    const auto parse_null_modifier = [&]
    {
        if (accept_word("NOT NULL"))
            column->null_modifier = NullModifier::NotNull;
        else if (accept_word("NULL"))
            column->null_modifier = NullModifier::Null;
    };

    if (!peek_default() && !peek_attribute() && !peek_alter_word() &&
        !(alter && (at_end() || peek_is(TokenType::Comma) || peek_is(TokenType::CloseRound))))
    {
        column->type = parse_type();
        parse_null_modifier();
    }
    if (peek_default())
    {
        if (accept_word("DEFAULT"))
            column->default_kind = ColumnDefault::Default;
        else if (accept_word("MATERIALIZED"))
            column->default_kind = ColumnDefault::Materialized;
        else if (accept_word("ALIAS"))
            column->default_kind = ColumnDefault::Alias;
        else
        {
            expect_word("EPHEMERAL");
            column->default_kind = ColumnDefault::Ephemeral;
        }
        const bool none = peek_is(TokenType::Comma) || peek_is(TokenType::CloseRound) ||
                          peek_attribute() || peek_alter_word() || at_end() ||
                          peek_words("PRIMARY KEY");
        if (!none || column->default_kind != ColumnDefault::Ephemeral)
            column->default_expression = parse_expression();
        if (column->null_modifier == NullModifier::None)
            parse_null_modifier();
    }
    while (true)
    {
        if (column->comment == nullptr && accept_word("COMMENT"))
            column->comment = parse_string_literal();
        else if (column->codec == nullptr && peek_word("CODEC"))
            column->codec = parse_codec();
        else if (column->statistics == nullptr && peek_word("STATISTICS"))
            column->statistics = parse_codec();
        else if (column->ttl == nullptr && accept_word("TTL"))
            column->ttl = parse_expression();
        else if (column->collation == nullptr && accept_word("COLLATE"))
        {
            const size_t at = mark();
            column->collation = finish(AstLiteral::string(parse_name_or_string()), at);
        }
        else if (column->settings == nullptr && peek_word("SETTINGS") &&
                 peek_is(TokenType::OpenRound, 1))
        {
            position_ += 2;
            column->settings = parse_settings();
            expect(TokenType::CloseRound);
        }
        else if (peek_word("AUTO_INCREMENT"))
            not_implemented("AUTO_INCREMENT");
        else
            break;
    }
    if (column->type == nullptr && column->default_kind == ColumnDefault::None && !alter)
        fail("data type");
    expected("PRIMARY KEY");
    return finish(std::move(column), begin);
}

// CODEC(ZSTD(3), LZ4), STATISTICS(tdigest)
AstPtr Parser::parse_codec()
{
    const size_t begin = mark();
    auto function = std::make_shared<AstFunction>(to_upper(parse_identifier()));
    expect(TokenType::OpenRound);
    do
        function->arguments.push_back(parse_simple_function());
    while (accept(TokenType::Comma));
    expect(TokenType::CloseRound);
    return finish(std::move(function), begin);
}

// name or name(arguments): codecs, index types, engines. MergeTree() reads as MergeTree.
AstPtr Parser::parse_simple_function()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    auto function = std::make_shared<AstFunction>(parse_identifier());
    if (accept(TokenType::OpenRound))
        parse_function_arguments(*function);
    function->no_parentheses = function->arguments.empty() && function->settings == nullptr;
    return finish(std::move(function), begin);
}

// After the word INDEX: name expression [TYPE type] [GRANULARITY n]
AstPtr Parser::parse_index_declaration()
{
    const size_t begin = mark();
    auto index = std::make_shared<AstIndexDeclaration>();
    index->name = parse_identifier();
    index->expression = parse_expression();
    if (accept_word("TYPE"))
        index->type = parse_simple_function();
    if (accept_word("GRANULARITY"))
        index->granularity = parse_number_literal();
    else
    {
        // Indexes over a whole part at once, unless told.
        const auto* type = index->type == nullptr ? nullptr : index->type->as<AstFunction>();
        const bool whole =
            type != nullptr && (type->name == "text" || type->name == "vector_similarity");
        index->granularity = AstLiteral::unsigned_number(whole ? 100000000 : 1);
    }
    return finish(std::move(index), begin);
}

AstPtr Parser::parse_constraint_declaration()
{
    const size_t begin = mark();
    auto constraint = std::make_shared<AstConstraintDeclaration>();
    constraint->name = parse_identifier();
    if (accept_word("ASSUME"))
        constraint->assume = true;
    else
        expect_word("CHECK");
    constraint->expression = parse_expression();
    return finish(std::move(constraint), begin);
}

AstPtr Parser::parse_projection_declaration()
{
    const size_t begin = mark();
    auto projection = std::make_shared<AstProjectionDeclaration>();
    projection->name = parse_identifier();
    if (accept_word("INDEX"))
    {
        projection->index_expression = parse_expression();
        expect_word("TYPE");
        projection->index_type = parse_simple_function();
    }
    else
    {
        expect(TokenType::OpenRound);
        projection->query = parse_select();
        expect(TokenType::CloseRound);
    }
    if (accept_word("WITH SETTINGS"))
    {
        expect(TokenType::OpenRound);
        projection->settings = parse_settings();
        expect(TokenType::CloseRound);
    }
    return finish(std::move(projection), begin);
}

// A key: an expression, whose elements may be DESC; brackets make a tuple.
AstPtr Parser::parse_order_by_key()
{
    const size_t begin = mark();
    const auto direction = [&](AstPtr expression, size_t at) -> AstPtr
    {
        if (!accept_word("DESC"))
        {
            accept_word("ASC");
            return expression;
        }
        auto element = std::make_shared<AstOrderByElement>();
        element->expression = std::move(expression);
        element->descending = element->explicit_direction = true;
        return finish(std::move(element), at);
    };
    // A tuple that holds a DESC is no expression: look for one before the bracket closes.
    bool has_direction = false;
    if (peek_is(TokenType::OpenRound) ||
        (peek_word("TUPLE") && peek_is(TokenType::OpenRound, 1)))
    {
        int level = 0;
        for (size_t ahead = peek_is(TokenType::OpenRound) ? 0 : 1;; ++ahead)
        {
            const TokenType type = peek(ahead).type;
            if (type == TokenType::End || type == TokenType::Semicolon)
                break;
            if (type == TokenType::OpenRound)
                ++level;
            else if (type == TokenType::CloseRound && --level == 0)
                break;
            else if (level == 1 && (peek_word("DESC", ahead) || peek_word("ASC", ahead)) &&
                     (peek_is(TokenType::Comma, ahead + 1) ||
                      peek_is(TokenType::CloseRound, ahead + 1)))
                has_direction = true;
        }
    }
    if (!has_direction)
        return direction(parse_expression(), begin);
    accept_word("TUPLE");
    expect(TokenType::OpenRound);
    auto tuple = std::make_shared<AstFunction>("tuple");
    do
    {
        const size_t at = mark();
        tuple->arguments.push_back(direction(parse_expression(), at));
    } while (accept(TokenType::Comma));
    expect(TokenType::CloseRound);
    return finish(std::move(tuple), begin);
}

AstPtr Parser::parse_engine()
{
    const size_t begin = mark();
    auto function = std::make_shared<AstFunction>(parse_identifier());
    if (accept(TokenType::OpenRound))
        parse_function_arguments(*function);
    function->no_parentheses = function->arguments.empty() && function->settings == nullptr;
    return finish(std::move(function), begin);
}

AstPtr Parser::parse_storage(bool with_engine_word)
{
    const size_t begin = mark();
    auto storage = std::make_shared<AstStorage>();
    if (with_engine_word && accept_word("ENGINE"))
    {
        accept(TokenType::Equals);
        storage->engine = parse_engine();
    }
    while (true)
    {
        if (storage->partition_by == nullptr && accept_word("PARTITION BY"))
            storage->partition_by = parse_expression();
        else if (storage->primary_key == nullptr && accept_word("PRIMARY KEY"))
            storage->primary_key = parse_expression();
        else if (storage->order_by == nullptr && accept_word("ORDER BY"))
            storage->order_by = parse_order_by_key();
        else if (storage->sample_by == nullptr && accept_word("SAMPLE BY"))
            storage->sample_by = parse_expression();
        else if (storage->ttl.empty() && accept_word("TTL"))
            storage->ttl = parse_ttl_list();
        else if (storage->settings == nullptr && accept_word("SETTINGS"))
            storage->settings = parse_settings();
        else
            break;
    }
    if (mark() == begin)
        return nullptr;
    return finish(std::move(storage), begin);
}

AstList Parser::parse_ttl_list()
{
    AstList list;
    do
        list.push_back(parse_ttl_element());
    while (!peek_next_alter_command() && accept(TokenType::Comma));
    return list;
}

AstPtr Parser::parse_ttl_element()
{
    const size_t begin = mark();
    auto ttl = std::make_shared<AstTtlElement>();
    ttl->expression = parse_expression();
    if (accept_word("TO DISK"))
        ttl->action = TtlAction::ToDisk;
    else if (accept_word("TO VOLUME"))
        ttl->action = TtlAction::ToVolume;
    else if (accept_word("GROUP BY"))
    {
        ttl->action = TtlAction::GroupBy;
        ttl->group_by = parse_expression_list(false);
        if (accept_word("SET"))
        {
            ttl->assignments.push_back(parse_assignment());
            // `, d RECOMPRESS ..` after it is the next TTL element.
            while (peek_is(TokenType::Comma) && peek_identifier(1) &&
                   peek_is(TokenType::Equals, 2))
            {
                advance();
                ttl->assignments.push_back(parse_assignment());
            }
        }
    }
    else if (accept_word("RECOMPRESS"))
    {
        ttl->action = TtlAction::Recompress;
        if (!peek_word("CODEC"))
            fail("CODEC");
        ttl->codec = parse_codec();
    }
    else if (accept_word("DELETE"))
        ttl->explicit_delete = true;
    if (ttl->action == TtlAction::ToDisk || ttl->action == TtlAction::ToVolume)
    {
        ttl->if_exists = accept_word("IF EXISTS");
        ttl->destination = parse_string();
    }
    if (accept_word("WHERE"))
        ttl->where = parse_expression();
    return finish(std::move(ttl), begin);
}

AstPtr Parser::parse_assignment()
{
    const size_t begin = mark();
    auto assignment = std::make_shared<AstAssignment>();
    assignment->column = parse_compound_name();
    expect(TokenType::Equals);
    assignment->expression = parse_expression();
    return finish(std::move(assignment), begin);
}

AstList Parser::parse_assignments()
{
    AstList list;
    do
        list.push_back(parse_assignment());
    while (accept(TokenType::Comma));
    return list;
}

} // namespace basalt
