#include "sql/lexer.h"

namespace basalt
{

namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    return (c | 0x20) - 'a' + 10;
}

// Length of the blank at `p`, Unicode's included; 0 when it is none.
size_t blank_length(std::string_view text, size_t p)
{
    const auto byte = [&](size_t i) -> unsigned char
    { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    const unsigned char c = byte(p);
    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return 1;
    if (c < 0xC2)
        return 0;
    if (c == 0xC2 && (byte(p + 1) == 0xA0 || byte(p + 1) == 0x85))
        return 2;
    if (c == 0xE1 && byte(p + 1) == 0x9A && byte(p + 2) == 0x80)
        return 3;
    if (c == 0xE1 && byte(p + 1) == 0xA0 && byte(p + 2) == 0x8E)
        return 3;
    if (c == 0xE2 && byte(p + 1) == 0x80)
    {
        const unsigned char last = byte(p + 2);
        if ((last >= 0x80 && last <= 0x8D) || last == 0xA8 || last == 0xA9 || last == 0xAF)
            return 3;
    }
    if (c == 0xE2 && byte(p + 1) == 0x81 && (byte(p + 2) == 0x9F || byte(p + 2) == 0xA0))
        return 3;
    if (c == 0xE3 && byte(p + 1) == 0x80 && byte(p + 2) == 0x80)
        return 3;
    if (c == 0xEF && byte(p + 1) == 0xBB && byte(p + 2) == 0xBF)
        return 3;
    return 0;
}

} // namespace

bool is_word_character(char c)
{
    return is_letter(c) || is_digit(c);
}

Token Lexer::make(TokenType type, size_t length)
{
    Token token{type, position_, position_ + length};
    position_ += length;
    previous_ = type;
    return token;
}

Token Lexer::fail(size_t end, const char* what)
{
    error_ = what;
    previous_ = TokenType::Error;
    return Token{TokenType::Error, position_, end};
}

// False at a comment that is not closed.
bool Lexer::skip_blanks()
{
    while (position_ < text_.size())
    {
        if (const size_t blank = blank_length(text_, position_))
        {
            position_ += blank;
            continue;
        }
        const char c = text_[position_];
        const char d = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
        if ((c == '-' && d == '-') || (c == '#' && (d == ' ' || d == '!')))
        {
            const size_t line_end = text_.find('\n', position_);
            position_ = line_end == std::string_view::npos ? text_.size() : line_end + 1;
            continue;
        }
        if (c != '/' || d != '*')
            return true;
        size_t p = position_ + 2;
        for (int level = 1; level > 0;)
        {
            p = text_.find_first_of("/*", p);
            if (p == std::string_view::npos || p + 1 >= text_.size())
                return false;
            if (text_[p] == '*' && text_[p + 1] == '/')
            {
                --level;
                p += 2;
            }
            else if (text_[p] == '/' && text_[p + 1] == '*')
            {
                ++level;
                p += 2;
            }
            else
                ++p;
        }
        position_ = p;
    }
    return true;
}

Token Lexer::quoted(TokenType type, char quote, size_t prefix, const char* unclosed)
{
    const char stops[] = {quote, '\\', '\0'};
    size_t p = position_ + prefix + 1;
    while (true)
    {
        p = text_.find_first_of(std::string_view(stops, 2), p);
        if (p == std::string_view::npos)
            return fail(text_.size(), unclosed);
        if (text_[p] == '\\')
        {
            p += 2;
            if (p > text_.size())
                return fail(text_.size(), unclosed);
            continue;
        }
        if (p + 1 < text_.size() && text_[p + 1] == quote)
        {
            p += 2;
            continue;
        }
        return make(type, p + 1 - position_);
    }
}

// Numbers: 12, 1_000, 0x1F, 0b101, 1.5, 1., 1e-5, 0x1.8p3. Digits that letters follow at once are a
// word (1st). After a dot only plain digits: t.1.2 is two tuple elements.
Token Lexer::number()
{
    size_t p = position_;
    const size_t size = text_.size();
    const auto at = [&](size_t i) { return i < size ? text_[i] : '\0'; };
    const auto digits = [&](auto accept)
    {
        const size_t from = p;
        while (accept(at(p)) || (at(p) == '_' && p > from && accept(at(p + 1))))
            ++p;
        return p > from;
    };
    if (previous_ == TokenType::Dot)
    {
        digits(is_digit);
        if (is_word_character(at(p)) || at(p) == '$')
            return word();
        return make(TokenType::Number, p - position_);
    }
    bool hex = false;
    if (at(p) == '0' && (at(p + 1) == 'x' || at(p + 1) == 'X') && is_hex_digit(at(p + 2)))
    {
        p += 2;
        hex = true;
    }
    else if (at(p) == '0' && (at(p + 1) == 'b' || at(p + 1) == 'B') &&
             (at(p + 2) == '0' || at(p + 2) == '1'))
        p += 2;
    if (hex)
        digits(is_hex_digit);
    else
        digits(is_digit);
    if (at(p) == '.' && !is_letter(at(p + 1)))
    {
        ++p;
        if (hex)
            digits(is_hex_digit);
        else
            digits(is_digit);
    }
    const char exponent = static_cast<char>(at(p) | 0x20);
    if (exponent == (hex ? 'p' : 'e'))
    {
        size_t q = p + 1;
        if (at(q) == '+' || at(q) == '-')
            ++q;
        if (is_digit(at(q)))
        {
            p = q;
            digits(is_digit);
        }
    }
    if (is_word_character(at(p)) || at(p) == '$')
        return word();
    return make(TokenType::Number, p - position_);
}

Token Lexer::word()
{
    size_t p = position_;
    while (p < text_.size() && (is_word_character(text_[p]) || text_[p] == '$'))
        ++p;
    return make(TokenType::Word, p - position_);
}

Token Lexer::heredoc_or_dollar()
{
    size_t p = position_ + 1;
    while (p < text_.size() && is_word_character(text_[p]))
        ++p;
    if (p < text_.size() && text_[p] == '$')
    {
        const std::string_view tag = text_.substr(position_, p + 1 - position_);
        const size_t close = text_.find(tag, p + 1);
        if (close != std::string_view::npos)
            return make(TokenType::Heredoc, close + tag.size() - position_);
        return fail(text_.size(), "Heredoc is not closed");
    }
    if (p > position_ + 1)
        return word();
    return make(TokenType::Dollar, 1);
}

Token Lexer::next()
{
    if (previous_ == TokenType::Error)
        return fail(text_.size(), error_);
    if (!skip_blanks())
        return fail(text_.size(), "Multiline comment is not closed");
    if (position_ >= text_.size())
        return Token{TokenType::End, text_.size(), text_.size()};

    const char c = text_[position_];
    const char d = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
    if (is_letter(c))
    {
        if (d == '\'')
        {
            if (c == 'x' || c == 'X')
                return quoted(TokenType::HexString, '\'', 1, "Hex string is not closed");
            if (c == 'b' || c == 'B')
                return quoted(TokenType::BinaryString, '\'', 1, "Binary string is not closed");
        }
        return word();
    }
    if (is_digit(c))
        return number();

    if (postgres_operators_ && (c == '~' || (c == '!' && d == '~')))
    {
        size_t length = c == '!' ? 2 : 1;
        const auto next_is = [&](char wanted)
        { return position_ + length < text_.size() && text_[position_ + length] == wanted; };
        length += next_is('~') ? 1 : 0;
        length += next_is('*') ? 1 : 0;
        return make(TokenType::PostgresOperator, length);
    }
    switch (c)
    {
    case '\'':
        return quoted(TokenType::String, c, 0, "Single quoted string is not closed");
    case '"':
        return quoted(TokenType::QuotedIdentifier, c, 0, "Double quoted string is not closed");
    case '`':
        return quoted(TokenType::QuotedIdentifier, c, 0, "Back quoted string is not closed");
    case '(':
        return make(TokenType::OpenRound, 1);
    case ')':
        return make(TokenType::CloseRound, 1);
    case '[':
        return make(TokenType::OpenSquare, 1);
    case ']':
        return make(TokenType::CloseSquare, 1);
    case '{':
        return make(TokenType::OpenCurly, 1);
    case '}':
        return make(TokenType::CloseCurly, 1);
    case ',':
        return make(TokenType::Comma, 1);
    case ';':
        return make(TokenType::Semicolon, 1);
    case '.':
        return make(TokenType::Dot, 1);
    case '*':
        return make(TokenType::Asterisk, 1);
    case '+':
        return make(TokenType::Plus, 1);
    case '-':
        return d == '>' ? make(TokenType::Arrow, 2) : make(TokenType::Minus, 1);
    case '/':
        return make(TokenType::Slash, 1);
    case '%':
        return make(TokenType::Percent, 1);
    case '?':
        return make(TokenType::Question, 1);
    case ':':
        return d == ':' ? make(TokenType::DoubleColon, 2) : make(TokenType::Colon, 1);
    case '=':
        return make(TokenType::Equals, d == '=' ? 2 : 1);
    case '!':
        if (d == '=')
            return make(TokenType::NotEquals, 2);
        return fail(position_ + 1, "Unrecognized token");
    case '<':
        if (d == '=' && position_ + 2 < text_.size() && text_[position_ + 2] == '>')
            return make(TokenType::Spaceship, 3);
        if (d == '=')
            return make(TokenType::LessOrEquals, 2);
        if (d == '>')
            return make(TokenType::NotEquals, 2);
        return make(TokenType::Less, 1);
    case '>':
        return d == '=' ? make(TokenType::GreaterOrEquals, 2) : make(TokenType::Greater, 1);
    case '|':
        return d == '|' ? make(TokenType::Concat, 2) : make(TokenType::Pipe, 1);
    case '@':
        return d == '@' ? make(TokenType::DoubleAt, 2) : make(TokenType::At, 1);
    case '^':
        return make(TokenType::Caret, 1);
    case '$':
        return heredoc_or_dollar();
    case '\\':
        if (d == 'G')
            return make(TokenType::VerticalDelimiter, 2);
        return fail(position_ + 1, "Unrecognized token");
    default:
        return fail(position_ + 1, "Unrecognized token");
    }
}

namespace
{

// One escape: `p` stands after the backslash and is moved beyond the escape.
void append_escape(std::string_view text, size_t& p, std::string& value)
{
    const char c = text[p++];
    switch (c)
    {
    case 'a':
        value.push_back('\a');
        return;
    case 'b':
        value.push_back('\b');
        return;
    case 'e':
        value.push_back('\x1B');
        return;
    case 'f':
        value.push_back('\f');
        return;
    case 'n':
        value.push_back('\n');
        return;
    case 'r':
        value.push_back('\r');
        return;
    case 't':
        value.push_back('\t');
        return;
    case 'v':
        value.push_back('\v');
        return;
    case '0':
        value.push_back('\0');
        return;
    case 'N': // NULL marker of text formats: nothing
        return;
    case 'x':
        if (p + 1 < text.size() && is_hex_digit(text[p]) && is_hex_digit(text[p + 1]))
        {
            value.push_back(static_cast<char>(hex_value(text[p]) * 16 + hex_value(text[p + 1])));
            p += 2;
            return;
        }
        break;
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '/':
        value.push_back(c);
        return;
    default:
        break;
    }
    value.push_back('\\');
    value.push_back(c);
}

bool hex_string(std::string_view digits, std::string& value)
{
    int pending = digits.size() % 2 == 1 ? 0 : -1;
    for (char c : digits)
    {
        if (!is_hex_digit(c))
            return false;
        if (pending < 0)
            pending = hex_value(c);
        else
        {
            value.push_back(static_cast<char>(pending * 16 + hex_value(c)));
            pending = -1;
        }
    }
    return true;
}

bool binary_string(std::string_view digits, std::string& value)
{
    size_t bits = (8 - digits.size() % 8) % 8;
    unsigned byte = 0;
    for (char c : digits)
    {
        if (c != '0' && c != '1')
            return false;
        byte = byte * 2 + static_cast<unsigned>(c - '0');
        if (++bits == 8)
        {
            value.push_back(static_cast<char>(byte));
            byte = 0;
            bits = 0;
        }
    }
    return true;
}

} // namespace

bool unquote_token(TokenType type, std::string_view text, std::string& value)
{
    value.clear();
    if (type == TokenType::HexString)
        return hex_string(text.substr(2, text.size() - 3), value);
    if (type == TokenType::BinaryString)
        return binary_string(text.substr(2, text.size() - 3), value);
    if (type == TokenType::Heredoc)
    {
        const size_t tag = text.find('$', 1) + 1;
        value.assign(text.substr(tag, text.size() - 2 * tag));
        return true;
    }
    const char quote = text.front();
    const char stops[] = {quote, '\\'};
    text = text.substr(1, text.size() - 2);
    value.reserve(text.size());
    size_t p = 0;
    while (p < text.size())
    {
        size_t stop = text.find_first_of(std::string_view(stops, 2), p);
        if (stop == std::string_view::npos)
            stop = text.size();
        value.append(text.substr(p, stop - p));
        p = stop;
        if (p == text.size())
            break;
        if (text[p] == quote)
        {
            value.push_back(quote);
            p += 2;
            continue;
        }
        ++p;
        append_escape(text, p, value);
    }
    return true;
}

} // namespace basalt
