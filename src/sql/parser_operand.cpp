// Operands: literals, names, brackets, and the postfix operators [] . ::

#include "base/error.h"
#include "sql/parser_impl.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace basalt
{

// The value of a number token, perhaps with a sign in front: position_ stands after it.
AstPtr Parser::make_number(size_t index, bool negative)
{
    const std::string_view spelling = token_text(tokens_[index]);
    std::string digits;
    digits.reserve(spelling.size());
    for (char c : spelling)
        if (c != '_')
            digits.push_back(c);

    auto literal = std::make_shared<AstLiteral>();
    literal->text = negative ? "-" + digits : digits;
    int base = 10;
    std::string_view body = digits;
    if (body.size() > 2 && body[0] == '0' && (body[1] | 0x20) == 'x')
        base = 16;
    else if (body.size() > 2 && body[0] == '0' && (body[1] | 0x20) == 'b')
        base = 2;
    if (base != 10)
        body.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), value, base);
    const bool whole = end == body.data() + body.size();
    constexpr uint64_t kMinInt64 = uint64_t{1} << 63;
    if (whole && status == std::errc() && (!negative || value <= kMinInt64))
    {
        if (negative && value != 0)
        {
            literal->literal_kind = LiteralKind::Int64;
            literal->signed_value = static_cast<int64_t>(0 - value);
        }
        else
        {
            literal->literal_kind = LiteralKind::UInt64;
            literal->unsigned_value = value;
        }
        return literal;
    }
    literal->literal_kind = LiteralKind::Float64;
    double number = 0;
    if (base == 2)
    {
        for (char c : body)
            number = number * 2 + (c - '0');
    }
    else
        number = std::strtod(digits.c_str(), nullptr); // the locale of the process is "C"
    if (!std::isfinite(number))
    {
        position_ = index;
        fail("number that fits in Float64");
    }
    literal->float_value = negative ? -number : number;
    return literal;
}

AstPtr Parser::parse_number_literal()
{
    const size_t begin = mark();
    const bool negative = accept(TokenType::Minus, "minus");
    if (!negative)
        accept(TokenType::Plus, "plus");
    if (!peek_is(TokenType::Number))
        fail("number");
    const size_t index = mark();
    advance();
    AstPtr literal = make_number(index, negative);
    return finish(std::static_pointer_cast<AstLiteral>(literal), begin);
}

AstPtr Parser::parse_string_literal()
{
    const size_t begin = mark();
    std::string value = parse_string();
    return finish(AstLiteral::string(std::move(value)), begin);
}

namespace
{

bool is_string_token(TokenType type)
{
    return type == TokenType::String || type == TokenType::Heredoc ||
           type == TokenType::HexString || type == TokenType::BinaryString;
}

// A literal, or an array or tuple of nothing else: x::T then takes its text rather than its value.
bool is_plain_collection(const AstPtr& ast)
{
    if (const auto* literal = ast->as<AstLiteral>())
        return literal->literal_kind != LiteralKind::Null &&
               literal->literal_kind != LiteralKind::Bool && literal->alias.empty() &&
               !literal->parenthesized;
    const auto* function = ast->as<AstFunction>();
    if (function == nullptr || !function->is_operator || !function->alias.empty() ||
        (function->name != "array" && function->name != "tuple"))
        return false;
    for (const AstPtr& argument : function->arguments)
        if (!is_plain_collection(argument))
            return false;
    return true;
}

} // namespace

AstPtr Parser::parse_operand()
{
    const size_t begin = mark();
    AstPtr operand;
    const Token token = peek();
    switch (token.type)
    {
    case TokenType::Minus:
    case TokenType::Number:
        operand = parse_number_literal();
        break;
    case TokenType::String:
    case TokenType::Heredoc:
    case TokenType::HexString:
    case TokenType::BinaryString:
        operand = parse_string_literal();
        break;
    case TokenType::OpenRound:
        if (peek_lambda())
            return parse_lambda();
        operand = parse_parenthesised();
        break;
    case TokenType::OpenSquare:
        operand = parse_array_literal();
        break;
    case TokenType::OpenCurly:
        operand = is_string_token(peek(1).type) || peek_is(TokenType::Number, 1) ||
                          peek_is(TokenType::CloseCurly, 1)
                      ? parse_map_literal()
                      : parse_query_parameter();
        break;
    case TokenType::Asterisk:
        return parse_asterisk({}, begin);
    case TokenType::Word:
        if (peek_is(TokenType::Arrow, 1))
            return parse_lambda();
        if (limits_.postgres)
            operand = parse_postgres_word();
        if (!operand)
            operand = parse_word_operand();
        break;
    case TokenType::QuotedIdentifier:
        if (peek_is(TokenType::Arrow, 1))
            return parse_lambda();
        operand = parse_name_operand();
        break;
    case TokenType::DoubleAt:
    {
        advance();
        std::vector<std::string> parts = parse_compound_parts();
        auto function = make_ast_function("globalVariable",
                                          AstPtr(AstLiteral::string(parts.back())));
        function->arguments.front()->begin = static_cast<uint32_t>(token.begin);
        function->alias = "@@" + parts.back();
        operand = finish(std::move(function), begin);
        break;
    }
    default:
        expected("literal");
        expected("identifier");
        expected("function");
        expected("opening round bracket");
        expected("opening square bracket");
        expected("asterisk");
        expected("substitution");
        fail("CASE");
    }
    if (operand->as<AstAsterisk>() != nullptr || operand->as<AstColumnsMatcher>() != nullptr)
        return operand;

    while (true)
    {
        if (peek_is(TokenType::OpenSquare))
        {
            advance();
            auto function = std::make_shared<AstFunction>("arrayElement");
            function->is_operator = true;
            function->arguments.push_back(std::move(operand));
            function->arguments.push_back(parse_aliased());
            expect(TokenType::CloseSquare);
            operand = finish(std::move(function), begin);
        }
        else if (peek_is(TokenType::Dot))
            operand = parse_dot_postfix(std::move(operand), begin);
        else if (peek_is(TokenType::DoubleColon))
            operand = parse_cast_postfix(std::move(operand), begin);
        else if (!limits_.postgres || !accept_collate())
            return operand;
    }
}

AstPtr Parser::parse_cast_postfix(AstPtr operand, size_t begin)
{
    const size_t operand_end = mark();
    advance();
    if (limits_.postgres)
        if (AstPtr cast = parse_postgres_cast(operand, begin))
            return cast;
    auto function = std::make_shared<AstFunction>("CAST");
    if (is_plain_collection(operand))
    {
        auto* literal = operand->as<AstLiteral>();
        if (literal == nullptr || !literal->is_string())
        {
            const size_t from = tokens_[begin].begin;
            const size_t to = tokens_[operand_end - 1].end;
            auto text = AstLiteral::string(std::string(text_.substr(from, to - from)));
            text->begin = operand->begin;
            text->end = operand->end;
            operand = std::move(text);
        }
    }
    const size_t type_begin = mark();
    AstPtr type = parse_type();
    function->arguments.push_back(std::move(operand));
    function->arguments.push_back(
        finish(AstLiteral::string(type->as<AstTypeName>()->to_text()), type_begin));
    return finish(std::move(function), begin);
}

// x.1, x.-1 and x.name of anything that is not a plain name.
AstPtr Parser::parse_dot_postfix(AstPtr operand, size_t begin)
{
    advance();
    auto function = std::make_shared<AstFunction>("tupleElement");
    function->is_operator = true;
    function->arguments.push_back(std::move(operand));
    const size_t index = mark();
    if (peek_is(TokenType::Number) || (peek_is(TokenType::Minus) && peek_is(TokenType::Number, 1)))
    {
        AstPtr number = parse_number_literal();
        const auto kind = number->as<AstLiteral>()->literal_kind;
        if (kind != LiteralKind::UInt64 && kind != LiteralKind::Int64)
        {
            position_ = index;
            fail("tuple element index");
        }
        function->arguments.push_back(std::move(number));
    }
    else
    {
        std::string name = parse_identifier();
        function->arguments.push_back(finish(AstLiteral::string(std::move(name)), index));
    }
    return finish(std::move(function), begin);
}

bool Parser::peek_lambda()
{
    size_t ahead = 1;
    if (!peek_is(TokenType::CloseRound, ahead))
    {
        while (true)
        {
            if (!peek_identifier(ahead))
                return false;
            ++ahead;
            if (peek_is(TokenType::CloseRound, ahead))
                break;
            if (!peek_is(TokenType::Comma, ahead))
                return false;
            ++ahead;
            if (peek_is(TokenType::CloseRound, ahead))
                break;
        }
    }
    return peek_is(TokenType::Arrow, ahead + 1);
}

AstPtr Parser::parse_lambda()
{
    const size_t begin = mark();
    auto lambda = std::make_shared<AstLambda>();
    if (accept(TokenType::OpenRound))
    {
        while (!accept(TokenType::CloseRound))
        {
            lambda->parameters.push_back(parse_identifier());
            accept(TokenType::Comma);
        }
    }
    else
        lambda->parameters.push_back(parse_identifier());
    expect(TokenType::Arrow);
    lambda->body = parse_expression();
    return finish(std::move(lambda), begin);
}

bool Parser::peek_subquery(size_t ahead)
{
    const auto begins_operand = [&](size_t at)
    {
        const TokenType type = peek(at).type;
        return type != TokenType::Comma && type != TokenType::CloseRound &&
               type != TokenType::Dot && type != TokenType::End && type != TokenType::Equals;
    };
    if (peek_word("SELECT", ahead))
        return begins_operand(ahead + 1) && !peek_word("AS", ahead + 1);
    if (peek_word("WITH", ahead) || peek_word("EXPLAIN", ahead))
        return peek_is(TokenType::Word, ahead + 1) ||
               peek_is(TokenType::QuotedIdentifier, ahead + 1) ||
               peek_is(TokenType::OpenRound, ahead + 1) ||
               peek_is(TokenType::OpenSquare, ahead + 1) ||
               peek_is(TokenType::OpenCurly, ahead + 1) ||
               peek_is(TokenType::Number, ahead + 1) || peek_is(TokenType::String, ahead + 1);
    if (peek_word("FROM", ahead))
        return (peek_is(TokenType::Word, ahead + 1) && !peek_word("AS", ahead + 1) &&
                !peek_is(TokenType::CloseRound, ahead + 2)) ||
               peek_is(TokenType::QuotedIdentifier, ahead + 1) ||
               peek_is(TokenType::OpenRound, ahead + 1);
    return false;
}

// '(' SELECT ... ')'
AstPtr Parser::parse_subquery_in_parentheses()
{
    const size_t begin = mark();
    expect(TokenType::OpenRound);
    auto subquery = std::make_shared<AstSubquery>();
    subquery->query = peek_word("EXPLAIN") ? parse_explain() : parse_select_union();
    expect(TokenType::CloseRound);
    return finish(std::move(subquery), begin);
}

// (x), (x, y), (x,), (), (SELECT ..), ((SELECT ..) UNION ..)
AstPtr Parser::parse_parenthesised()
{
    const size_t begin = mark();
    if (peek_subquery(1))
        return parse_subquery_in_parentheses();
    const DepthGuard guard(*this);
    expect(TokenType::OpenRound);
    auto tuple = std::make_shared<AstFunction>("tuple");
    tuple->is_operator = true;
    bool comma = false;
    while (!peek_is(TokenType::CloseRound))
    {
        AstPtr element = parse_aliased();
        if (tuple->arguments.empty() && element->as<AstSubquery>() != nullptr &&
            element->alias.empty() && peek_set_operation() &&
            element->as<AstSubquery>()->query->kind == AstKind::SelectUnion)
        {
            auto subquery = std::make_shared<AstSubquery>();
            subquery->query =
                continue_select_union(element->as<AstSubquery>()->query, begin + 1);
            expect(TokenType::CloseRound);
            return finish(std::move(subquery), begin);
        }
        tuple->arguments.push_back(std::move(element));
        comma = accept(TokenType::Comma);
        if (!comma)
            break;
    }
    expect(TokenType::CloseRound);
    if (tuple->arguments.size() != 1 || comma)
        return finish(std::move(tuple), begin);
    AstPtr only = std::move(tuple->arguments.front());
    only->parenthesized = true;
    only->alias_in_parentheses = !only->alias.empty();
    return only;
}

AstPtr Parser::parse_array_literal()
{
    const size_t begin = mark();
    const DepthGuard guard(*this);
    expect(TokenType::OpenSquare);
    auto array = std::make_shared<AstFunction>("array");
    array->is_operator = true;
    if (!peek_is(TokenType::CloseSquare))
        array->arguments = parse_expression_list();
    expect(TokenType::CloseSquare);
    return finish(std::move(array), begin);
}

AstPtr Parser::parse_map_literal()
{
    const size_t begin = mark();
    const DepthGuard guard(*this);
    expect(TokenType::OpenCurly);
    auto map = std::make_shared<AstFunction>("map");
    map->is_operator = true;
    while (!peek_is(TokenType::CloseCurly))
    {
        map->arguments.push_back(parse_operators(3));
        expect(TokenType::Colon);
        map->arguments.push_back(parse_expression());
        if (!accept(TokenType::Comma))
            break;
    }
    expect(TokenType::CloseCurly);
    return finish(std::move(map), begin);
}

AstPtr Parser::parse_query_parameter()
{
    const size_t begin = mark();
    expect(TokenType::OpenCurly);
    auto parameter = std::make_shared<AstQueryParameter>();
    parameter->name = parse_identifier();
    expect(TokenType::Colon);
    parameter->type = parse_type()->as<AstTypeName>()->to_text();
    expect(TokenType::CloseCurly);
    return finish(std::move(parameter), begin);
}

AstPtr Parser::parse_asterisk(std::vector<std::string> qualifier, size_t begin)
{
    expect(TokenType::Asterisk);
    auto asterisk = std::make_shared<AstAsterisk>();
    asterisk->qualifier = std::move(qualifier);
    parse_transformers(asterisk->transformers);
    return finish(std::move(asterisk), begin);
}

AstPtr Parser::parse_columns_matcher(std::vector<std::string> qualifier, size_t begin)
{
    expect_word("COLUMNS");
    expect(TokenType::OpenRound);
    auto matcher = std::make_shared<AstColumnsMatcher>();
    matcher->qualifier = std::move(qualifier);
    if (is_string_token(peek().type))
    {
        matcher->is_regex = true;
        matcher->regex = parse_string();
    }
    else
    {
        do
        {
            const size_t at = mark();
            auto column = std::make_shared<AstIdentifier>();
            column->parts = parse_compound_parts();
            matcher->columns.push_back(finish(std::move(column), at));
        } while (accept(TokenType::Comma));
    }
    expect(TokenType::CloseRound);
    parse_transformers(matcher->transformers);
    return finish(std::move(matcher), begin);
}

void Parser::parse_transformers(AstList& transformers)
{
    while (true)
    {
        const size_t begin = mark();
        auto node = std::make_shared<AstColumnsTransformer>();
        // EXCEPT that begins a set operation is not ours.
        if (peek_word("EXCEPT") && !peek_word("SELECT", 1) && !peek_word("ALL", 1) &&
            !peek_word("DISTINCT", 1) && !peek_word("WITH", 1) &&
            !(peek_is(TokenType::OpenRound, 1) && peek_subquery(2)))
        {
            advance();
            node->strict = accept_word("STRICT");
            const bool brackets = accept(TokenType::OpenRound);
            if (is_string_token(peek().type))
            {
                node->is_regex = true;
                node->regex = parse_string();
            }
            else
            {
                do
                    node->names.push_back(parse_compound_name());
                while (brackets && accept(TokenType::Comma));
            }
            if (brackets)
                expect(TokenType::CloseRound);
        }
        else if (accept_word("REPLACE"))
        {
            node->transformer = TransformerKind::Replace;
            node->strict = accept_word("STRICT");
            const bool brackets = accept(TokenType::OpenRound);
            do
            {
                AstPtr expression = parse_expression();
                expect_word("AS");
                expression->alias = parse_identifier();
                node->expressions.push_back(std::move(expression));
            } while (brackets && accept(TokenType::Comma));
            if (brackets)
                expect(TokenType::CloseRound);
        }
        else if (accept_word("APPLY"))
        {
            node->transformer = TransformerKind::Apply;
            const bool brackets = accept(TokenType::OpenRound);
            if (peek_is(TokenType::Arrow, 1) || (peek_is(TokenType::OpenRound) && peek_lambda()))
                node->function = parse_lambda();
            else
                node->function = parse_simple_function();
            if (brackets)
            {
                if (accept(TokenType::Comma))
                    node->column_name_prefix = parse_string();
                expect(TokenType::CloseRound);
            }
        }
        else
            return;
        transformers.push_back(finish(std::move(node), begin));
    }
}

} // namespace basalt
