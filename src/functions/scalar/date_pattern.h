#pragma once

// Formats of dates and times: MySQL's % specifiers and Joda's letters, both as one list of pieces.

#include "columns/timezone.h"
#include "functions/function.h"

namespace basalt
{

enum class DatePiece : uint8_t
{
    Literal,
    Era,        // AD
    Century,
    Year,
    YearShort,  // two digits
    IsoYear,
    IsoYearShort,
    IsoWeek,
    Quarter,
    Month,
    MonthName,
    MonthShort,
    Day,
    DayOfYear,
    Weekday,       // 1 Monday … 7
    WeekdaySunday, // 0 Sunday … 6
    WeekdayName,
    WeekdayShort,
    HalfDay, // AM, PM
    Hour24,
    Hour24From1, // 1 … 24
    Hour12,      // 1 … 12
    Hour12From0, // 0 … 11
    Minute,
    Second,
    Fraction,
    ZoneName,
    ZoneOffset,
};

struct DatePatternPiece
{
    DatePiece piece;
    uint32_t width = 0; // digits at least (Fraction: exactly; 0: none)
    bool spaced = false; // padded with a space instead of zeros
    bool exact = false;  // parsing takes exactly width digits
    std::string text;    // Literal
};
using DatePattern = std::vector<DatePatternPiece>;

struct DatePatternOptions
{
    bool m_is_month_name = true;
    bool without_leading_zeros = false;
    bool space_before_day = false;
    bool fraction_by_scale = false;
    bool fraction_single_zero = false;
};
DatePatternOptions date_pattern_options(const QueryContext& context);

// for_parsing: some pieces can only be formatted. Throws BAD_ARGUMENTS or NOT_IMPLEMENTED.
DatePattern mysql_pattern(std::string_view text, const DatePatternOptions& options,
                          bool for_parsing, std::string_view function);
DatePattern joda_pattern(std::string_view text, bool for_parsing, std::string_view function);

extern const std::string_view kMonthNames[12];
extern const std::string_view kWeekdayNames[7]; // from Monday

} // namespace basalt
