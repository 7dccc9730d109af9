#include "columns/text_cursor.h"

namespace basalt
{

namespace
{

constexpr size_t kMaxExcerptBytes = 100;

void append_escaped(std::string& out, std::string_view text)
{
    for (const char c : text)
        switch (c)
        {
        case '\n':
            out += "\\n";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\0':
            out += "\\0";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\'':
            out += "\\'";
            break;
        default:
            out += c;
        }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

} // namespace

std::string quoted_excerpt(std::string_view text)
{
    std::string out = "'";
    append_escaped(out, text.substr(0, kMaxExcerptBytes));
    out += '\'';
    if (text.size() > kMaxExcerptBytes)
        out += "...";
    return out;
}

bool TextCursor::skip_word(std::string_view word)
{
    if (rest().substr(0, word.size()) != word)
        return false;
    pos += word.size();
    return true;
}

bool TextCursor::skip_word_without_case(std::string_view word)
{
    if (left() < word.size())
        return false;
    for (size_t i = 0; i < word.size(); ++i)
        if (lower(pos[i]) != lower(word[i]))
            return false;
    pos += word.size();
    return true;
}

bool TextCursor::fail(int error_code, std::string_view what)
{
    code = error_code;
    if (!quiet)
        message = what;
    return false;
}

bool TextCursor::fail_expected(std::string_view what)
{
    code = error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED;
    if (quiet)
        return false;
    message = "Cannot parse input: expected '";
    append_escaped(message, what);
    if (at_end())
        message += "' at end of stream";
    else
        message += "' before: " + quoted_excerpt(rest());
    return false;
}

bool TextCursor::fail_end()
{
    return fail(error_codes::ATTEMPT_TO_READ_AFTER_EOF, "Attempt to read after eof");
}

} // namespace basalt
