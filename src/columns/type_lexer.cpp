#include "columns/type_lexer.h"

#include <charconv>
#include <cmath>

namespace basalt
{

namespace
{

bool is_word_start(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word_char(char c)
{
    return is_word_start(c) || (c >= '0' && c <= '9');
}

constexpr size_t kMaxLiteralDepth = 64;

} // namespace

void TypeLexer::skip_spaces()
{
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' ||
                                  text_[at_] == '\r' || text_[at_] == '\f' || text_[at_] == '\v'))
        ++at_;
}

void TypeLexer::fail(std::string_view expected) const
{
    constexpr size_t shown = 40;
    throw Error(error_codes::SYNTAX_ERROR,
                "Cannot parse data type: expected " + std::string(expected) + " at position " +
                    std::to_string(at_ + 1) + " ('" + std::string(text_.substr(at_, shown)) +
                    "')");
}

bool TypeLexer::take(char c)
{
    if (at_end() || text_[at_] != c)
        return false;
    ++at_;
    skip_spaces();
    return true;
}

void TypeLexer::expect(char c)
{
    if (!take(c))
        fail(std::string("'") + c + "'");
}

std::string TypeLexer::try_word()
{
    if (at_end() || !is_word_start(text_[at_]))
        return {};
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_]))
        ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    skip_spaces();
    return word;
}

std::string TypeLexer::peek_word()
{
    const Mark start = at_;
    std::string word = try_word();
    at_ = start;
    return word;
}

std::string TypeLexer::word(const char* expected)
{
    std::string word = try_word();
    if (word.empty())
        fail(expected);
    return word;
}

std::string TypeLexer::identifier()
{
    if (!at_end() && (text_[at_] == '`' || text_[at_] == '"'))
        return quoted(text_[at_]);
    return word("a name");
}

std::string TypeLexer::quoted(char quote)
{
    std::string out;
    ++at_;
    for (;;)
    {
        if (at_end())
            fail("a closing quote");
        char c = text_[at_++];
        if (c == quote)
        {
            if (at_ < text_.size() && text_[at_] == quote)
                ++at_; // a doubled quote is the quote itself
            else
                break;
        }
        else if (c == '\\')
        {
            if (at_end())
                fail("a character after \\");
            c = text_[at_++];
            switch (c)
            {
            case 'n': c = '\n'; break;
            case 't': c = '\t'; break;
            case 'r': c = '\r'; break;
            case 'b': c = '\b'; break;
            case 'f': c = '\f'; break;
            case '0': c = '\0'; break;
            default: break;
            }
        }
        out += c;
    }
    skip_spaces();
    return out;
}

Value TypeLexer::number()
{
    const size_t begin = at_;
    const bool negative = text_[at_] == '-';
    if (negative || text_[at_] == '+')
        ++at_;
    const size_t digits = at_;
    bool is_float = false;
    while (at_ < text_.size())
    {
        const char c = text_[at_];
        const bool after_exponent = at_ > digits && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
        if (c == '.' || c == 'e' || c == 'E')
            is_float = true;
        else if (!((c >= '0' && c <= '9') || (after_exponent && (c == '-' || c == '+'))))
            break;
        ++at_;
    }
    const char* from = text_.data() + digits;
    const char* end = text_.data() + at_;
    Value value;
    if (!is_float)
    {
        uint64_t magnitude = 0;
        const auto parsed = std::from_chars(from, end, magnitude);
        if (parsed.ec != std::errc() || parsed.ptr != end)
        {
            at_ = begin;
            fail("a number");
        }
        if (!negative)
            value = magnitude;
        else if (magnitude <= uint64_t{1} << 63)
            value = static_cast<int64_t>(-magnitude);
        else
            value = -static_cast<double>(magnitude);
    }
    else
    {
        double magnitude = 0;
        const auto parsed = std::from_chars(from, end, magnitude);
        if (parsed.ec != std::errc() || parsed.ptr != end)
        {
            at_ = begin;
            fail("a number");
        }
        value = negative ? -magnitude : magnitude;
    }
    skip_spaces();
    return value;
}

Values TypeLexer::items(char end)
{
    if (++depth_ > kMaxLiteralDepth)
        throw Error(error_codes::TOO_DEEP_RECURSION, "A literal in a data type is nested too deep");
    Values values;
    if (!take(end))
    {
        do
        {
            if (end == ')' && !at_end() && text_[at_] == end)
                break; // (1,)
            values.push_back(literal());
        } while (take(','));
        expect(end);
    }
    --depth_;
    return values;
}

Value TypeLexer::literal()
{
    if (at_end())
        fail("a literal");
    const char c = text_[at_];
    if (c == '\'')
        return quoted(c);
    if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
        return number();
    if (take('['))
        return ArrayValue{items(']')};
    if (take('('))
        return TupleValue{items(')')};
    const Mark start = at_;
    const std::string word = try_word();
    if (word == "NULL" || word == "null")
        return Null{};
    if (word == "true" || word == "false")
        return uint64_t{word == "true"};
    if (word == "inf")
        return static_cast<double>(INFINITY);
    if (word == "nan")
        return static_cast<double>(NAN);
    at_ = start;
    fail("a literal");
}

} // namespace basalt
