#include "base/clock.h"
#include "columns/date_text.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt
{

namespace
{

constexpr uint32_t kMaxFractionDigits = 18;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

int two_digits(const char* p) { return (p[0] - '0') * 10 + (p[1] - '0'); }

// Every 'd' of the pattern must meet a digit.
bool matches_digits(const char* p, const char* pattern)
{
    for (; *pattern; ++p, ++pattern)
        if (*pattern == 'd' ? !is_digit(*p) : (*pattern != '?' && *pattern != *p))
            return false;
    return true;
}

void parse_fraction(TextCursor& cursor, DateTimeParts& parts)
{
    for (; !cursor.at_end() && is_digit(*cursor.pos); ++cursor.pos)
        if (parts.fraction_digits < kMaxFractionDigits)
        {
            parts.fraction = parts.fraction * 10 + static_cast<uint64_t>(*cursor.pos - '0');
            ++parts.fraction_digits;
        }
}

uint32_t days_in_month(int32_t year, uint32_t month)
{
    static constexpr uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

int month_of_word(std::string_view word)
{
    static constexpr std::string_view months = "janfebmaraprmayjunjulaugsepoctnovdec";
    const size_t at = months.find(word.substr(0, 3));
    return at != std::string_view::npos && at % 3 == 0 ? static_cast<int>(at / 3) + 1 : 0;
}

bool is_week_day(std::string_view word)
{
    static constexpr std::string_view days = "montuewedthufrisatsun";
    const size_t at = days.find(word.substr(0, 3));
    return at != std::string_view::npos && at % 3 == 0;
}

// Gathers the parts of a date and time in whatever order they come.
class BestEffort
{
public:
    BestEffort(TextCursor& cursor, bool is_64, const TimeZone& zone, bool month_first,
               DateTimeParts& parts)
        : cursor_(cursor), is_64_(is_64), zone_(zone), month_first_(month_first), parts_(parts)
    {
    }

    bool parse()
    {
        for (;;)
        {
            if (cursor_.at_end())
                return finish();
            const Step step = is_digit(*cursor_.pos) ? parse_number() : parse_other();
            if (step == Step::Failed)
                return false;
            if (step == Step::Complete)
                return true;
            if (step == Step::Stop)
                return finish();
        }
    }

private:
    enum class Step
    {
        Continue,
        Stop,     // what follows is not ours
        Complete, // parts_ is ready
        Failed,
    };

    Step fail(std::string_view why)
    {
        cursor_.fail(error_codes::CANNOT_PARSE_DATETIME,
                     cursor_.quiet ? std::string() : fmt::format("Cannot read DateTime: {}", why));
        return Step::Failed;
    }
    Step fail_digits(std::string_view where, size_t count)
    {
        return fail(fmt::format("unexpected number of decimal digits{}: {}", where, count));
    }

    size_t count_digits() const
    {
        size_t count = 0;
        while (count < cursor_.left() && is_digit(cursor_.pos[count]))
            ++count;
        return count;
    }
    int64_t take_digits(size_t count)
    {
        int64_t value = 0;
        for (size_t i = 0; i < count; ++i)
            value = value * 10 + (*cursor_.pos++ - '0');
        return value;
    }
    // One or two digits; false when there are none or more.
    bool take_one_or_two(uint32_t& value, size_t& count)
    {
        count = count_digits();
        if (count != 1 && count != 2)
            return false;
        value = static_cast<uint32_t>(take_digits(count));
        return true;
    }

    Step unix_time(size_t digits, size_t fraction_digits)
    {
        parts_.unix_s = take_digits(digits - fraction_digits);
        parts_.fraction_digits = static_cast<uint32_t>(fraction_digits);
        parts_.fraction = static_cast<uint64_t>(take_digits(fraction_digits));
        if (fraction_digits == 0 && is_64_ && cursor_.skip('.'))
            parse_fraction(cursor_, parts_);
        return Step::Complete;
    }

    Step parse_number()
    {
        const size_t digits = count_digits();
        const bool nothing_yet = year_ == 0 && !has_time_;
        if (nothing_yet)
            switch (digits)
            {
            case 19:
                return unix_time(19, 9);
            case 16:
                return unix_time(16, 6);
            case 13:
                return unix_time(13, 3);
            case 10:
            case 9:
                return unix_time(digits, 0);
            case 14:
                take_compact_date();
                take_compact_time();
                return Step::Continue;
            default:
                break;
            }
        if (has_time_ && day_ != 0)
            return Step::Stop;
        if (digits == 8 && year_ == 0)
        {
            take_compact_date();
            return Step::Continue;
        }
        if (digits == 6 && year_ == 0 && month_ == 0)
        {
            year_ = static_cast<int32_t>(take_digits(4));
            month_ = static_cast<uint32_t>(take_digits(2));
            return Step::Continue;
        }
        if (digits == 6 && !has_time_)
        {
            take_compact_time();
            return Step::Continue;
        }
        if (digits == 4 && year_ == 0)
            return parse_year_first();
        if (digits == 1 || digits == 2)
            return parse_short_number();
        return fail_digits("", digits);
    }

    void take_compact_date()
    {
        year_ = static_cast<int32_t>(take_digits(4));
        month_ = static_cast<uint32_t>(take_digits(2));
        day_ = static_cast<uint32_t>(take_digits(2));
    }
    void take_compact_time()
    {
        hour_ = static_cast<uint32_t>(take_digits(2));
        minute_ = static_cast<uint32_t>(take_digits(2));
        second_ = static_cast<uint32_t>(take_digits(2));
        has_time_ = true;
    }

    Step parse_year_first()
    {
        year_ = static_cast<int32_t>(take_digits(4));
        if (cursor_.at_end())
            return Step::Continue;
        const char separator = *cursor_.pos;
        if (separator != '-' && separator != '/' && separator != '.')
            return Step::Continue;
        ++cursor_.pos;
        size_t count;
        if (!take_one_or_two(month_, count))
            return fail_digits(" after year", count);
        if (!cursor_.skip(separator))
            return Step::Continue;
        if (!take_one_or_two(day_, count))
            return fail_digits(" after year and month", count);
        return Step::Continue;
    }

    Step parse_short_number()
    {
        uint32_t number;
        size_t count;
        take_one_or_two(number, count);
        const int next = cursor_.peek();
        if (next == ':' && !has_time_)
        {
            ++cursor_.pos;
            hour_ = number;
            has_time_ = true;
            if (!take_one_or_two(minute_, count))
                return fail_digits(" after hour", count);
            if (cursor_.skip(':') && !take_one_or_two(second_, count))
                return fail_digits(" after hour and minute", count);
            return Step::Continue;
        }
        if (day_ != 0 && !has_time_)
        {
            hour_ = number;
            has_time_ = true;
            return Step::Continue;
        }
        if (day_ != 0)
            return fail_digits("", count);
        day_ = number;
        if (next == ',')
        {
            ++cursor_.pos;
            return Step::Continue;
        }
        if (next == '/' || next == '.' || next == '-')
            return parse_day_first(static_cast<char>(next));
        return Step::Continue;
    }

    Step parse_day_first(char separator)
    {
        ++cursor_.pos;
        size_t count;
        if (!cursor_.at_end() && is_letter(*cursor_.pos))
        {
            const Step step = parse_word();
            if (step != Step::Continue)
                return step;
        }
        else if (!take_one_or_two(month_, count))
            return fail_digits(" after day", count);
        else if (month_first_)
            std::swap(month_, day_);
        if (month_ > 12)
            std::swap(month_, day_);
        if (!cursor_.skip(separator))
            return Step::Continue;
        count = count_digits();
        if (count == 4)
            year_ = static_cast<int32_t>(take_digits(4));
        else if (count == 2)
        {
            year_ = static_cast<int32_t>(take_digits(2));
            year_ += year_ >= 70 ? 1900 : 2000;
        }
        else
            return fail_digits(" after day and month", count);
        return Step::Continue;
    }

    Step parse_other()
    {
        const char c = *cursor_.pos;
        if (c == ' ')
        {
            ++cursor_.pos;
            return Step::Continue;
        }
        if (c == '+' || c == '-')
            return parse_offset();
        if (c == '.' && has_time_)
        {
            if (has_fraction_)
                return fail("duplicate fractional part");
            has_fraction_ = true;
            ++cursor_.pos;
            parse_fraction(cursor_, parts_);
            return Step::Continue;
        }
        if (is_letter(c))
        {
            const bool alone = cursor_.left() < 2 || !is_letter(cursor_.pos[1]);
            if (alone && c == 'T')
            {
                ++cursor_.pos;
                return Step::Continue;
            }
            if (alone && c == 'Z')
            {
                ++cursor_.pos;
                has_offset_ = true;
                return Step::Continue;
            }
            return parse_word();
        }
        return Step::Stop;
    }

    Step parse_offset()
    {
        const int sign = *cursor_.pos++ == '-' ? -1 : 1;
        const size_t digits = count_digits();
        int64_t hours = 0;
        int64_t minutes = 0;
        if (digits == 4 || digits == 3)
        {
            hours = take_digits(digits - 2);
            minutes = take_digits(2);
        }
        else if (digits == 2 || digits == 1)
        {
            hours = take_digits(digits);
            if (cursor_.skip(':'))
            {
                const size_t more = count_digits();
                if (more != 2 && more != 1)
                    return fail_digits(" for time zone offset", more);
                minutes = take_digits(more);
            }
        }
        else
            return fail_digits(" for time zone offset", digits);
        has_offset_ = true;
        offset_s_ = sign * (hours * 3600 + minutes * 60);
        return Step::Continue;
    }

    Step parse_word()
    {
        char lower[4] = {};
        size_t length = 0;
        while (length < cursor_.left() && is_letter(cursor_.pos[length]))
        {
            if (length < 3)
                lower[length] = static_cast<char>(cursor_.pos[length] | 0x20);
            ++length;
        }
        const std::string_view word(lower, std::min<size_t>(length, 3));
        if (length == 2 && (word == "am" || word == "pm"))
        {
            if (hour_ == 12)
                hour_ = 0;
            if (word == "pm")
                hour_ += 12;
            cursor_.pos += 2;
            return Step::Continue;
        }
        if (length < 3)
            return fail("unexpected alphabetical character");
        if (const int month = month_of_word(word))
            month_ = static_cast<uint32_t>(month);
        else if (word == "utc" || word == "gmt")
            has_offset_ = true;
        else if (word == "msk" || word == "msd")
        {
            has_offset_ = true;
            offset_s_ = word == "msk" ? 3 * 3600 : 4 * 3600;
        }
        else if (!is_week_day(word))
            return fail("unexpected word");
        cursor_.pos += length;
        if (is_week_day(word))
            cursor_.skip(',');
        return Step::Continue;
    }

    bool finish()
    {
        if (year_ == 0 && month_ == 0 && day_ == 0 && !has_time_)
        {
            fail("neither Date nor Time was parsed successfully");
            return false;
        }
        const bool year_known = year_ != 0;
        month_ = std::max(month_, 1u);
        day_ = std::max(day_, 1u);
        if (!year_known)
        {
            // The latest such day that is not in the future.
            const CivilTime now = zone_.to_civil(system_clock().unix_s());
            year_ = now.year;
            if (std::pair(month_, day_) > std::pair<uint32_t, uint32_t>(now.month, now.day))
                --year_;
        }
        if (month_ > 12 || day_ > days_in_month(year_, month_))
        {
            fail(fmt::format("unexpected date: {}-{}-{}", year_, month_, day_));
            return false;
        }
        const int64_t seconds_of_day =
            int64_t{hour_} * 3600 + int64_t{minute_} * 60 + int64_t{second_};
        if (has_offset_)
            parts_.unix_s = int64_t{days_from_civil(year_, month_, day_)} * 86400 +
                            seconds_of_day - offset_s_;
        else
            parts_.unix_s = zone_.to_unix(
                {year_, static_cast<uint8_t>(month_), static_cast<uint8_t>(day_),
                 static_cast<uint8_t>(hour_), static_cast<uint8_t>(minute_),
                 static_cast<uint8_t>(second_)});
        return true;
    }

    TextCursor& cursor_;
    bool is_64_;
    const TimeZone& zone_;
    bool month_first_;
    DateTimeParts& parts_;
    int32_t year_ = 0;
    uint32_t month_ = 0, day_ = 0, hour_ = 0, minute_ = 0, second_ = 0;
    bool has_time_ = false;
    bool has_fraction_ = false;
    bool has_offset_ = false;
    int64_t offset_s_ = 0;
};

// "YYYY-MM-DD hh:mm:ss" of a possible date; the usual case of both parsers.
bool parse_plain(const char* p, const TimeZone& zone, bool in_utc, int64_t& unix_s)
{
    const int32_t year = two_digits(p) * 100 + two_digits(p + 2);
    const auto month = static_cast<uint32_t>(two_digits(p + 5));
    const auto day = static_cast<uint32_t>(two_digits(p + 8));
    if (year == 0 || month == 0 || month > 12 || day == 0 || day > days_in_month(year, month))
        return false;
    const int hour = two_digits(p + 11);
    const int minute = two_digits(p + 14);
    const int second = two_digits(p + 17);
    if (in_utc || zone.is_utc())
        unix_s = int64_t{days_from_civil(year, month, day)} * 86400 + hour * 3600 + minute * 60 +
                 second;
    else
        unix_s = zone.to_unix({year, static_cast<uint8_t>(month), static_cast<uint8_t>(day),
                               static_cast<uint8_t>(hour), static_cast<uint8_t>(minute),
                               static_cast<uint8_t>(second)});
    return true;
}

} // namespace

bool parse_date_time_best_effort(TextCursor& cursor, bool is_64, const TimeZone& zone,
                                 bool month_first, DateTimeParts& parts)
{
    const char* const begin = cursor.pos;
    if (cursor.left() >= 19 && matches_digits(begin, "dddd-dd-dd?dd:dd:dd") &&
        (begin[10] == ' ' || begin[10] == 'T'))
    {
        cursor.pos += 19;
        if (cursor.left() >= 2 && cursor.pos[0] == '.' && is_digit(cursor.pos[1]))
        {
            ++cursor.pos;
            parse_fraction(cursor, parts);
        }
        const bool in_utc = cursor.skip('Z');
        const int next = cursor.peek();
        const bool ends = next == -1 || next == '"' || next == '\'' || next == '\t' ||
                          next == '\n' || next == ',' || next == ']' || next == ')';
        if (ends && parse_plain(begin, zone, in_utc, parts.unix_s))
            return true;
        cursor.pos = begin;
        parts = {};
    }
    return BestEffort(cursor, is_64, zone, month_first, parts).parse();
}

bool parse_date_time_basic(TextCursor& cursor, bool is_64, const TimeZone& zone,
                           DateTimeParts& parts)
{
    const char* const p = cursor.pos;
    const auto fail = [&]
    {
        return cursor.fail(error_codes::CANNOT_PARSE_DATETIME,
                           cursor.quiet ? std::string()
                                        : "Cannot parse datetime " +
                                              quoted_excerpt(cursor.rest().substr(0, 20)));
    };
    if (cursor.left() >= 10 && matches_digits(p, "dddd?dd?dd") && !is_digit(p[4]))
    {
        const bool has_time = cursor.left() > 10 && (p[10] == ' ' || p[10] == 'T');
        if (has_time && (cursor.left() < 19 || !matches_digits(p + 11, "dd?dd?dd")))
            return fail();
        const int32_t year = two_digits(p) * 100 + two_digits(p + 2);
        const auto month = static_cast<uint32_t>(two_digits(p + 5));
        const auto day = static_cast<uint32_t>(two_digits(p + 8));
        if (year == 0 || month == 0 || month > 12 || day == 0 || day > 31)
            parts.unix_s = is_64 && year != 0 ? int64_t{kMinDate32} * 86400 : 0;
        else
        {
            CivilTime civil{year, static_cast<uint8_t>(month), static_cast<uint8_t>(day), 0, 0, 0};
            if (has_time)
            {
                civil.hour = static_cast<uint8_t>(two_digits(p + 11));
                civil.minute = static_cast<uint8_t>(two_digits(p + 14));
                civil.second = static_cast<uint8_t>(two_digits(p + 17));
            }
            parts.unix_s = zone.to_unix(civil);
        }
        cursor.pos += has_time ? 19 : 10;
    }
    else
    {
        const bool negative = is_64 && cursor.skip('-');
        constexpr size_t kFewestDigits = 5;
        constexpr size_t kMostDigits = 13;
        size_t digits = 0;
        while (digits < cursor.left() && is_digit(cursor.pos[digits]))
            ++digits;
        if (digits > kMostDigits || (digits < kFewestDigits && !negative) || digits == 0)
            return fail();
        for (size_t i = 0; i < digits; ++i)
            parts.unix_s = parts.unix_s * 10 + (*cursor.pos++ - '0');
        // Thirteen digits are milliseconds where a fraction can be kept.
        if (is_64 && digits == kMostDigits)
        {
            parts.fraction = static_cast<uint64_t>(parts.unix_s % 1000);
            parts.fraction_digits = 3;
            parts.unix_s /= 1000;
        }
        if (negative)
            parts.unix_s = -parts.unix_s;
    }
    if (is_64 && parts.fraction_digits == 0 && cursor.skip('.'))
        parse_fraction(cursor, parts);
    return true;
}

} // namespace basalt
