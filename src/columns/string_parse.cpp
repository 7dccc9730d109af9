#include "columns/serialization.h"
#include "columns/string_text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace basalt
{

namespace
{

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void append(PodVector<char>& to, const char* begin, const char* end)
{
    to.append(begin, static_cast<size_t>(end - begin));
}

// After a backslash. Unknown escapes keep their backslash, so patterns of LIKE survive.
bool parse_escape(TextCursor& cursor, PodVector<char>& to)
{
    if (cursor.at_end())
        return cursor.fail(error_codes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                           "Cannot parse escape sequence");
    const char c = *cursor.pos++;
    switch (c)
    {
    case 'x':
    {
        if (cursor.left() < 2)
            return cursor.fail(error_codes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                               "Cannot parse escape sequence");
        const int high = hex_digit(cursor.pos[0]);
        const int low = hex_digit(cursor.pos[1]);
        cursor.pos += 2;
        to.push_back(static_cast<char>((high & 15) * 16 + (low & 15)));
        return true;
    }
    case 'N': // \N inside of text is nothing
        return true;
    case 'a':
        to.push_back('\a');
        return true;
    case 'b':
        to.push_back('\b');
        return true;
    case 'e':
        to.push_back('\x1B');
        return true;
    case 'f':
        to.push_back('\f');
        return true;
    case 'n':
        to.push_back('\n');
        return true;
    case 'r':
        to.push_back('\r');
        return true;
    case 't':
        to.push_back('\t');
        return true;
    case 'v':
        to.push_back('\v');
        return true;
    case '0':
        to.push_back('\0');
        return true;
    default:
        if (c != '\\' && c != '\'' && c != '"' && c != '`' && c != '/' &&
            static_cast<unsigned char>(c) >= 0x20)
            to.push_back('\\');
        to.push_back(c);
        return true;
    }
}

// First byte at or after pos that equals one of the three.
const char* find_any(const char* pos, const char* end, char a, char b, char c)
{
#ifdef __SSE2__
    const __m128i as = _mm_set1_epi8(a);
    const __m128i bs = _mm_set1_epi8(b);
    const __m128i cs = _mm_set1_epi8(c);
    for (; end - pos >= 16; pos += 16)
    {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pos));
        const __m128i hit = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, as), _mm_cmpeq_epi8(bytes, bs)),
            _mm_cmpeq_epi8(bytes, cs));
        if (const int mask = _mm_movemask_epi8(hit))
            return pos + __builtin_ctz(static_cast<unsigned>(mask));
    }
#endif
    for (; pos != end; ++pos)
        if (*pos == a || *pos == b || *pos == c)
            return pos;
    return end;
}

void append_utf8(PodVector<char>& to, uint32_t code)
{
    if (code < 0x80)
        to.push_back(static_cast<char>(code));
    else if (code < 0x800)
    {
        to.push_back(static_cast<char>(0xC0 | (code >> 6)));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
    else if (code < 0x10000)
    {
        to.push_back(static_cast<char>(0xE0 | (code >> 12)));
        to.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
    else
    {
        to.push_back(static_cast<char>(0xF0 | (code >> 18)));
        to.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
        to.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
        to.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
}

bool bad_json_escape(TextCursor& cursor, std::string_view why)
{
    return cursor.fail(error_codes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                       "Cannot parse escape sequence: " + std::string(why));
}

bool parse_four_hex(TextCursor& cursor, uint32_t& code)
{
    if (cursor.left() < 4)
        return bad_json_escape(cursor, "less than four bytes after \\u");
    code = 0;
    for (int i = 0; i < 4; ++i)
    {
        const int digit = hex_digit(cursor.pos[i]);
        if (digit < 0)
            return bad_json_escape(cursor, "four hex digits expected after \\u");
        code = code * 16 + static_cast<uint32_t>(digit);
    }
    cursor.pos += 4;
    return true;
}

bool parse_json_escape(TextCursor& cursor, PodVector<char>& to)
{
    if (cursor.at_end())
        return bad_json_escape(cursor, "unexpected end");
    const char c = *cursor.pos++;
    switch (c)
    {
    case 'b':
        to.push_back('\b');
        return true;
    case 'f':
        to.push_back('\f');
        return true;
    case 'n':
        to.push_back('\n');
        return true;
    case 'r':
        to.push_back('\r');
        return true;
    case 't':
        to.push_back('\t');
        return true;
    case 'u':
        break;
    default: // also \" \\ \/
        to.push_back(c);
        return true;
    }
    uint32_t code;
    if (!parse_four_hex(cursor, code))
        return false;
    if (code >= 0xD800 && code < 0xDC00)
    {
        uint32_t low;
        if (!cursor.skip_word("\\u"))
            return bad_json_escape(cursor, "missing second part of surrogate pair");
        if (!parse_four_hex(cursor, low))
            return false;
        if (low < 0xDC00 || low >= 0xE000)
            return bad_json_escape(cursor, "incorrect surrogate pair of unicode code points");
        code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
    }
    append_utf8(to, code);
    return true;
}

} // namespace

bool parse_escaped(TextCursor& cursor, PodVector<char>& to)
{
    for (;;)
    {
        const char* stop = find_any(cursor.pos, cursor.end, '\t', '\n', '\\');
        append(to, cursor.pos, stop);
        cursor.pos = stop;
        if (stop == cursor.end || *stop != '\\')
            return true;
        ++cursor.pos;
        if (!parse_escape(cursor, to))
            return false;
    }
}

bool parse_quoted(TextCursor& cursor, PodVector<char>& to)
{
    if (!cursor.skip('\''))
    {
        if (cursor.quiet)
            return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING, "");
        return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING,
                           "Cannot parse quoted string: expected opening quote ''', got " +
                               (cursor.at_end() ? std::string("EOF")
                                                : quoted_excerpt(cursor.rest().substr(0, 1))));
    }
    for (;;)
    {
        const char* stop = find_any(cursor.pos, cursor.end, '\'', '\\', '\'');
        append(to, cursor.pos, stop);
        cursor.pos = stop;
        if (stop == cursor.end)
            return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING,
                               "Cannot parse quoted string: expected closing quote");
        ++cursor.pos;
        if (*stop == '\\')
        {
            if (!parse_escape(cursor, to))
                return false;
        }
        else if (cursor.skip('\''))
            to.push_back('\'');
        else
            return true;
    }
}

bool parse_csv_string(TextCursor& cursor, PodVector<char>& to, const TextOptions& options,
                      bool* was_quoted)
{
    const int first = cursor.peek();
    const bool quoted = (first == '"' && options.csv_allow_double_quotes) ||
                        (first == '\'' && options.csv_allow_single_quotes);
    if (was_quoted)
        *was_quoted = quoted;
    if (quoted)
    {
        const auto quote = static_cast<char>(first);
        ++cursor.pos;
        for (;;)
        {
            const char* stop = find_any(cursor.pos, cursor.end, quote, quote, quote);
            append(to, cursor.pos, stop);
            cursor.pos = stop;
            // The end of the input closes it too.
            if (stop == cursor.end)
                return true;
            ++cursor.pos;
            if (!cursor.skip(quote))
                return true;
            to.push_back(quote);
        }
    }
    const char* stop = find_any(cursor.pos, cursor.end, options.csv_delimiter, '\n', '\r');
    const char* last = stop;
    while (last != cursor.pos && (last[-1] == ' ' || last[-1] == '\t'))
        --last;
    append(to, cursor.pos, last);
    cursor.pos = stop;
    return true;
}

bool parse_json_string(TextCursor& cursor, PodVector<char>& to)
{
    if (!cursor.skip('"'))
    {
        if (cursor.quiet)
            return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING, "");
        return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING,
                           "Cannot parse JSON string: expected opening quote, got " +
                               (cursor.at_end() ? std::string("EOF")
                                                : quoted_excerpt(cursor.rest().substr(0, 1))));
    }
    for (;;)
    {
        const char* stop = find_any(cursor.pos, cursor.end, '"', '\\', '"');
        append(to, cursor.pos, stop);
        cursor.pos = stop;
        if (stop == cursor.end)
            return cursor.fail(error_codes::CANNOT_PARSE_QUOTED_STRING,
                               "Cannot parse JSON string: expected closing quote");
        ++cursor.pos;
        if (*stop == '"')
            return true;
        if (!parse_json_escape(cursor, to))
            return false;
    }
}

} // namespace basalt
