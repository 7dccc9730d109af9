#include "columns/string_text.h"

namespace basalt
{

namespace
{

bool skip_string(TextCursor& cursor)
{
    ++cursor.pos;
    while (!cursor.at_end())
    {
        const char c = *cursor.pos++;
        if (c == '"')
            return true;
        if (c == '\\' && !cursor.at_end())
            ++cursor.pos;
    }
    return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING,
                       "Cannot parse JSON string: expected closing quote");
}

bool skip_scalar(TextCursor& cursor)
{
    const char c = *cursor.pos;
    if (c == '"')
        return skip_string(cursor);
    if (cursor.skip_word("null") || cursor.skip_word("true") || cursor.skip_word("false") ||
        cursor.skip_word_without_case("nan") || cursor.skip_word_without_case("inf"))
        return true;
    if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
    {
        while (!cursor.at_end())
        {
            const char d = *cursor.pos;
            if (!((d >= '0' && d <= '9') || d == '-' || d == '+' || d == '.' || (d | 0x20) == 'e'))
                break;
            ++cursor.pos;
        }
        cursor.skip_word_without_case("inf");
        return true;
    }
    if (cursor.quiet)
        return cursor.fail(error_codes::INCORRECT_DATA, "");
    return cursor.fail(error_codes::INCORRECT_DATA,
                       "Cannot read JSON field here: " + quoted_excerpt(cursor.rest()) +
                           ". Unexpected symbol " + quoted_excerpt(cursor.rest().substr(0, 1)));
}

} // namespace

bool skip_json_value(TextCursor& cursor)
{
    std::string open; // closing brackets that are awaited
    for (;;)
    {
        // A value is due here.
        cursor.skip_spaces();
        if (cursor.at_end())
            return cursor.fail(error_codes::INCORRECT_DATA, "Unexpected EOF for JSON value");
        bool opened = false;
        if (*cursor.pos == '[' || *cursor.pos == '{')
        {
            if (open.size() >= kMaxJsonDepth)
                return cursor.fail(error_codes::TOO_DEEP_RECURSION,
                                   "JSON value is nested too deeply");
            open += *cursor.pos == '[' ? ']' : '}';
            ++cursor.pos;
            opened = true;
        }
        else if (!skip_scalar(cursor))
            return false;
        // Closing brackets, then a comma leads to the next value.
        for (;;)
        {
            if (open.empty())
                return true;
            cursor.skip_spaces();
            if (cursor.skip(open.back()))
            {
                open.pop_back();
                opened = false;
                continue;
            }
            if (!opened && !cursor.expect(','))
                return false;
            cursor.skip_spaces();
            // A comma before the closing bracket is let pass.
            if (!opened && !cursor.at_end() && *cursor.pos == open.back())
                continue;
            break;
        }
        if (open.back() == '}')
        {
            if (cursor.peek() != '"')
                return cursor.fail_expected("\"");
            if (!skip_string(cursor))
                return false;
            cursor.skip_spaces();
            if (!cursor.expect(':'))
                return false;
        }
    }
}

} // namespace basalt
