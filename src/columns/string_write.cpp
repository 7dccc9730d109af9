#include "columns/string_text.h"

#include "base/unaligned.h"

#include <array>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace basalt
{

namespace
{

// Per byte: 0 = as it is; 'x' = \x; 'u' = \u00XX.
using EscapeTable = std::array<char, 256>;

constexpr EscapeTable make_escapes()
{
    EscapeTable table{};
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    table[0] = '0';
    table['\\'] = '\\';
    table['\''] = '\'';
    return table;
}

constexpr EscapeTable make_json_escapes(bool slashes)
{
    EscapeTable table{};
    for (size_t i = 0; i < 0x20; ++i)
        table[i] = 'u';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    table['\\'] = '\\';
    table['"'] = '"';
    if (slashes)
        table['/'] = '/';
    return table;
}

constexpr EscapeTable kEscapes = make_escapes();
constexpr EscapeTable kJsonEscapes = make_json_escapes(false);
constexpr EscapeTable kJsonSlashEscapes = make_json_escapes(true);

// First byte that may need escaping: control characters, \ and `quote` (and `other`).
template <bool kHasOther>
const char* find_special(const char* pos, const char* end, char quote, char other)
{
#ifdef __SSE2__
    const __m128i quotes = _mm_set1_epi8(quote);
    const __m128i others = _mm_set1_epi8(other);
    const __m128i backslashes = _mm_set1_epi8('\\');
    const __m128i highest_control = _mm_set1_epi8(0x1F);
    while (end - pos >= 16)
    {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pos));
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, backslashes));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(bytes, highest_control), bytes));
        if constexpr (kHasOther)
            hit = _mm_or_si128(hit, _mm_cmpeq_epi8(bytes, others));
        const int mask = _mm_movemask_epi8(hit);
        if (mask)
            return pos + __builtin_ctz(static_cast<unsigned>(mask));
        pos += 16;
    }
#endif
    for (; pos != end; ++pos)
        if (static_cast<unsigned char>(*pos) < 0x20 || *pos == quote || *pos == '\\' ||
            (kHasOther && *pos == other))
            return pos;
    return end;
}

template <bool kHasOther>
void write_with_escapes(OutputBuffer& out, std::string_view text, const EscapeTable& table,
                        char quote, char other)
{
    const char* pos = text.data();
    const char* const end = pos + text.size();
    while (pos != end)
    {
        const char* special = find_special<kHasOther>(pos, end, quote, other);
        out.write(pos, static_cast<size_t>(special - pos));
        if (special == end)
            return;
        pos = special + 1;
        const auto byte = static_cast<unsigned char>(*special);
        const char escape = table[byte];
        char* to = out.reserve(6);
        if (escape == 0)
        {
            *to = *special;
            out.advance(1);
        }
        else if (escape != 'u')
        {
            to[0] = '\\';
            to[1] = escape;
            out.advance(2);
        }
        else
        {
            std::memcpy(to, "\\u00", 4);
            to[4] = static_cast<char>('0' + (byte >> 4));
            to[5] = "0123456789ABCDEF"[byte & 15];
            out.advance(6);
        }
    }
}

} // namespace

void write_escaped(OutputBuffer& out, std::string_view text)
{
    write_with_escapes<false>(out, text, kEscapes, '\'', 0);
}

void write_quoted(OutputBuffer& out, std::string_view text)
{
    out.write('\'');
    write_with_escapes<false>(out, text, kEscapes, '\'', 0);
    out.write('\'');
}

void write_quoted_doubling(OutputBuffer& out, std::string_view text)
{
    out.write('\'');
    for (;;)
    {
        const size_t quote = text.find('\'');
        write_escaped(out, text.substr(0, quote));
        if (quote == std::string_view::npos)
            break;
        out.write("''");
        text.remove_prefix(quote + 1);
    }
    out.write('\'');
}

void write_escaped_key(OutputBuffer& out, std::string_view name)
{
    static constexpr EscapeTable table = []
    {
        EscapeTable t = make_escapes();
        t['\''] = 0;
        t['='] = '=';
        return t;
    }();
    write_with_escapes<false>(out, name, table, '=', 0);
}

void write_csv_string(OutputBuffer& out, std::string_view text)
{
    out.write('"');
    size_t begin = 0;
    for (;;)
    {
        const size_t quote = text.find('"', begin);
        if (quote == std::string_view::npos)
            break;
        out.write(text.substr(begin, quote + 1 - begin));
        out.write('"');
        begin = quote + 1;
    }
    out.write(text.substr(begin));
    out.write('"');
}

void write_json_string(OutputBuffer& out, std::string_view text, bool escape_slashes,
                       bool validate_utf8)
{
    std::string valid;
    if (validate_utf8)
    {
        valid = valid_utf8(text);
        text = valid;
    }
    out.write('"');
    // U+2028 and U+2029 end a line in JavaScript.
    size_t separator = text.find("\xE2\x80");
    while (separator != std::string_view::npos)
    {
        const char third = separator + 2 < text.size() ? text[separator + 2] : '\0';
        if (third == '\xA8' || third == '\xA9')
        {
            const std::string_view before = text.substr(0, separator);
            if (escape_slashes)
                write_with_escapes<true>(out, before, kJsonSlashEscapes, '"', '/');
            else
                write_with_escapes<false>(out, before, kJsonEscapes, '"', 0);
            out.write(third == '\xA8' ? "\\u2028" : "\\u2029");
            text.remove_prefix(separator + 3);
            separator = text.find("\xE2\x80");
        }
        else
            separator = text.find("\xE2\x80", separator + 2);
    }
    if (escape_slashes)
        write_with_escapes<true>(out, text, kJsonSlashEscapes, '"', '/');
    else
        write_with_escapes<false>(out, text, kJsonEscapes, '"', 0);
    out.write('"');
}

void write_xml_string(OutputBuffer& out, std::string_view text)
{
    const std::string valid = valid_utf8(text);
    text = valid;
    size_t begin = 0;
    for (;;)
    {
        const size_t special = text.find_first_of("<&", begin);
        if (special == std::string_view::npos)
            break;
        out.write(text.substr(begin, special - begin));
        out.write(text[special] == '<' ? "&lt;" : "&amp;");
        begin = special + 1;
    }
    out.write(text.substr(begin));
}

} // namespace basalt
