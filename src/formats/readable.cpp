#include "formats/readable.h"

#include "columns/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace basalt
{

namespace
{

bool is_identifier(std::string_view name)
{
    for (size_t i = 0; i < name.size(); ++i)
    {
        const char c = name[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return !name.empty();
}

// Bytes of the first `count` code points.
size_t prefix_bytes(std::string_view text, size_t count)
{
    size_t at = 0;
    while (at < text.size() && count > 0)
    {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
            ++at;
        --count;
    }
    return at;
}

size_t count_code_points(std::string_view text)
{
    return static_cast<size_t>(std::count_if(
        text.begin(), text.end(),
        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

bool wants_colors(const FormatOptions& options)
{
    const std::string_view color = options.settings.get("output_format_pretty_color");
    if (color == "auto")
        return options.is_terminal;
    return color != "0" && color != "false";
}

std::string large_number_tip(std::string_view number_text, double threshold)
{
    static constexpr const char* names[] = {
        "",           "thousand",     "million",     "billion",      "trillion",
        "quadrillion", "quintillion", "sextillion",  "septillion",   "octillion",
        "nonillion",  "decillion",    "undecillion", "duodecillion", "tredecillion",
        "quattuordecillion", "quindecillion", "sexdecillion", "septendecillion",
        "octodecillion", "novemdecillion", "vigintillion"};
    constexpr double kLowestHash = 1e17;
    constexpr double kHighestHash = 1.8446744073709562e19;

    TextCursor cursor(number_text, true);
    double value;
    if (threshold <= 0 || !parse_float(cursor, value) || !std::isfinite(value) ||
        std::fabs(value) <= threshold)
        return "";
    if (std::fabs(value) > kLowestHash && std::fabs(value) < kHighestHash)
        return "";
    size_t unit = 0;
    while (std::fabs(value) >= 1000 && unit + 1 < std::size(names))
    {
        value /= 1000;
        ++unit;
    }
    return fmt::format(" -- {:.2f}{}{}", value, unit ? " " : "", names[unit]);
}

NameCut::NameCut(const Settings& settings)
    : cut_to_(settings.get_uint("output_format_pretty_max_column_name_width_cut_to")),
      min_chars_to_cut_(
          settings.get_uint("output_format_pretty_max_column_name_width_min_chars_to_cut"))
{
}

std::string NameCut::cut(const std::string& name, size_t width) const
{
    const size_t target = std::max(cut_to_, width);
    const size_t length = count_code_points(name);
    if (cut_to_ == 0 || length <= target + min_chars_to_cut_ || is_identifier(name))
        return name;
    const size_t head = target / 2;
    const size_t tail = target - head - 1;
    return name.substr(0, prefix_bytes(name, head)) + "⋯" +
           name.substr(prefix_bytes(name, length - tail));
}

std::string underline_digit_groups(std::string_view number_text)
{
    constexpr size_t kFewestDigits = 5;
    const size_t begin = number_text.find_first_not_of('-');
    if (begin == std::string_view::npos)
        return std::string(number_text);
    size_t end = begin;
    while (end < number_text.size() && number_text[end] >= '0' && number_text[end] <= '9')
        ++end;
    if (end - begin < kFewestDigits)
        return std::string(number_text);
    std::string out(number_text.substr(0, begin));
    for (size_t i = begin; i < end; ++i)
    {
        const size_t after = end - i - 1;
        if (after > 0 && after % 3 == 0)
        {
            out += kUnderline;
            out += number_text[i];
            out += kResetColor;
        }
        else
            out += number_text[i];
    }
    out += number_text.substr(end);
    return out;
}

std::string mark_trailing_spaces(std::string_view text)
{
    const size_t last = text.find_last_not_of(' ');
    const size_t begin = last == std::string_view::npos ? 0 : last + 1;
    if (begin == text.size())
        return std::string(text);
    std::string out(text.substr(0, begin));
    out += kRedUnderline;
    out += text.substr(begin);
    out += kResetColor;
    return out;
}

} // namespace basalt
