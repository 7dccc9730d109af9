// CREATE DICTIONARY.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

AstPtr Parser::parse_dictionary_attribute()
{
    const size_t begin = mark();
    auto attribute = std::make_shared<AstDictionaryAttribute>();
    attribute->name = parse_identifier();
    attribute->type = parse_type();
    while (true)
    {
        if (attribute->default_value == nullptr && accept_word("DEFAULT"))
            attribute->default_value = parse_setting_value();
        else if (attribute->expression == nullptr && accept_word("EXPRESSION"))
            attribute->expression = parse_expression();
        else if (accept_word("HIERARCHICAL"))
            attribute->hierarchical = true;
        else if (accept_word("BIDIRECTIONAL"))
            attribute->bidirectional = true;
        else if (accept_word("INJECTIVE"))
            attribute->injective = true;
        else if (accept_word("IS_OBJECT_ID"))
            attribute->is_object_id = true;
        else
            break;
    }
    return finish(std::move(attribute), begin);
}

// NAME(key value key value ..): keys in capitals; a value is a literal, a name, or another such
// function.
AstPtr Parser::parse_dictionary_function()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    auto function = std::make_shared<AstFunction>(to_upper(parse_identifier()));
    if (!accept(TokenType::OpenRound))
    {
        function->no_parentheses = true;
        return finish(std::move(function), begin);
    }
    while (!accept(TokenType::CloseRound))
    {
        const size_t at = mark();
        auto pair = std::make_shared<AstFunction>(to_upper(parse_identifier()));
        pair->is_operator = true;
        const size_t value_at = mark();
        if (peek_is(TokenType::OpenRound))
        {
            // HEADERS(HEADER(NAME 'a' VALUE 'b')): a function as the value, its name the key.
            position_ = at;
            function->arguments.push_back(parse_dictionary_function());
            continue;
        }
        if (peek_identifier() && !peek_word("TRUE") && !peek_word("FALSE") && !peek_word("NULL"))
        {
            if (peek_is(TokenType::OpenRound, 1))
                pair->arguments.push_back(parse_operand());
            else
                pair->arguments.push_back(
                    finish(std::make_shared<AstIdentifier>(parse_identifier()), value_at));
        }
        else
            pair->arguments.push_back(parse_literal());
        function->arguments.push_back(finish(std::move(pair), at));
    }
    return finish(std::move(function), begin);
}

AstPtr Parser::parse_create_dictionary(size_t begin, bool attach, bool or_replace)
{
    auto dictionary = std::make_shared<AstCreateDictionary>();
    dictionary->attach = attach;
    dictionary->or_replace = or_replace;
    dictionary->if_not_exists = accept_word("IF NOT EXISTS");
    parse_table_name_into(dictionary->name);
    dictionary->uuid = parse_uuid();
    dictionary->cluster = parse_on_cluster();
    if (accept(TokenType::OpenRound))
    {
        while (!peek_is(TokenType::CloseRound))
        {
            dictionary->attributes.push_back(parse_dictionary_attribute());
            if (!accept(TokenType::Comma))
                break;
        }
        expect(TokenType::CloseRound);
    }
    while (true)
    {
        if (dictionary->primary_key.empty() && accept_word("PRIMARY KEY"))
            dictionary->primary_key = parse_expression_list(false);
        else if (dictionary->source == nullptr && accept_word("SOURCE"))
        {
            expect(TokenType::OpenRound);
            dictionary->source = parse_dictionary_function();
            expect(TokenType::CloseRound);
        }
        else if (dictionary->layout == nullptr && accept_word("LAYOUT"))
        {
            expect(TokenType::OpenRound);
            dictionary->layout = parse_dictionary_function();
            expect(TokenType::CloseRound);
        }
        else if (!dictionary->has_lifetime && accept_word("LIFETIME"))
        {
            dictionary->has_lifetime = true;
            expect(TokenType::OpenRound);
            if (peek_is(TokenType::Number))
                dictionary->lifetime_max_s = parse_unsigned();
            while (!peek_is(TokenType::CloseRound))
            {
                if (accept_word("MIN"))
                    dictionary->lifetime_min_s = parse_unsigned();
                else
                {
                    expect_word("MAX");
                    dictionary->lifetime_max_s = parse_unsigned();
                }
            }
            expect(TokenType::CloseRound);
        }
        else if (dictionary->range_min.empty() && accept_word("RANGE"))
        {
            expect(TokenType::OpenRound);
            while (!peek_is(TokenType::CloseRound))
            {
                if (accept_word("MIN"))
                    dictionary->range_min = parse_identifier();
                else
                {
                    expect_word("MAX");
                    dictionary->range_max = parse_identifier();
                }
            }
            expect(TokenType::CloseRound);
        }
        else if (dictionary->settings == nullptr && accept_word("SETTINGS"))
        {
            const bool brackets = accept(TokenType::OpenRound);
            dictionary->settings = parse_settings();
            if (brackets)
                expect(TokenType::CloseRound);
        }
        else if (dictionary->comment == nullptr && accept_word("COMMENT"))
            dictionary->comment = parse_string_literal();
        else
            break;
    }
    return finish(std::move(dictionary), begin);
}

} // namespace basalt
