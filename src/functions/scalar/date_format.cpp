// formatDateTime, formatDateTimeInJodaSyntax, fromUnixTimestamp, dateName, monthName.

#include "functions/scalar/date_pattern.h"
#include "functions/scalar/date_time.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

// One row's time, taken apart.
struct Moment
{
    int32_t day;
    Civil date;
    uint32_t second_of_day;
    int64_t fraction; // in ticks of the scale
    int32_t offset;
};

void write_number(StringWriter& out, int64_t value, uint32_t width, char pad = '0')
{
    char digits[24];
    size_t n = 0;
    const bool negative = value < 0;
    uint64_t rest = negative ? uint64_t{0} - static_cast<uint64_t>(value)
                             : static_cast<uint64_t>(value);
    do
        digits[n++] = static_cast<char>('0' + rest % 10);
    while (rest /= 10);
    if (negative)
        out.write('-');
    if (width > n)
        out.fill(width - n, pad);
    while (n > 0)
        out.write(digits[--n]);
}

class Formatter
{
public:
    Formatter(const DatePattern& pattern, uint32_t scale, const DatePatternOptions& options,
              bool joda, const TimeZone& zone)
        : pattern_(pattern), scale_(scale), options_(options), joda_(joda), zone_(zone)
    {
    }

    void write(StringWriter& out, const Moment& moment) const
    {
        for (const DatePatternPiece& piece : pattern_)
            write_piece(out, piece, moment);
        out.end_row();
    }

private:
    void write_fraction(StringWriter& out, const DatePatternPiece& piece, int64_t fraction) const
    {
        if (!joda_ && options_.fraction_single_zero && scale_ == 0)
        {
            out.write('0');
            return;
        }
        uint32_t width = piece.width;
        if (!joda_)
            width = options_.fraction_by_scale ? scale_ : 6;
        const size_t begin = out.column().chars().size();
        if (scale_ > 0)
            write_number(out, fraction, scale_);
        // Cut or fill on the right.
        out.column().chars().resize(std::min(out.column().chars().size(), begin + width));
        const size_t written = out.column().chars().size() - begin;
        out.fill(width - written, '0');
    }

    void write_piece(StringWriter& out, const DatePatternPiece& piece, const Moment& m) const
    {
        const char pad = piece.spaced && options_.space_before_day ? ' ' : '0';
        const uint32_t hour = m.second_of_day / 3600;
        const auto number = [&](int64_t value) { write_number(out, value, piece.width, pad); };
        switch (piece.piece)
        {
            case DatePiece::Literal: out.write(piece.text); break;
            case DatePiece::Era:
                if (piece.width <= 3)
                    out.write(m.date.year > 0 ? "AD" : "BC");
                else
                    out.write(m.date.year > 0 ? "Anno Domini" : "Before Christ");
                break;
            case DatePiece::Century: number(m.date.year / 100); break;
            case DatePiece::Year: number(m.date.year); break;
            case DatePiece::YearShort: write_number(out, m.date.year % 100, 2); break;
            case DatePiece::IsoYear: number(iso_year_of(m.day)); break;
            case DatePiece::IsoYearShort: number(iso_year_of(m.day) % 100); break;
            case DatePiece::IsoWeek: number(week_of(m.day, 3, true).week); break;
            case DatePiece::Quarter: number((m.date.month - 1) / 3 + 1); break;
            case DatePiece::Month: number(m.date.month); break;
            case DatePiece::MonthName: out.write(kMonthNames[m.date.month - 1]); break;
            case DatePiece::MonthShort:
                out.write(kMonthNames[m.date.month - 1].substr(0, 3));
                break;
            case DatePiece::Day: number(m.date.day); break;
            case DatePiece::DayOfYear:
                number(m.day - days_from_civil(m.date.year, 1, 1) + 1);
                break;
            case DatePiece::Weekday: number(weekday_of(m.day) + 1); break;
            case DatePiece::WeekdaySunday: number((weekday_of(m.day) + 1) % 7); break;
            case DatePiece::WeekdayName:
                out.write(kWeekdayNames[static_cast<size_t>(weekday_of(m.day))]);
                break;
            case DatePiece::WeekdayShort:
                out.write(kWeekdayNames[static_cast<size_t>(weekday_of(m.day))].substr(0, 3));
                break;
            case DatePiece::HalfDay: out.write(hour < 12 ? "AM" : "PM"); break;
            case DatePiece::Hour24: number(hour); break;
            case DatePiece::Hour24From1: number(hour == 0 ? 24 : hour); break;
            case DatePiece::Hour12: number(hour % 12 == 0 ? 12 : hour % 12); break;
            case DatePiece::Hour12From0: number(hour % 12); break;
            case DatePiece::Minute: number(m.second_of_day / 60 % 60); break;
            case DatePiece::Second: number(m.second_of_day % 60); break;
            case DatePiece::Fraction: write_fraction(out, piece, m.fraction); break;
            case DatePiece::ZoneName: out.write(zone_.name()); break;
            case DatePiece::ZoneOffset:
            {
                const int32_t minutes = m.offset / 60;
                out.write(minutes < 0 ? '-' : '+');
                write_number(out, std::abs(minutes) / 60, 2);
                write_number(out, std::abs(minutes) % 60, 2);
                break;
            }
        }
    }

    const DatePattern& pattern_;
    uint32_t scale_;
    DatePatternOptions options_;
    bool joda_;
    const TimeZone& zone_;
};

ColumnPtr format_times(const Argument& time, const TimeZone& zone, const Call& call,
                       const Argument& format, bool joda)
{
    const uint32_t scale = scale_of(time.type);
    const int64_t unit = ten_to(scale);
    const PodVector<int64_t> locals = local_seconds(time, zone);
    PodVector<int64_t> ticks;
    if (scale > 0)
        ticks = ticks_at_scale(time, zone, scale);
    PodVector<int64_t> seconds;
    if (!is_date(time.type))
        seconds = unix_seconds(time, zone);
    const StringRows formats(format.column);
    const DatePatternOptions options = date_pattern_options(call.context);
    DatePattern pattern;
    StringWriter out(call.rows, call.rows * 20);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (i == 0 || !formats.constant())
            pattern = joda ? joda_pattern(formats[i], false, call.name)
                           : mysql_pattern(formats[i], options, false, call.name);
        Moment moment;
        moment.day = static_cast<int32_t>(floor_div(locals[i], kDaySeconds));
        moment.second_of_day = static_cast<uint32_t>(locals[i] - moment.day * kDaySeconds);
        moment.date = civil_of(moment.day);
        moment.fraction = scale > 0 ? ticks[i] - floor_to(ticks[i], unit) : 0;
        moment.offset = seconds.empty() ? 0 : static_cast<int32_t>(locals[i] - seconds[i]);
        Formatter(pattern, scale, options, joda, zone).write(out, moment);
    }
    return out.finish();
}

template <bool kJoda> ColumnPtr run_format(const Call& call)
{
    const TimeZone& zone = zone_by_name(
        zone_name(call.name, call.arguments, 2, call.type(0)), call.context);
    return format_times(call[0], zone, call, call[1], kJoda);
}

// fromUnixTimestamp(seconds [, format [, zone]]).
TypePtr from_unix_type(const TypeCall& call)
{
    return call.size() == 1 ? simple_type(TypeId::DateTime) : simple_type(TypeId::String);
}

template <bool kJoda> ColumnPtr run_from_unix(const Call& call)
{
    const std::string zone_text =
        call.size() > 2 ? constant_text(call.name, call.arguments, 2) : "";
    if (!call.type(0)->is_integer())
    {
        if (call.size() == 1)
            return cast_to(call[0], call.result_type, call.context);
        return format_times(call[0],
                            zone_by_name(zone_text.empty() ? zone_of_type(call.type(0)) : zone_text,
                                         call.context),
                            call, call[1], kJoda);
    }
    const IntegerRows seconds(call[0]);
    const ColumnPtr times = map_rows<uint32_t>(call.rows, [&](size_t i) { return seconds[i]; });
    if (call.size() == 1)
        return times;
    return format_times({times, simple_type(TypeId::DateTime)},
                        zone_by_name(zone_text, call.context), call, call[1], kJoda);
}

// dateName(part, time [, zone]).
DatePiece name_part(std::string_view name, const Arguments& arguments)
{
    static constexpr std::pair<std::string_view, DatePiece> kParts[] = {
        {"year", DatePiece::Year},         {"quarter", DatePiece::Quarter},
        {"month", DatePiece::MonthName},   {"dayofyear", DatePiece::DayOfYear},
        {"day", DatePiece::Day},           {"week", DatePiece::IsoWeek},
        {"weekday", DatePiece::WeekdayName}, {"hour", DatePiece::Hour24},
        {"minute", DatePiece::Minute},     {"second", DatePiece::Second}};
    const std::string text = constant_text(name, arguments, 0);
    for (const auto& [part, piece] : kParts)
        if (part == text)
            return piece;
    throw Error(error_codes::BAD_ARGUMENTS,
                fmt::format("Invalid date part {} for function {}", text, name));
}

TypePtr date_name_type(const TypeCall& call)
{
    name_part(call.name, call.arguments);
    return simple_type(TypeId::String);
}

ColumnPtr name_times(const Call& call, const Argument& time, const TimeZone& zone,
                     DatePiece piece)
{
    const PodVector<int64_t> locals = local_seconds(time, zone);
    const DatePattern pattern{{piece, 1, false, false, ""}};
    const Formatter formatter(pattern, 0, DatePatternOptions(), true, zone);
    StringWriter out(call.rows, call.rows * 8);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto day = static_cast<int32_t>(floor_div(locals[i], kDaySeconds));
        formatter.write(out, {day, civil_of(day),
                              static_cast<uint32_t>(locals[i] - day * kDaySeconds), 0, 0});
    }
    return out.finish();
}

ColumnPtr run_date_name(const Call& call)
{
    const TimeZone& zone = zone_by_name(
        zone_name(call.name, call.arguments, 2, call.type(1)), call.context);
    return name_times(call, call[1], zone, name_part(call.name, call.arguments));
}

ColumnPtr run_month_name(const Call& call)
{
    return name_times(call, call[0], zone_by_name(zone_of_type(call.type(0)), call.context),
                      DatePiece::MonthName);
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kFormat{"formatDateTime", "dD s [ s!", kString, run_format<false>, 0,
                               "DATE_FORMAT*"};
constexpr FunctionSpec kFormatJoda{"formatDateTimeInJodaSyntax", "dD s [ s!", kString,
                                   run_format<true>};
constexpr FunctionSpec kFromUnix{"fromUnixTimestamp", "idD [ s s!", from_unix_type,
                                 run_from_unix<false>, 0, "FROM_UNIXTIME*"};
constexpr FunctionSpec kFromUnixJoda{"fromUnixTimestampInJodaSyntax", "idD [ s s!",
                                     from_unix_type, run_from_unix<true>};
constexpr FunctionSpec kDateName{"dateName", "s! dD [ s!", date_name_type, run_date_name,
                                 kCaseInsensitive};
constexpr FunctionSpec kMonthName{"monthName", "dD", kString, run_month_name, kCaseInsensitive};

} // namespace

void register_date_format(ScalarRegistry& registry)
{
    add_all<kFormat, kFormatJoda, kFromUnix, kFromUnixJoda, kDateName, kMonthName>(registry);
}

} // namespace basalt
