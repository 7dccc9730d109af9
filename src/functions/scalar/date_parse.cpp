// parseDateTime, parseDateTime64 and their Joda, OrNull and OrZero forms.

#include "functions/scalar/date_pattern.h"
#include "functions/scalar/date_time.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{
namespace
{

char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
}

// What was read so far; the date is put together at the end.
class TimeReader
{
public:
    TimeReader(std::string_view text, bool joda, bool wide) : text_(text), joda_(joda), wide_(wide)
    {
    }

    // False when the text does not follow the pattern.
    bool read(const DatePattern& pattern)
    {
        for (const DatePatternPiece& piece : pattern)
            if (!read_piece(piece))
                return false;
        return at_ == text_.size();
    }

    // UTC seconds in the zone (or by the offset that was read); nullopt for impossible dates.
    std::optional<int64_t> finish(const TimeZone& zone)
    {
        const auto day = day_number();
        if (!day)
            return std::nullopt;
        int32_t hour = hour_;
        if (half_day_)
        {
            if (!hour_is_half_)
                return std::nullopt;
            hour = hour % 12 + (*half_day_ ? 12 : 0);
        }
        else if (hour_is_half_)
            hour = hour % 12;
        const int64_t second = hour * 3600 + minute_ * 60 + second_;
        const int64_t result = offset_ ? *day * kDaySeconds + second - *offset_
                                       : unix_of_local(zone, *day, second);
        return result;
    }
    int64_t fraction() const { return fraction_; } // at the pattern's scale

private:
    // At least `least` and at most `most` digits.
    bool digits(uint32_t least, uint32_t most, int32_t& value)
    {
        uint32_t n = 0;
        value = 0;
        while (n < most && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
        {
            value = value * 10 + (text_[at_] - '0');
            ++at_;
            ++n;
        }
        return n >= least;
    }
    // A number piece of `usual` digits.
    bool number(const DatePatternPiece& piece, uint32_t usual, int32_t& value)
    {
        if (piece.exact)
            return digits(piece.width, piece.width, value);
        if (piece.spaced)
            while (at_ < text_.size() && text_[at_] == ' ')
                ++at_;
        return digits(1, std::max(usual, piece.width), value);
    }
    static bool in(int32_t value, int32_t low, int32_t high)
    {
        return value >= low && value <= high;
    }
    bool word(std::string_view wanted)
    {
        if (text_.size() - at_ < wanted.size())
            return false;
        for (size_t i = 0; i < wanted.size(); ++i)
            if (to_lower(text_[at_ + i]) != to_lower(wanted[i]))
                return false;
        at_ += wanted.size();
        return true;
    }
    // The number of the name that stands here; full names go before short ones.
    template <size_t kCount>
    bool name(const std::string_view (&names)[kCount], bool may_be_full, bool may_be_short,
              int32_t& number)
    {
        for (size_t i = 0; i < kCount; ++i)
            if ((may_be_full && word(names[i])) || (may_be_short && word(names[i].substr(0, 3))))
            {
                number = static_cast<int32_t>(i);
                return true;
            }
        return false;
    }
    bool set_year(int32_t year)
    {
        year_ = year;
        return wide_ ? in(year, 1900, 2299) : in(year, 1970, 2106);
    }

    bool read_piece(const DatePatternPiece& piece)
    {
        int32_t value = 0;
        switch (piece.piece)
        {
            case DatePiece::Literal:
                if (text_.substr(at_, piece.text.size()) != piece.text)
                    return false;
                at_ += piece.text.size();
                return true;
            case DatePiece::Era: return word("AD") || word("CE");
            case DatePiece::Century:
                if (!number(piece, 2, value))
                    return false;
                year_ = value * 100;
                return in(value, 19, 22);
            case DatePiece::Year:
                return number(piece, piece.width, value) && set_year(value);
            case DatePiece::YearShort:
                return digits(2, 2, value) && set_year(value < 70 ? 2000 + value : 1900 + value);
            case DatePiece::IsoYearShort:
                week_year_ = true;
                return digits(2, 2, value) && set_year(value < 70 ? 2000 + value : 1900 + value);
            case DatePiece::IsoYear:
                week_year_ = true;
                return number(piece, piece.width, value) && set_year(value);
            case DatePiece::IsoWeek:
                week_year_ = true;
                return number(piece, 2, week_) && in(week_, 1, 53);
            case DatePiece::Quarter: return false;
            case DatePiece::Month:
                has_month_day_ = true;
                return number(piece, 2, month_) && in(month_, 1, 12);
            case DatePiece::MonthName:
            case DatePiece::MonthShort:
                has_month_day_ = true;
                if (!name(kMonthNames, joda_ || piece.piece == DatePiece::MonthName,
                          joda_ || piece.piece == DatePiece::MonthShort, value))
                    return false;
                month_ = value + 1;
                return true;
            case DatePiece::Day:
                has_month_day_ = true;
                return number(piece, 2, day_) && in(day_, 1, 31);
            case DatePiece::DayOfYear:
                has_day_of_year_ = true;
                return number(piece, 3, day_of_year_) && in(day_of_year_, 1, 366);
            case DatePiece::Weekday:
                week_year_ = true;
                return number(piece, 1, weekday_) && in(weekday_, 1, 7);
            case DatePiece::WeekdaySunday:
                week_year_ = true;
                if (!number(piece, 1, value) || !in(value, 0, 6))
                    return false;
                weekday_ = value == 0 ? 7 : value;
                return true;
            case DatePiece::WeekdayName:
            case DatePiece::WeekdayShort:
                if (!name(kWeekdayNames, joda_ || piece.piece == DatePiece::WeekdayName,
                          joda_ || piece.piece == DatePiece::WeekdayShort, value))
                    return false;
                weekday_ = value + 1;
                named_weekday_ = true;
                return true;
            case DatePiece::HalfDay:
                if (word("AM"))
                    half_day_ = false;
                else if (word("PM"))
                    half_day_ = true;
                else
                    return false;
                return true;
            case DatePiece::Hour24:
                hour_is_half_ = false;
                return number(piece, 2, hour_) && in(hour_, 0, 23);
            case DatePiece::Hour24From1:
                hour_is_half_ = false;
                if (!number(piece, 2, hour_) || !in(hour_, 1, 24))
                    return false;
                hour_ %= 24;
                return true;
            case DatePiece::Hour12:
                hour_is_half_ = true;
                return number(piece, 2, hour_) && in(hour_, 1, 12);
            case DatePiece::Hour12From0:
                hour_is_half_ = true;
                return number(piece, 2, hour_) && in(hour_, 0, 11);
            case DatePiece::Minute: return number(piece, 2, minute_) && in(minute_, 0, 59);
            case DatePiece::Second: return number(piece, 2, second_) && in(second_, 0, 59);
            case DatePiece::Fraction: return read_fraction(piece.width);
            case DatePiece::ZoneName: return read_zone_name();
            case DatePiece::ZoneOffset: return read_offset();
        }
        return false;
    }

    bool read_fraction(uint32_t width)
    {
        int64_t value = 0;
        uint32_t n = 0;
        while (n < width && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
        {
            value = value * 10 + (text_[at_++] - '0');
            ++n;
        }
        if (n == 0)
            return false;
        for (uint32_t i = n; i < width; ++i)
            value *= 10;
        fraction_ = value;
        return true;
    }

    bool read_offset()
    {
        if (at_ >= text_.size() || (text_[at_] != '+' && text_[at_] != '-'))
            return false;
        const int32_t sign = text_[at_++] == '-' ? -1 : 1;
        int32_t hours = 0;
        int32_t minutes = 0;
        if (!digits(2, 2, hours))
            return false;
        if (at_ < text_.size() && text_[at_] == ':')
            ++at_;
        if (!digits(2, 2, minutes))
            return false;
        offset_ = sign * (hours * 3600 + minutes * 60);
        return true;
    }

    bool read_zone_name()
    {
        size_t end = at_;
        while (end < text_.size() &&
               ((to_lower(text_[end]) >= 'a' && to_lower(text_[end]) <= 'z') ||
                text_[end] == '/' || text_[end] == '_'))
            ++end;
        if (end == at_)
            return false;
        zone_ = std::string(text_.substr(at_, end - at_));
        at_ = end;
        return true;
    }

    std::optional<int32_t> day_number() const
    {
        const bool has_week = week_year_ || (named_weekday_ && !has_month_day_ && !has_day_of_year_);
        const bool has_date = has_month_day_ || has_day_of_year_ || has_week;
        // Without a year a date lies in 2000; without any date the time is on 1970-01-01.
        const int32_t year = year_ != 0 ? year_ : has_date ? 2000 : 1970;
        if (has_week && !has_month_day_ && !has_day_of_year_)
        {
            const int32_t first = monday_of(days_from_civil(year, 1, 4));
            return first + (week_ - 1) * 7 + weekday_ - 1;
        }
        if (has_day_of_year_)
        {
            if (day_of_year_ > (is_leap_year(year) ? 366 : 365))
                return std::nullopt;
            return days_from_civil(year, 1, 1) + day_of_year_ - 1;
        }
        if (day_ > days_in_month(year, static_cast<uint32_t>(month_)))
            return std::nullopt;
        return days_from_civil(year, static_cast<uint32_t>(month_), static_cast<uint32_t>(day_));
    }

public:
    const std::string& zone() const { return zone_; }

private:
    std::string_view text_;
    bool joda_;
    bool wide_;
    size_t at_ = 0;
    int32_t year_ = 0, month_ = 1, day_ = 1, day_of_year_ = 1, week_ = 1, weekday_ = 1;
    bool has_month_day_ = false, has_day_of_year_ = false, week_year_ = false,
         named_weekday_ = false;
    int32_t hour_ = 0, minute_ = 0, second_ = 0;
    bool hour_is_half_ = false;
    std::optional<bool> half_day_;
    std::optional<int32_t> offset_;
    int64_t fraction_ = 0;
    std::string zone_;
};

enum class OnError
{
    Throw,
    Null,
    Zero,
};

constexpr std::string_view kDefaultMysql = "%Y-%m-%d %H:%i:%s";
constexpr std::string_view kDefaultJoda = "yyyy-MM-dd HH:mm:ss";

std::string format_text(std::string_view name, const Arguments& arguments, bool joda)
{
    return arguments.size() > 1 ? constant_text(name, arguments, 1)
                                : std::string(joda ? kDefaultJoda : kDefaultMysql);
}

DatePattern pattern_of(std::string_view name, const Arguments& arguments, bool joda,
                       const QueryContext& context)
{
    const std::string text = format_text(name, arguments, joda);
    return joda ? joda_pattern(text, true, name)
                : mysql_pattern(text, date_pattern_options(context), true, name);
}

// Digits of a second that the pattern reads; MySQL patterns always give 6.
uint32_t scale_of_pattern(const DatePattern& pattern, bool joda)
{
    if (!joda)
        return 6;
    for (const DatePatternPiece& piece : pattern)
        if (piece.piece == DatePiece::Fraction)
            return std::min(piece.width, 9u);
    return 0;
}

template <bool kWide, bool kJoda, OnError kOnError> TypePtr parse_type(const TypeCall& call)
{
    const std::string zone = call.size() > 2 ? constant_text(call.name, call.arguments, 2)
                                             : call.context.timezone();
    TypePtr type;
    if (kWide)
        type = std::make_shared<DateTime64Type>(
            scale_of_pattern(pattern_of(call.name, call.arguments, kJoda, call.context), kJoda),
            zone);
    else
        type = std::make_shared<DateTimeType>(zone);
    return kOnError == OnError::Null ? make_nullable(type) : type;
}

template <bool kWide, bool kJoda, OnError kOnError> ColumnPtr run_parse(const Call& call)
{
    const TypePtr type = remove_nullable(call.result_type);
    const TimeZone& zone = zone_by_name(zone_of_type(type), call.context);
    const DatePattern pattern = pattern_of(call.name, call.arguments, kJoda, call.context);
    const StringRows rows(call.column(0));
    const uint32_t scale = scale_of(type);
    PodVector<int64_t> values(call.rows, 0);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for (size_t i = 0; i < call.rows; ++i)
    {
        TimeReader reader(rows[i], kJoda, kWide);
        std::optional<int64_t> second;
        if (reader.read(pattern))
            second = reader.finish(reader.zone().empty() ? zone : timezone(reader.zone()));
        if (second && !kWide && (*second < 0 || *second > UINT32_MAX))
            second.reset();
        if (second)
            values[i] = kWide ? *second * ten_to(scale) + reader.fraction() : *second;
        else if (kOnError == OnError::Throw)
            throw Error(error_codes::CANNOT_PARSE_DATETIME,
                        fmt::format("Cannot parse '{}' with the format '{}' in function {}",
                                    rows[i], format_text(call.name, call.arguments, kJoda),
                                    call.name));
        else
            nulls->data()[i] = 1;
    }
    ColumnPtr column;
    if (kWide)
        column = std::make_shared<VectorColumn<int64_t>>(std::move(values));
    else
        column = map_rows<uint32_t>(call.rows, [&](size_t i) { return values[i]; });
    return kOnError == OnError::Null ? NullableColumn::make(column, nulls) : column;
}

template <bool kWide, bool kJoda, OnError kOnError>
constexpr FunctionSpec parse_spec(std::string_view name, std::string_view aliases = "")
{
    return {name, "s [ s! s!", parse_type<kWide, kJoda, kOnError>,
            run_parse<kWide, kJoda, kOnError>, 0, aliases};
}
constexpr auto kParse = parse_spec<false, false, OnError::Throw>("parseDateTime", "TO_UNIXTIME*");
constexpr auto kParseNull =
    parse_spec<false, false, OnError::Null>("parseDateTimeOrNull", "str_to_date*");
constexpr auto kParseZero = parse_spec<false, false, OnError::Zero>("parseDateTimeOrZero");
constexpr auto kJoda = parse_spec<false, true, OnError::Throw>("parseDateTimeInJodaSyntax");
constexpr auto kJodaNull = parse_spec<false, true, OnError::Null>("parseDateTimeInJodaSyntaxOrNull");
constexpr auto kJodaZero = parse_spec<false, true, OnError::Zero>("parseDateTimeInJodaSyntaxOrZero");
constexpr auto kParse64 = parse_spec<true, false, OnError::Throw>("parseDateTime64");
constexpr auto kParse64Null = parse_spec<true, false, OnError::Null>("parseDateTime64OrNull");
constexpr auto kParse64Zero = parse_spec<true, false, OnError::Zero>("parseDateTime64OrZero");
constexpr auto kJoda64 = parse_spec<true, true, OnError::Throw>("parseDateTime64InJodaSyntax");
constexpr auto kJoda64Null =
    parse_spec<true, true, OnError::Null>("parseDateTime64InJodaSyntaxOrNull");
constexpr auto kJoda64Zero =
    parse_spec<true, true, OnError::Zero>("parseDateTime64InJodaSyntaxOrZero");

} // namespace

void register_date_parse(ScalarRegistry& registry)
{
    add_all<kParse, kParseNull, kParseZero, kJoda, kJodaNull, kJodaZero>(registry);
    add_all<kParse64, kParse64Null, kParse64Zero, kJoda64, kJoda64Null, kJoda64Zero>(registry);
}

} // namespace basalt
