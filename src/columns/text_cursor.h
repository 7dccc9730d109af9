#pragma once

// A position in text that is being parsed, and why parsing stopped. Parsers return false after
// fail(); nothing throws, so trying to parse costs little.

#include "base/error.h"
#include "base/int_types.h"

#include <string>
#include <string_view>

namespace basalt
{

struct TextCursor
{
    explicit TextCursor(std::string_view text, bool is_quiet = false)
        : pos(text.data()), end(text.data() + text.size()), quiet(is_quiet)
    {
    }

    const char* pos;
    const char* end;
    bool quiet;      // no message wanted
    int code = 0;    // of the failure, 0 while there is none
    std::string message;

    bool at_end() const { return pos == end; }
    int peek() const { return pos == end ? -1 : static_cast<unsigned char>(*pos); }
    size_t left() const { return static_cast<size_t>(end - pos); }
    std::string_view rest() const { return {pos, left()}; }

    bool skip(char c)
    {
        if (pos == end || *pos != c)
            return false;
        ++pos;
        return true;
    }
    void skip_spaces()
    {
        while (pos != end && (*pos == ' ' || (*pos >= '\t' && *pos <= '\r')))
            ++pos;
    }
    // Spaces and tabs.
    void skip_blanks()
    {
        while (pos != end && (*pos == ' ' || *pos == '\t'))
            ++pos;
    }
    // Consumes `c`, or fails naming it.
    bool expect(char c)
    {
        if (pos != end && *pos == c) [[likely]]
        {
            ++pos;
            return true;
        }
        return fail_expected(std::string_view(&c, 1));
    }
    // Consumes `word` when it stands here (without_case: in any case), or leaves the position.
    bool skip_word(std::string_view word);
    bool skip_word_without_case(std::string_view word);

    // All return false.
    bool fail(int error_code, std::string_view what);
    bool fail_expected(std::string_view what); // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    bool fail_end();                           // ATTEMPT_TO_READ_AFTER_EOF

    [[noreturn]] void throw_error() const { throw Error(code, message); }
};

// `text` for a message: at most 100 bytes, in quotes, control characters escaped.
std::string quoted_excerpt(std::string_view text);

} // namespace basalt
