// Quoting and numbers.

#include "sql/format_impl.h"
#include "sql/parser_impl.h"

#include <charconv>
#include <cmath>

namespace basalt
{

namespace
{

// Words that do not read as a name where an expression stands.
constexpr std::string_view kQuotedWords[] = {
    "ALL",    "CASE", "DISTINCT", "EXPLAIN", "FALSE", "FROM",  "INF",    "INFINITY",
    "NAN",    "NOT",  "NULL",     "SELECT",  "TABLE", "TRUE",  "VALUES", "WITH",
};

void append_escaped(std::string& out, std::string_view text, char quote)
{
    for (char c : text)
    {
        switch (c)
        {
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\0':
            out += "\\0";
            break;
        case '\\':
            out += "\\\\";
            break;
        default:
            if (c == quote)
                out += '\\';
            out += c;
        }
    }
}

} // namespace

std::string quote_string(std::string_view text)
{
    std::string out = "'";
    append_escaped(out, text, '\'');
    out += '\'';
    return out;
}

std::string quote_identifier(std::string_view name)
{
    std::string out = "`";
    append_escaped(out, name, '`');
    out += '`';
    return out;
}

std::string quote_identifier_if_needed(std::string_view name)
{
    bool plain = !name.empty() && !(name.front() >= '0' && name.front() <= '9');
    for (char c : name)
        plain = plain && is_word_character(c);
    if (plain && name.size() <= 8)
        for (const std::string_view word : kQuotedWords)
            plain = plain && !equals_ignoring_case(name, word);
    return plain ? std::string(name) : quote_identifier(name);
}

// Shortest digits that read back the same; exponents outside 1e-6 .. 1e21.
std::string format_float(double value, bool point)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const auto done = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                    std::chars_format::scientific);
    const std::string_view text(buffer, static_cast<size_t>(done.ptr - buffer));
    const bool negative = text.front() == '-';
    const size_t e = text.find('e');
    std::string digits;
    for (char c : text.substr(0, e))
        if (c >= '0' && c <= '9')
            digits += c;
    int exponent = 0;
    const char* exponent_begin = buffer + e + 1 + (text[e + 1] == '+' ? 1 : 0);
    std::from_chars(exponent_begin, done.ptr, exponent);

    std::string out = negative ? "-" : "";
    if (exponent < -6 || exponent >= 21)
    {
        out += digits.front();
        if (digits.size() > 1)
            out += "." + digits.substr(1);
        return out + "e" + std::to_string(exponent);
    }
    if (exponent < 0)
        return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole)
    {
        out += digits + std::string(whole - digits.size(), '0');
        return point ? out + "." : out;
    }
    return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

} // namespace basalt
