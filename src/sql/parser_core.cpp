#include "base/error.h"
#include "sql/parser_impl.h"

#include <algorithm>
#include <charconv>

namespace basalt
{

namespace
{

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

// Longest rest of the query shown in an error.
constexpr size_t kMaxErrorTextBytes = 160;

} // namespace

std::string to_upper(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = upper(c);
    return result;
}

bool equals_ignoring_case(std::string_view text, std::string_view upper_text)
{
    if (text.size() != upper_text.size())
        return false;
    for (size_t i = 0; i < text.size(); ++i)
        if (upper(text[i]) != upper_text[i])
            return false;
    return true;
}

Parser::Parser(std::string_view text, size_t offset, const ParserLimits& limits)
    : text_(text), limits_(limits), lexer_(text, offset),
      stack_base_(static_cast<const char*>(__builtin_frame_address(0)))
{
    if (limits_.max_depth == 0 || limits_.max_depth > kMaxParserDepth)
        limits_.max_depth = kMaxParserDepth;
    if (limits_.max_height == 0 || limits_.max_height > kMaxAstHeight)
        limits_.max_height = kMaxAstHeight;
    tokens_.reserve(64);
    if (limits_.postgres)
        lexer_.use_postgres_operators();
}

void Parser::read_token()
{
    const Token token = lexer_.next();
    if (token.type == TokenType::Error)
    {
        tokens_.push_back(token);
        furthest_ = tokens_.size() - 1;
        throw_syntax_error(furthest_, "");
    }
    if (token.end > UINT32_MAX)
        throw Error(error_codes::SYNTAX_ERROR, "Query text is larger than 4 GiB");
    tokens_.push_back(token);
}

void Parser::enter()
{
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    const size_t used = static_cast<size_t>(std::max(stack_base_, here) -
                                            std::min(stack_base_, here));
    if (++depth_ > limits_.max_depth || used > kMaxParserStackBytes)
    {
        --depth_;
        throw Error(error_codes::TOO_DEEP_RECURSION,
                    "Maximum parse depth (" + std::to_string(limits_.max_depth) +
                        ") exceeded. Consider raising the max_parser_depth setting");
    }
}

void Parser::rewind(size_t mark)
{
    position_ = mark;
    if (limits_.max_backtracks != 0 && ++backtracks_ > limits_.max_backtracks)
        throw Error(error_codes::TOO_SLOW_PARSING,
                    "Maximum amount of backtracking (" + std::to_string(limits_.max_backtracks) +
                        ") exceeded in the parser. Consider raising the max_parser_backtracks "
                        "setting");
}

void Parser::finish_node(Ast& node, size_t mark)
{
    node.begin = static_cast<uint32_t>(tokens_[mark].begin);
    node.end = static_cast<uint32_t>(position_ > mark ? tokens_[position_ - 1].end
                                                      : tokens_[mark].begin);
    uint32_t height = 0;
    node.for_each_child([&](AstPtr& child) { height = std::max(height, child->height); });
    node.height = height + 1;
    if (node.height > limits_.max_height)
        throw Error(error_codes::TOO_DEEP_AST,
                    "AST is too deep. Maximum: " + std::to_string(limits_.max_height));
}

bool Parser::peek_word(std::string_view word, size_t ahead)
{
    const Token& token = peek(ahead);
    return token.type == TokenType::Word && token.end - token.begin == word.size() &&
           upper(text_[token.begin]) == word.front() &&
           equals_ignoring_case(token_text(token), word);
}

bool Parser::words_match(std::string_view words, size_t& count)
{
    count = 0;
    while (true)
    {
        const size_t space = words.find(' ');
        if (!peek_word(words.substr(0, space), count))
            return false;
        ++count;
        if (space == std::string_view::npos)
            return true;
        words.remove_prefix(space + 1);
    }
}

bool Parser::peek_words(std::string_view words)
{
    size_t count = 0;
    return words_match(words, count);
}

bool Parser::accept_word(const char* words)
{
    size_t count = 0;
    if (words_match(words, count))
    {
        position_ += count;
        return true;
    }
    expected(words);
    return false;
}

bool Parser::accept(TokenType type, const char* what)
{
    if (peek_is(type))
    {
        ++position_;
        return true;
    }
    expected(what);
    return false;
}

void Parser::expect(TokenType type)
{
    if (!accept(type))
        fail();
}

void Parser::expect_word(const char* words)
{
    if (!accept_word(words))
        fail();
}

void Parser::expected(const char* what)
{
    if (position_ < furthest_)
        return;
    if (position_ > furthest_)
    {
        furthest_ = position_;
        expected_.clear();
    }
    for (const char* one : expected_)
        if (one == what)
            return;
    expected_.push_back(what);
}

const char* Parser::token_name(TokenType type)
{
    switch (type)
    {
    case TokenType::End:
        return "end of query";
    case TokenType::Word:
    case TokenType::QuotedIdentifier:
        return "identifier";
    case TokenType::String:
    case TokenType::Heredoc:
    case TokenType::HexString:
    case TokenType::BinaryString:
        return "string literal";
    case TokenType::Number:
        return "number";
    case TokenType::OpenRound:
        return "opening round bracket";
    case TokenType::CloseRound:
        return "closing round bracket";
    case TokenType::OpenSquare:
        return "opening square bracket";
    case TokenType::CloseSquare:
        return "closing square bracket";
    case TokenType::OpenCurly:
        return "opening curly bracket";
    case TokenType::CloseCurly:
        return "closing curly bracket";
    case TokenType::Comma:
        return "comma";
    case TokenType::Dot:
        return "dot";
    case TokenType::Colon:
        return "colon";
    case TokenType::Equals:
        return "equals";
    case TokenType::Arrow:
        return "arrow";
    default:
        return "token";
    }
}

bool Parser::at_end()
{
    const TokenType type = peek().type;
    return type == TokenType::End || type == TokenType::Semicolon ||
           type == TokenType::VerticalDelimiter;
}

void Parser::expect_end()
{
    while (accept(TokenType::Semicolon, "end of query") ||
           accept(TokenType::VerticalDelimiter, "end of query"))
    {
    }
    if (!peek_is(TokenType::End))
        fail("end of query");
}

void Parser::fail()
{
    furthest_ = std::max(furthest_, position_);
    position_ = furthest_;
    check_parentheses();
    std::string list;
    for (const char* one : expected_)
    {
        // The same words may stand at two addresses.
        const std::string item = list.empty() ? one : std::string(", ") + one;
        if (list == one || list.rfind(std::string(one) + ", ", 0) == 0 ||
            (!list.empty() && (list + ", ").find(item + ", ") != std::string::npos))
            continue;
        list += item;
    }
    throw_syntax_error(furthest_, list.empty() ? "" : "Expected one of: " + list);
}

// Reads on to the end of the statement; brackets that do not pair are the likelier mistake.
void Parser::check_parentheses()
{
    std::vector<size_t> open;
    for (size_t i = 0;; ++i)
    {
        while (tokens_.size() <= i)
            read_token();
        const TokenType type = tokens_[i].type;
        if (type == TokenType::End || type == TokenType::Semicolon)
            break;
        if (type == TokenType::OpenRound || type == TokenType::OpenSquare)
            open.push_back(i);
        else if (type == TokenType::CloseRound || type == TokenType::CloseSquare)
        {
            const TokenType opening =
                type == TokenType::CloseRound ? TokenType::OpenRound : TokenType::OpenSquare;
            if (open.empty())
                throw_syntax_error(i, "Unmatched parentheses: " +
                                          std::string(token_text(tokens_[i])));
            if (tokens_[open.back()].type != opening)
                throw_syntax_error(open.back(),
                                   "Unmatched parentheses: " +
                                       std::string(token_text(tokens_[open.back()])) +
                                       std::string(token_text(tokens_[i])));
            open.pop_back();
        }
    }
    if (!open.empty())
        throw_syntax_error(open.back(), "Unmatched parentheses: " +
                                            std::string(token_text(tokens_[open.back()])));
}

void Parser::throw_syntax_error(size_t index, const std::string& detail)
{
    while (tokens_.size() <= index)
        read_token();
    const Token& token = tokens_[index];
    std::string message;
    if (token.type == TokenType::Error)
        message += std::string(lexer_.error()) + ": ";
    message += "Syntax error: failed at position " + std::to_string(token.begin + 1) + " (";
    if (token.type == TokenType::End)
        message += "end of query";
    else
        message += token_text(token).substr(0, kMaxErrorTextBytes);
    message += ")";
    const std::string_view before = text_.substr(0, token.begin);
    if (text_.find('\n') != std::string_view::npos)
    {
        const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
        const size_t line_begin = before.rfind('\n') + 1; // npos + 1 == 0
        message += " (line " + std::to_string(line) + ", col " +
                   std::to_string(token.begin - line_begin + 1) + ")";
    }
    std::string_view rest = text_.substr(token.begin, kMaxErrorTextBytes);
    // Not in the middle of a UTF-8 sequence.
    if (rest.size() == kMaxErrorTextBytes)
    {
        size_t size = rest.size();
        while (size > 0 && (static_cast<unsigned char>(rest[size - 1]) & 0xC0) == 0x80)
            --size;
        if (size > 0 && (static_cast<unsigned char>(rest[size - 1]) & 0x80) != 0)
            --size;
        rest = rest.substr(0, size);
    }
    message += ": ";
    message += rest;
    if (token.begin + rest.size() < text_.size())
        message += "...";
    if (!detail.empty())
        message += ". " + detail;
    throw Error(error_codes::SYNTAX_ERROR, message);
}

void Parser::not_implemented(const std::string& what)
{
    throw Error(error_codes::NOT_IMPLEMENTED, what + " is not implemented");
}

} // namespace basalt
