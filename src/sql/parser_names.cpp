// Names, small literals and data types.

#include "base/error.h"
#include "sql/parser_impl.h"

#include <charconv>

namespace basalt
{

bool Parser::peek_identifier(size_t ahead)
{
    const Token& token = peek(ahead);
    return token.type == TokenType::Word ||
           (token.type == TokenType::QuotedIdentifier && token.end - token.begin > 2);
}

bool Parser::accept_identifier(std::string& name)
{
    if (!peek_identifier())
    {
        expected("identifier");
        return false;
    }
    const Token& token = peek();
    if (token.type == TokenType::Word)
        name.assign(token_text(token));
    else
        unquote_token(token.type, token_text(token), name);
    advance();
    return true;
}

std::string Parser::parse_identifier()
{
    std::string name;
    if (!accept_identifier(name))
        fail();
    return name;
}

std::string Parser::parse_string()
{
    const Token& token = peek();
    std::string value;
    switch (token.type)
    {
    case TokenType::String:
    case TokenType::Heredoc:
    case TokenType::HexString:
    case TokenType::BinaryString:
        if (!unquote_token(token.type, token_text(token), value))
            fail("string of digits of its base");
        advance();
        return value;
    default:
        fail("string literal");
    }
}

std::string Parser::parse_name_or_string()
{
    if (peek_is(TokenType::String) || peek_is(TokenType::Heredoc))
        return parse_string();
    return parse_identifier();
}

std::vector<std::string> Parser::parse_compound_parts()
{
    std::vector<std::string> parts;
    parts.push_back(parse_identifier());
    while (peek_is(TokenType::Dot) && peek_identifier(1))
    {
        advance();
        parts.push_back(parse_identifier());
    }
    return parts;
}

std::string Parser::parse_compound_name()
{
    std::string name;
    for (const std::string& part : parse_compound_parts())
    {
        if (!name.empty())
            name.push_back('.');
        name += part;
    }
    return name;
}

void Parser::parse_table_name_into(AstTableName& name)
{
    const auto parse_part = [&](std::string& text, AstPtr& parameter)
    {
        if (peek_is(TokenType::OpenCurly))
            parameter = parse_query_parameter();
        else
            text = parse_identifier();
    };
    parse_part(name.table, name.table_parameter);
    if (accept(TokenType::Dot))
    {
        name.database = std::move(name.table);
        name.database_parameter = std::move(name.table_parameter);
        name.table.clear();
        name.table_parameter = nullptr;
        parse_part(name.table, name.table_parameter);
    }
}

AstTableName Parser::parse_table_name()
{
    AstTableName name;
    parse_table_name_into(name);
    return name;
}

void Parser::parse_database_name(std::string& name, AstPtr& parameter)
{
    if (peek_is(TokenType::OpenCurly))
        parameter = parse_query_parameter();
    else
        name = parse_identifier();
}

std::string Parser::parse_on_cluster()
{
    if (!peek_words("ON CLUSTER"))
    {
        expected("ON CLUSTER");
        return {};
    }
    position_ += 2;
    return parse_name_or_string();
}

std::string Parser::parse_uuid()
{
    return accept_word("UUID") ? parse_string() : std::string();
}

uint64_t Parser::parse_unsigned()
{
    const Token& token = peek();
    uint64_t value = 0;
    if (token.type == TokenType::Number)
    {
        const std::string_view text = token_text(token);
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (status == std::errc() && end == text.data() + text.size())
        {
            advance();
            return value;
        }
    }
    fail("unsigned integer");
}

// A number (with sign), a string, NULL, TRUE or FALSE.
AstPtr Parser::parse_literal()
{
    const size_t begin = mark();
    switch (peek().type)
    {
    case TokenType::Number:
    case TokenType::Minus:
    case TokenType::Plus:
        return parse_number_literal();
    case TokenType::Word:
        if (accept_word("NULL"))
            return finish(AstLiteral::null(), begin);
        if (accept_word("TRUE"))
            return finish(AstLiteral::boolean(true), begin);
        if (accept_word("FALSE"))
            return finish(AstLiteral::boolean(false), begin);
        fail("literal");
    default:
        return parse_string_literal();
    }
}

namespace
{

// Types whose names are of several words, as standard SQL spells them; longer ones first.
constexpr const char* kLongTypeNames[] = {
    "DOUBLE PRECISION",
    "CHARACTER LARGE OBJECT",
    "CHARACTER VARYING",
    "CHAR LARGE OBJECT",
    "CHAR VARYING",
    "NATIONAL CHARACTER LARGE OBJECT",
    "NATIONAL CHARACTER VARYING",
    "NATIONAL CHARACTER",
    "NATIONAL CHAR VARYING",
    "NATIONAL CHAR",
    "NCHAR LARGE OBJECT",
    "NCHAR VARYING",
    "BINARY LARGE OBJECT",
    "BINARY VARYING",
    "TIME WITH TIME ZONE",
};

constexpr std::string_view kSignedTypes[] = {"TINYINT",   "SMALLINT", "MEDIUMINT", "INT",
                                             "INTEGER",   "BIGINT",   "INT1"};

} // namespace

AstPtr Parser::parse_type()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    auto type = std::make_shared<AstTypeName>();
    if (peek_is(TokenType::Word))
    {
        for (const char* words : kLongTypeNames)
        {
            if (peek_words(words))
            {
                accept_word(words);
                type->name = words;
                break;
            }
        }
    }
    if (type->name.empty())
    {
        const bool word = peek_is(TokenType::Word);
        if (!accept_identifier(type->name))
            fail("data type");
        const bool sign = peek_word("SIGNED") || peek_word("UNSIGNED");
        if (word && sign)
        {
            for (const std::string_view one : kSignedTypes)
            {
                if (equals_ignoring_case(type->name, one))
                {
                    type->name = to_upper(type->name) + " " + to_upper(token_text(peek()));
                    advance();
                    break;
                }
            }
        }
    }
    if (accept(TokenType::OpenRound))
    {
        type->has_parentheses = true;
        if (!peek_is(TokenType::CloseRound))
        {
            do
                type->arguments.push_back(parse_type_argument());
            while (accept(TokenType::Comma) && !peek_is(TokenType::CloseRound));
        }
        expect(TokenType::CloseRound);
        // INT(11) UNSIGNED, as MySQL has it.
        if (peek_word("SIGNED") || peek_word("UNSIGNED"))
        {
            for (const std::string_view one : kSignedTypes)
            {
                if (equals_ignoring_case(type->name, one))
                {
                    type->name = to_upper(type->name) + " " + to_upper(token_text(peek()));
                    type->arguments.clear();
                    type->has_parentheses = false;
                    advance();
                    break;
                }
            }
        }
    }
    return finish(std::move(type), begin);
}

AstPtr Parser::parse_type_argument()
{
    const size_t begin = mark();
    const auto parse_equals = [&](AstPtr left) -> AstPtr
    {
        expect(TokenType::Equals);
        auto equals = make_ast_function("equals", std::move(left), parse_literal());
        equals->is_operator = true;
        return finish(std::move(equals), begin);
    };
    switch (peek().type)
    {
    case TokenType::Number:
    case TokenType::Minus:
    case TokenType::String:
    case TokenType::Heredoc:
    {
        AstPtr literal = parse_literal();
        return peek_is(TokenType::Equals) ? parse_equals(std::move(literal)) : literal;
    }
    case TokenType::OpenRound: // parameters of an aggregate function given as a tuple
        return parse_parenthesised();
    default:
        break;
    }
    if (!peek_identifier())
        fail("data type");
    if (peek_is(TokenType::Word) && peek_is(TokenType::Equals, 1))
    {
        auto name = std::make_shared<AstIdentifier>(parse_identifier());
        return parse_equals(finish(std::move(name), begin));
    }
    // JSON(a.b UInt32, SKIP a.c, SKIP REGEXP 'x')
    if (peek_word("SKIP") && (peek_identifier(1)))
    {
        auto skip = std::make_shared<AstFunction>("SKIP");
        advance();
        if (peek_word("REGEXP") && peek_is(TokenType::String, 1))
        {
            advance();
            skip->name = "SKIP REGEXP";
            skip->arguments.push_back(parse_string_literal());
        }
        else
        {
            const size_t at = mark();
            auto path = std::make_shared<AstIdentifier>();
            path->parts = parse_compound_parts();
            skip->arguments.push_back(finish(std::move(path), at));
        }
        return finish(std::move(skip), begin);
    }
    // A name in front of a type: the word is followed by another one.
    bool pair = false;
    if (peek_is(TokenType::Dot, 1))
        pair = true;
    else if (peek_identifier(1))
    {
        pair = true;
        if (peek_is(TokenType::Word))
        {
            for (const char* words : kLongTypeNames)
                pair = pair && !peek_words(words);
            if ((peek_word("SIGNED", 1) || peek_word("UNSIGNED", 1)) && !peek_identifier(2))
                pair = false;
        }
    }
    if (!pair)
        return parse_type();
    auto element = std::make_shared<AstNameTypePair>();
    element->name = parse_compound_name();
    element->type = parse_type();
    return finish(std::move(element), begin);
}

} // namespace basalt
