#include "encodings/slot_time.h"

#include "encodings/slot_text.h"

namespace basalt::inline encodings
{

namespace
{

constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kLeapYear = 1972; // stands for the year that syslog leaves out
constexpr int64_t kFirstDay = -719528; // 0000-01-01
constexpr int64_t kDays = 3652425;     // to 9999-12-31

// Days from 1970, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const auto year_of_era = static_cast<unsigned>(year - era * 400);
    const auto day_of_year =
        static_cast<unsigned>((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1);
    const unsigned day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + static_cast<int64_t>(day_of_era) - 719468;
}

struct Date
{
    int64_t year;
    int month;
    int day;
};

Date date_of(int64_t days)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const auto day_of_era = static_cast<unsigned>(days - era * 146097);
    const unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const unsigned day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted = (5 * day_of_year + 2) / 153;
    const auto month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
    return {static_cast<int64_t>(year_of_era) + era * 400 + (month <= 2), month,
            static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1)};
}

// Two digits, or -1.
int two_digits(const char* at)
{
    if (!is_digit_byte(at[0]) || !is_digit_byte(at[1]))
        return -1;
    return (at[0] - '0') * 10 + (at[1] - '0');
}

int four_digits(const char* at)
{
    const int high = two_digits(at);
    const int low = two_digits(at + 2);
    return high < 0 || low < 0 ? -1 : high * 100 + low;
}

int month_of(const char* at)
{
    for (int month = 0; month < 12; ++month)
        if (std::memcmp(at, kMonths + 3 * month, 3) == 0)
            return month + 1;
    return -1;
}

bool is_date(int64_t year, int month, int day)
{
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    const Date back = date_of(days_of(year, month, day));
    return back.year == year && back.month == month && back.day == day;
}

// The day part; returns its end and the days from 1970.
const char* parse_date(const char* at, const char* end, const TimeShape& shape, int64_t& days)
{
    const auto left = end - at;
    int64_t year = 0;
    int month = 0, day = 0;
    const char* stop = nullptr;
    switch (shape.format)
    {
    case TimeShape::kDashes:
    case TimeShape::kSlashes:
    {
        const char dash = shape.format == TimeShape::kDashes ? '-' : '/';
        if (left < 11 || at[4] != dash || at[7] != dash || at[10] != shape.separator)
            return nullptr;
        year = four_digits(at);
        month = two_digits(at + 5);
        day = two_digits(at + 8);
        stop = at + 11;
        break;
    }
    case TimeShape::kClf:
        if (left < 12 || at[2] != '/' || at[6] != '/' || at[11] != ':')
            return nullptr;
        day = two_digits(at);
        month = month_of(at + 3);
        year = four_digits(at + 7);
        stop = at + 12;
        break;
    case TimeShape::kSyslog:
        if (left < 7 || at[3] != ' ' || at[6] != ' ')
            return nullptr;
        year = kLeapYear;
        month = month_of(at);
        day = at[4] == ' ' && at[5] != '0' && is_digit_byte(at[5]) ? at[5] - '0' : two_digits(at + 4);
        if (day < 10 && at[4] != ' ')
            return nullptr;
        stop = at + 7;
        break;
    default:
        days = 0;
        return at;
    }
    if (!is_date(year, month, day))
        return nullptr;
    days = days_of(year, month, day);
    if (shape.format == TimeShape::kSyslog)
        days -= days_of(kLeapYear, 1, 1);
    return stop;
}

char* write_two(int value, char* out)
{
    std::memcpy(out, kDigitPairs + 2 * value, 2);
    return out + 2;
}

char* write_date(int64_t days, const TimeShape& shape, char* out)
{
    if (shape.format == TimeShape::kTime)
        return out;
    if (shape.format == TimeShape::kSyslog)
    {
        days = days_of(kLeapYear, 1, 1) + ((days % 366) + 366) % 366;
        const Date date = date_of(days);
        std::memcpy(out, kMonths + 3 * (date.month - 1), 3);
        out[3] = ' ';
        write_two(date.day, out + 4);
        if (date.day < 10)
            out[4] = ' ';
        out[6] = ' ';
        return out + 7;
    }
    days = kFirstDay + ((days - kFirstDay) % kDays + kDays) % kDays;
    const Date date = date_of(days);
    const auto year = static_cast<int>(date.year);
    if (shape.format == TimeShape::kClf)
    {
        out = write_two(date.day, out);
        *out = '/';
        std::memcpy(out + 1, kMonths + 3 * (date.month - 1), 3);
        out[4] = '/';
        out = write_two(year % 100, write_two(year / 100, out + 5));
        *out = ':';
        return out + 1;
    }
    const char dash = shape.format == TimeShape::kDashes ? '-' : '/';
    out = write_two(year % 100, write_two(year / 100, out));
    *out++ = dash;
    out = write_two(date.month, out);
    *out++ = dash;
    out = write_two(date.day, out);
    *out++ = shape.separator;
    return out;
}

} // namespace

bool TimeShape::read(std::string_view bytes, TimeShape& shape)
{
    if (bytes.size() != kBytes)
        return false;
    shape = {bytes[0], bytes[1], bytes[2], static_cast<uint8_t>(bytes[3])};
    return std::string_view("ISCLT").find(shape.format) != std::string_view::npos &&
           shape.digits <= kMaxSlotDecimals;
}

void TimeShape::write(char* bytes) const
{
    bytes[0] = format;
    bytes[1] = separator;
    bytes[2] = fraction_separator;
    bytes[3] = static_cast<char>(digits);
}

const char* parse_time(const char* at, const char* end, const TimeShape& shape, int64_t& ticks)
{
    int64_t days = 0;
    at = parse_date(at, end, shape, days);
    if (!at || end - at < 8 || at[2] != ':' || at[5] != ':')
        return nullptr;
    const int hour = two_digits(at);
    const int minute = two_digits(at + 3);
    const int second = two_digits(at + 6);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
        return nullptr;
    at += 8;
    ticks = days * kDaySeconds + hour * 3600 + minute * 60 + second;
    if (shape.digits == 0)
        return at;
    if (end - at < shape.digits + 1 || *at != shape.fraction_separator)
        return nullptr;
    // Years past 2262 have no nanoseconds in 64 bits.
    if (ticks > INT64_MAX / 1000000000 - 1 || ticks < -(INT64_MAX / 1000000000 - 1))
        return nullptr;
    ++at;
    for (unsigned i = 0; i < shape.digits; ++i, ++at)
    {
        if (!is_digit_byte(*at))
            return nullptr;
        ticks = ticks * 10 + (*at - '0');
    }
    return at;
}

const char* detect_time(const char* at, const char* end, TimeShape& shape)
{
    const auto left = end - at;
    if (left < 8)
        return nullptr;
    shape = {};
    if (at[2] == ':')
        shape.format = TimeShape::kTime;
    else if (left > 18 && (at[4] == '-' || at[4] == '/') && is_digit_byte(at[0]))
    {
        shape.format = at[4] == '-' ? TimeShape::kDashes : TimeShape::kSlashes;
        shape.separator = at[10];
    }
    else if (left > 19 && at[2] == '/' && at[6] == '/')
        shape.format = TimeShape::kClf;
    else if (left > 14 && at[3] == ' ' && at[6] == ' ')
        shape.format = TimeShape::kSyslog;
    else
        return nullptr;
    int64_t ticks = 0;
    const char* stop = parse_time(at, end, shape, ticks);
    if (!stop)
        return nullptr;
    if (end - stop > 1 && (*stop == '.' || *stop == ',') && is_digit_byte(stop[1]))
    {
        const char* fraction = stop + 1;
        while (fraction < end && is_digit_byte(*fraction))
            ++fraction;
        const auto digits = static_cast<size_t>(fraction - stop - 1);
        if (digits <= kMaxSlotDecimals)
        {
            shape.fraction_separator = *stop;
            shape.digits = static_cast<uint8_t>(digits);
            stop = parse_time(at, end, shape, ticks);
        }
        else
            return nullptr;
    }
    if (!stop || (stop < end && (is_digit_byte(*stop) || *stop == ':')))
        return nullptr;
    return stop;
}

char* write_time(int64_t ticks, const TimeShape& shape, char* out)
{
    const auto power = static_cast<int64_t>(integer_power_of_ten(shape.digits));
    int64_t seconds = ticks / power;
    int64_t fraction = ticks % power;
    if (fraction < 0)
    {
        fraction += power;
        --seconds;
    }
    int64_t days = seconds / kDaySeconds;
    int64_t rest = seconds % kDaySeconds;
    if (rest < 0)
    {
        rest += kDaySeconds;
        --days;
    }
    out = write_date(days, shape, out);
    const auto time = static_cast<int>(rest);
    out = write_two(time / 3600, out);
    *out++ = ':';
    out = write_two(time / 60 % 60, out);
    *out++ = ':';
    out = write_two(time % 60, out);
    if (shape.digits == 0)
        return out;
    *out++ = shape.fraction_separator;
    write_fixed_digits(static_cast<uint64_t>(fraction), shape.digits, out);
    return out + shape.digits;
}

} // namespace basalt::encodings
