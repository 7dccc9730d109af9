#include "columns/date_text.h"

#include "columns/number_text.h"
#include "columns/serialization.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr int64_t kSecondsPerDay = 86400;

int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b < 0 ? 1 : 0);
}

char* put_time_of_day(char* to, uint32_t second_of_day)
{
    to = put_two_digits(to, second_of_day / 3600);
    *to++ = ':';
    to = put_two_digits(to, second_of_day / 60 % 60);
    *to++ = ':';
    return put_two_digits(to, second_of_day % 60);
}

char* put_fraction(char* to, uint64_t fraction, uint32_t scale)
{
    if (scale == 0)
        return to;
    *to++ = '.';
    for (uint32_t i = scale; i-- > 0;)
    {
        to[i] = static_cast<char>('0' + fraction % 10);
        fraction /= 10;
    }
    return to + scale;
}

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

} // namespace

const TimeZone& session_timezone(const TextOptions& options)
{
    thread_local const TimeZone* last = nullptr;
    if (!last || last->name() != options.session_timezone)
        last = &timezone(options.session_timezone);
    return *last;
}

char* put_date(char* to, int32_t days)
{
    constexpr int32_t kFirst = -719528; // 0000-01-01
    constexpr int32_t kLast = 2932896;  // 9999-12-31
    int32_t year;
    uint8_t month, day;
    civil_from_days(std::clamp(days, kFirst, kLast), year, month, day);
    to = put_two_digits(to, static_cast<uint32_t>(year) / 100);
    to = put_two_digits(to, static_cast<uint32_t>(year) % 100);
    *to++ = '-';
    to = put_two_digits(to, month);
    *to++ = '-';
    return put_two_digits(to, day);
}

void write_date(OutputBuffer& out, int32_t days)
{
    char* to = out.reserve(10);
    put_date(to, days);
    out.advance(10);
}

void write_date_time(OutputBuffer& out, int64_t ticks, uint32_t scale, const TimeZone& zone,
                     const TextOptions& options)
{
    int64_t seconds = ticks;
    uint64_t fraction = 0;
    if (scale > 0)
    {
        const int64_t unit = kPowersOfTen64[scale];
        seconds = floor_div(ticks, unit);
        // seconds * unit may pass the smallest int64; the difference does not.
        fraction = static_cast<uint64_t>(ticks) -
                   static_cast<uint64_t>(seconds) * static_cast<uint64_t>(unit);
    }
    char* const start = out.reserve(48);
    char* to = start;
    if (options.date_time_output == TextOptions::DateTimeOutput::UnixTimestamp)
    {
        if (ticks < 0)
        {
            *to++ = '-';
            const uint64_t magnitude = 0 - static_cast<uint64_t>(ticks);
            const auto unit = static_cast<uint64_t>(kPowersOfTen64[scale]);
            to = put_digits(to, magnitude / unit);
            to = put_fraction(to, magnitude % unit, scale);
        }
        else
        {
            to = put_digits(to, static_cast<uint64_t>(seconds));
            to = put_fraction(to, fraction, scale);
        }
        out.advance(static_cast<size_t>(to - start));
        return;
    }
    const bool iso = options.date_time_output == TextOptions::DateTimeOutput::Iso;
    seconds = std::clamp(seconds, kMinDateTimeSecond, kMaxDateTimeSecond);
    const int64_t local =
        std::clamp(iso ? seconds : seconds + zone.offset_at(seconds), kMinDateTimeSecond,
                   kMaxDateTimeSecond);
    const int64_t days = floor_div(local, kSecondsPerDay);
    to = put_date(to, static_cast<int32_t>(days));
    *to++ = iso ? 'T' : ' ';
    to = put_time_of_day(to, static_cast<uint32_t>(local - days * kSecondsPerDay));
    to = put_fraction(to, fraction, scale);
    if (iso)
        *to++ = 'Z';
    out.advance(static_cast<size_t>(to - start));
}

void write_time(OutputBuffer& out, int64_t ticks, uint32_t scale)
{
    char* const start = out.reserve(32);
    char* to = start;
    const auto unit = static_cast<uint64_t>(kPowersOfTen64[scale]);
    auto magnitude = static_cast<uint64_t>(ticks);
    if (ticks < 0)
    {
        *to++ = '-';
        magnitude = 0 - magnitude;
    }
    const uint64_t limit = (uint64_t{kMaxTimeSecond} + 1) * unit - 1;
    magnitude = std::min(magnitude, limit);
    const uint64_t seconds = magnitude / unit;
    const uint64_t hours = seconds / 3600;
    if (hours >= 100)
        to = put_digits(to, hours);
    else
        to = put_two_digits(to, static_cast<uint32_t>(hours));
    *to++ = ':';
    to = put_two_digits(to, static_cast<uint32_t>(seconds / 60 % 60));
    *to++ = ':';
    to = put_two_digits(to, static_cast<uint32_t>(seconds % 60));
    to = put_fraction(to, magnitude % unit, scale);
    out.advance(static_cast<size_t>(to - start));
}

bool parse_date(TextCursor& cursor, int32_t impossible, int32_t& days)
{
    const char* p = cursor.pos;
    const size_t left = cursor.left();
    const auto digits = [&](size_t at, size_t count) -> int32_t
    {
        int32_t value = 0;
        for (size_t i = at; i < at + count; ++i)
        {
            if (i >= left || !is_digit(p[i]))
                return -1;
            value = value * 10 + (p[i] - '0');
        }
        return value;
    };
    int32_t year = digits(0, 4);
    int32_t month = -1;
    int32_t day = -1;
    size_t used = 0;
    if (year >= 0 && left > 4 && is_digit(p[4]))
    {
        month = digits(4, 2);
        day = digits(6, 2);
        used = 8;
    }
    else if (year >= 0 && left > 5)
    {
        size_t at = 5;
        const auto one_or_two = [&](int32_t& value)
        {
            value = digits(at, 2);
            at += 2;
            if (value >= 0)
                return;
            value = digits(at - 2, 1);
            --at;
        };
        one_or_two(month);
        const bool separated = at < left && !is_digit(p[at]) && p[at] != '\t' && p[at] != '\n';
        ++at;
        if (separated)
            one_or_two(day);
        used = at;
    }
    if (year < 0 || month < 0 || day < 0)
    {
        constexpr size_t kShortest = 8;
        const size_t line = std::min(cursor.rest().find_first_of("\t\n\"',"), left);
        if (line < kShortest)
            return cursor.fail(error_codes::CANNOT_PARSE_DATE,
                               "Cannot parse date: value is too short");
        return cursor.fail(error_codes::CANNOT_PARSE_DATE,
                           "Cannot parse date here: " + std::string(cursor.rest().substr(0, 10)));
    }
    cursor.pos += used;
    if (year == 0 || month == 0 || month > 12 || day == 0 || day > 31)
        days = impossible;
    else
        days = days_from_civil(year, static_cast<uint32_t>(month), static_cast<uint32_t>(day));
    return true;
}

bool parse_date_time(TextCursor& cursor, uint32_t scale, bool is_64, const TimeZone& zone,
                     const TextOptions& options, int64_t& ticks)
{
    DateTimeParts parts;
    const bool parsed = options.date_time_input_basic
                            ? parse_date_time_basic(cursor, is_64, zone, parts)
                            : parse_date_time_best_effort(cursor, is_64, zone, false, parts);
    if (!parsed)
        return false;
    if (!is_64)
    {
        ticks = std::clamp(parts.unix_s, int64_t{0}, int64_t{UINT32_MAX});
        return true;
    }
    int64_t fraction;
    if (parts.fraction_digits > scale)
        fraction = static_cast<int64_t>(parts.fraction) /
                   kPowersOfTen64[parts.fraction_digits - scale];
    else
        fraction = static_cast<int64_t>(parts.fraction) *
                   kPowersOfTen64[scale - parts.fraction_digits];
    int64_t whole;
    if (__builtin_mul_overflow(parts.unix_s, kPowersOfTen64[scale], &whole) ||
        __builtin_add_overflow(whole, fraction, &ticks))
        return cursor.fail(error_codes::DECIMAL_OVERFLOW, "Decimal math overflow");
    return true;
}

bool parse_time(TextCursor& cursor, uint32_t scale, int64_t& ticks)
{
    const bool negative = cursor.skip('-');
    const char* const p = cursor.pos;
    const auto digit_at = [&](size_t i) { return i < cursor.left() && is_digit(p[i]); };
    const auto colon_pair_at = [&](size_t i)
    { return i < cursor.left() && p[i] == ':' && digit_at(i + 1) && digit_at(i + 2); };
    const auto pair = [&](size_t i) { return (p[i] - '0') * 10 + (p[i + 1] - '0'); };
    if (!digit_at(0))
        return cursor.fail(error_codes::CANNOT_PARSE_DATETIME,
                           "Cannot parse time: it does not begin with a digit or minus sign");
    size_t digits = 1;
    while (digits < 3 && digit_at(digits))
        ++digits;
    int64_t seconds;
    if (colon_pair_at(digits) && colon_pair_at(digits + 3))
    {
        int64_t hours = 0;
        for (size_t i = 0; i < digits; ++i)
            hours = hours * 10 + (p[i] - '0');
        seconds = hours * 3600 + pair(digits + 1) * 60 + pair(digits + 4);
        cursor.pos += digits + 6;
    }
    else if (digits == 2 && colon_pair_at(2))
    {
        seconds = pair(0) * 60 + pair(3);
        cursor.pos += 5;
    }
    else
    {
        digits = std::min<size_t>(digits, 2);
        seconds = digits == 2 ? pair(0) : p[0] - '0';
        cursor.pos += digits;
    }
    seconds = std::min<int64_t>(seconds, kMaxTimeSecond);
    ticks = seconds * kPowersOfTen64[scale];
    if (scale > 0 && cursor.skip('.'))
    {
        int64_t fraction = 0;
        uint32_t count = 0;
        for (; !cursor.at_end() && is_digit(*cursor.pos); ++cursor.pos)
            if (count < scale)
            {
                fraction = fraction * 10 + (*cursor.pos - '0');
                ++count;
            }
        ticks += fraction * kPowersOfTen64[scale - count];
    }
    if (negative)
        ticks = -ticks;
    return true;
}

} // namespace basalt
