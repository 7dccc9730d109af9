#include "functions/scalar/date_pattern.h"

#include <fmt/core.h>

namespace basalt
{

const std::string_view kMonthNames[12] = {"January", "February", "March",     "April",
                                          "May",     "June",     "July",      "August",
                                          "September", "October", "November", "December"};
const std::string_view kWeekdayNames[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                           "Friday", "Saturday", "Sunday"};

DatePatternOptions date_pattern_options(const QueryContext& context)
{
    const Settings& s = context.settings;
    DatePatternOptions options;
    options.m_is_month_name = s.get_bool("formatdatetime_parsedatetime_m_is_month_name");
    options.without_leading_zeros = s.get_bool("formatdatetime_format_without_leading_zeros");
    options.space_before_day = s.get_bool("formatdatetime_e_with_space_padding");
    options.fraction_by_scale = s.get_bool("formatdatetime_f_prints_scale_number_of_digits");
    options.fraction_single_zero = s.get_bool("formatdatetime_f_prints_single_zero");
    return options;
}

namespace
{

[[noreturn]] void not_supported(char c, std::string_view function)
{
    throw Error(error_codes::NOT_IMPLEMENTED,
                fmt::format("The format '{}' is not supported by function {}", c, function));
}

void add_literal(DatePattern& pattern, std::string_view text)
{
    if (text.empty())
        return;
    if (!pattern.empty() && pattern.back().piece == DatePiece::Literal)
        pattern.back().text += text;
    else
        pattern.push_back({DatePiece::Literal, 0, false, false, std::string(text)});
}

} // namespace

DatePattern mysql_pattern(std::string_view text, const DatePatternOptions& options,
                          bool for_parsing, std::string_view function)
{
    DatePattern pattern;
    const auto add = [&](DatePiece piece, uint32_t width = 0, bool exact = true)
    { pattern.push_back({piece, width, false, exact && width != 0, ""}); };
    const uint32_t loose = options.without_leading_zeros && !for_parsing ? 1 : 2;
    for (size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '%')
        {
            add_literal(pattern, text.substr(i, 1));
            continue;
        }
        if (i + 1 == text.size())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "'%' must not be the last character in the format string, use '%%' "
                        "instead");
        const char c = text[++i];
        switch (c)
        {
            case 'a': add(DatePiece::WeekdayShort); break;
            case 'b': add(DatePiece::MonthShort); break;
            case 'c': add(DatePiece::Month, loose, false); break;
            case 'C': add(DatePiece::Century, 2); break;
            case 'd': add(DatePiece::Day, 2); break;
            case 'D':
                add(DatePiece::Month, 2);
                add_literal(pattern, "/");
                add(DatePiece::Day, 2);
                add_literal(pattern, "/");
                add(DatePiece::YearShort, 2);
                break;
            case 'e':
                add(DatePiece::Day, options.space_before_day ? 2 : 1, false);
                pattern.back().spaced = true;
                break;
            case 'f': add(DatePiece::Fraction, 6, false); break;
            case 'F':
                add(DatePiece::Year, 4);
                add_literal(pattern, "-");
                add(DatePiece::Month, 2);
                add_literal(pattern, "-");
                add(DatePiece::Day, 2);
                break;
            case 'g': add(DatePiece::IsoYearShort, 2); break;
            case 'G': add(DatePiece::IsoYear, 4); break;
            case 'h':
            case 'I': add(DatePiece::Hour12, 2); break;
            case 'H': add(DatePiece::Hour24, 2); break;
            case 'i': add(DatePiece::Minute, 2); break;
            case 'j': add(DatePiece::DayOfYear, 3); break;
            case 'k':
                add(DatePiece::Hour24, loose, false);
                pattern.back().spaced = true;
                break;
            case 'l':
                add(DatePiece::Hour12, loose, false);
                pattern.back().spaced = true;
                break;
            case 'm': add(DatePiece::Month, 2); break;
            case 'M':
                if (options.m_is_month_name)
                    add(DatePiece::MonthName);
                else
                    add(DatePiece::Minute, 2);
                break;
            case 'n': add_literal(pattern, "\n"); break;
            case 'p': add(DatePiece::HalfDay); break;
            case 'Q':
                if (for_parsing)
                    not_supported(c, function);
                add(DatePiece::Quarter, 1);
                break;
            case 'r':
                add(DatePiece::Hour12, 2);
                add_literal(pattern, ":");
                add(DatePiece::Minute, 2);
                add_literal(pattern, " ");
                add(DatePiece::HalfDay);
                break;
            case 'R':
                add(DatePiece::Hour24, 2);
                add_literal(pattern, ":");
                add(DatePiece::Minute, 2);
                break;
            case 's':
            case 'S': add(DatePiece::Second, 2); break;
            case 't': add_literal(pattern, "\t"); break;
            case 'T':
                add(DatePiece::Hour24, 2);
                add_literal(pattern, ":");
                add(DatePiece::Minute, 2);
                add_literal(pattern, ":");
                add(DatePiece::Second, 2);
                break;
            case 'u': add(DatePiece::Weekday, 1); break;
            case 'V': add(DatePiece::IsoWeek, 2); break;
            case 'w': add(DatePiece::WeekdaySunday, 1); break;
            case 'W': add(DatePiece::WeekdayName); break;
            case 'y': add(DatePiece::YearShort, 2); break;
            case 'Y': add(DatePiece::Year, 4); break;
            case 'z': add(DatePiece::ZoneOffset); break;
            case '%': add_literal(pattern, "%"); break;
            case 'U':
            case 'v':
            case 'x':
            case 'X': not_supported(c, function);
            default:
                throw Error(error_codes::BAD_ARGUMENTS,
                            fmt::format("Incorrect syntax '{}', symbol is not supported '{}' for "
                                        "function {}",
                                        text, c, function));
        }
    }
    return pattern;
}

DatePattern joda_pattern(std::string_view text, bool for_parsing, std::string_view function)
{
    DatePattern pattern;
    for (size_t i = 0; i < text.size();)
    {
        const char c = text[i];
        if (c == '\'')
        {
            // Two quotes are one; a quoted text stands for itself.
            if (text.substr(i, 2) == "''")
            {
                add_literal(pattern, "'");
                i += 2;
                continue;
            }
            std::string literal;
            size_t j = i + 1;
            for (; j < text.size(); ++j)
            {
                if (text[j] != '\'')
                    literal += text[j];
                else if (text.substr(j, 2) == "''")
                {
                    literal += '\'';
                    ++j;
                }
                else
                    break;
            }
            if (j == text.size())
                throw Error(error_codes::BAD_ARGUMENTS, "No closing single quote for literal");
            add_literal(pattern, literal);
            i = j + 1;
            continue;
        }
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        {
            add_literal(pattern, text.substr(i, 1));
            ++i;
            continue;
        }
        size_t end = i;
        while (end < text.size() && text[end] == c)
            ++end;
        const auto width = static_cast<uint32_t>(end - i);
        i = end;
        const auto add = [&](DatePiece piece) { pattern.push_back({piece, width, false, false, ""}); };
        switch (c)
        {
            case 'G': add(DatePiece::Era); break;
            case 'C': add(DatePiece::Century); break;
            case 'Y':
            case 'y': add(width == 2 ? DatePiece::YearShort : DatePiece::Year); break;
            case 'x': add(DatePiece::IsoYear); break;
            case 'w': add(DatePiece::IsoWeek); break;
            case 'e': add(DatePiece::Weekday); break;
            case 'E': add(width >= 4 ? DatePiece::WeekdayName : DatePiece::WeekdayShort); break;
            case 'D': add(DatePiece::DayOfYear); break;
            case 'M':
                add(width >= 4   ? DatePiece::MonthName
                    : width == 3 ? DatePiece::MonthShort
                                 : DatePiece::Month);
                break;
            case 'd': add(DatePiece::Day); break;
            case 'a': add(DatePiece::HalfDay); break;
            case 'K': add(DatePiece::Hour12From0); break;
            case 'h': add(DatePiece::Hour12); break;
            case 'H': add(DatePiece::Hour24); break;
            case 'k': add(DatePiece::Hour24From1); break;
            case 'm': add(DatePiece::Minute); break;
            case 's': add(DatePiece::Second); break;
            case 'S': add(DatePiece::Fraction); break;
            case 'z':
                if (width < 4 && !for_parsing)
                    not_supported(c, function);
                add(DatePiece::ZoneName);
                break;
            case 'Z':
                if (!for_parsing)
                    not_supported(c, function);
                add(DatePiece::ZoneOffset);
                break;
            default: not_supported(c, function);
        }
    }
    return pattern;
}

} // namespace basalt
