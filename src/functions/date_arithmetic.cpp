#include "functions/date_arithmetic.h"

#include "base/error.h"
#include "functions/cast.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

constexpr int64_t kDaySeconds = 86400;

int64_t wrapping_add(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t wrapping_multiply(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floor_divide(int64_t a, int64_t b)
{
    const int64_t quotient = a / b;
    return quotient - (a % b < 0);
}

// The UTC second of a local day and the seconds of that day shown on a clock; in a gap the clock
// is read as before it.
int64_t at_local_clock(int32_t day, int64_t clock_s, const TimeZone& zone)
{
    const int64_t start = zone.day_start(day);
    const int64_t naive = start + clock_s;
    if (zone.is_utc())
        return naive;
    return naive - (zone.offset_at(naive) - zone.offset_at(start));
}

int64_t local_clock(int64_t unix_s, const TimeZone& zone)
{
    const int64_t local = unix_s + zone.offset_at(unix_s);
    return local - floor_divide(local, kDaySeconds) * kDaySeconds;
}

} // namespace

int64_t power_of_ten(uint32_t exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

int64_t interval_nanoseconds(IntervalKind kind)
{
    switch (kind)
    {
        case IntervalKind::Nanosecond: return 1;
        case IntervalKind::Microsecond: return 1000;
        case IntervalKind::Millisecond: return 1000000;
        case IntervalKind::Second: return 1000000000;
        case IntervalKind::Minute: return 60 * int64_t{1000000000};
        case IntervalKind::Hour: return 3600 * int64_t{1000000000};
        default: return 0;
    }
}

const char* interval_name(IntervalKind kind)
{
    constexpr const char* kNames[] = {"Nanosecond", "Microsecond", "Millisecond", "Second",
                                      "Minute",     "Hour",        "Day",         "Week",
                                      "Month",      "Quarter",     "Year"};
    return kNames[static_cast<size_t>(kind)];
}

int32_t interval_days(IntervalKind kind)
{
    if (kind == IntervalKind::Day)
        return 1;
    return kind == IntervalKind::Week ? 7 : 0;
}

int32_t interval_months(IntervalKind kind)
{
    switch (kind)
    {
        case IntervalKind::Month: return 1;
        case IntervalKind::Quarter: return 3;
        case IntervalKind::Year: return 12;
        default: return 0;
    }
}

uint32_t interval_scale(IntervalKind kind)
{
    switch (kind)
    {
        case IntervalKind::Nanosecond: return 9;
        case IntervalKind::Microsecond: return 6;
        case IntervalKind::Millisecond: return 3;
        default: return 0;
    }
}

int32_t add_months_to_day(int32_t day, int64_t months)
{
    int32_t year = 0;
    uint8_t month = 0;
    uint8_t day_of_month = 0;
    civil_from_days(day, year, month, day_of_month);
    // Far beyond any calendar; keeps the year an int.
    constexpr int64_t kMaxMonths = 12 * 100000;
    months = std::clamp(months, -kMaxMonths, kMaxMonths);
    const int64_t all = int64_t{year} * 12 + (month - 1) + months;
    const int64_t new_year = floor_divide(all, 12);
    const auto new_month = static_cast<uint32_t>(all - new_year * 12 + 1);
    constexpr uint8_t kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t length = kLengths[new_month - 1];
    const bool leap = new_year % 4 == 0 && (new_year % 100 != 0 || new_year % 400 == 0);
    if (new_month == 2 && leap)
        length = 29;
    return days_from_civil(static_cast<int32_t>(new_year), new_month,
                           std::min<uint32_t>(day_of_month, length));
}

int64_t add_local_days(int64_t unix_s, int64_t days, const TimeZone& zone)
{
    if (zone.is_utc())
        return wrapping_add(unix_s, wrapping_multiply(days, kDaySeconds));
    const auto day = static_cast<int32_t>(zone.local_day(unix_s) + days);
    return at_local_clock(day, local_clock(unix_s, zone), zone);
}

int64_t add_local_months(int64_t unix_s, int64_t months, const TimeZone& zone)
{
    const int32_t day = add_months_to_day(zone.local_day(unix_s), months);
    return at_local_clock(day, local_clock(unix_s, zone), zone);
}

const TimeZone& zone_of_type(const DataType& type, const QueryContext& context)
{
    std::string name;
    if (type.is(TypeId::DateTime))
        name = static_cast<const DateTimeType&>(type).timezone();
    else if (type.is(TypeId::DateTime64))
        name = static_cast<const DateTime64Type&>(type).timezone();
    return timezone(name.empty() ? context.timezone() : name);
}

TypePtr add_interval_type(const TypePtr& date, IntervalKind kind, const char* verb)
{
    const auto refuse = [&]() -> TypePtr
    {
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("{}{}s cannot be used with {}", verb, interval_name(kind),
                                date->name()));
    };
    const uint32_t scale = interval_scale(kind);
    const bool below_day = interval_nanoseconds(kind) != 0;
    switch (date->id())
    {
        case TypeId::Date:
            if (!below_day)
                return date;
            return scale ? refuse() : std::make_shared<DateTimeType>();
        case TypeId::Date32:
            if (!below_day)
                return date;
            return scale ? refuse() : std::make_shared<DateTime64Type>(3);
        case TypeId::DateTime:
            if (scale)
                return std::make_shared<DateTime64Type>(scale,
                                                        type_as<DateTimeType>(date).timezone());
            return date;
        case TypeId::DateTime64:
        {
            const auto& type = type_as<DateTime64Type>(date);
            if (scale > type.scale())
                return std::make_shared<DateTime64Type>(scale, type.timezone());
            return date;
        }
        case TypeId::Time:
        case TypeId::Time64:
            return below_day && scale == 0 ? date : refuse();
        case TypeId::String:
        case TypeId::FixedString:
            return std::make_shared<DateTime64Type>(std::max(scale, 3u));
        default:
            return refuse();
    }
}

namespace
{

// Days to days.
template <class T>
ColumnPtr add_to_days(const Column& date, const VectorView<int64_t>& counts, IntervalKind kind,
                      int sign, size_t rows)
{
    const VectorView<T> days(date);
    auto result = std::make_shared<VectorColumn<T>>(rows);
    T* const out = result->data().data();
    const int64_t unit = interval_days(kind) * int64_t{sign};
    const int64_t months = interval_months(kind) * int64_t{sign};
    for (size_t i = 0; i < rows; ++i)
    {
        if (months == 0)
        {
            out[i] = static_cast<T>(wrapping_add(days[i], wrapping_multiply(counts[i], unit)));
            continue;
        }
        const int32_t moved = add_months_to_day(static_cast<int32_t>(days[i]),
                                                wrapping_multiply(counts[i], months));
        out[i] = static_cast<T>(std::is_unsigned_v<T> && moved < 0 ? 0 : moved);
    }
    return result;
}

// Ticks of 1/per_second s (after multiplying by `widen`) plus a calendar or a fixed interval.
template <class From, class To, class Start>
ColumnPtr add_to_ticks(const Column& date, const VectorView<int64_t>& counts, IntervalKind kind,
                       int sign, int64_t per_second, const TimeZone& zone, size_t rows,
                       Start start)
{
    const VectorView<From> from(date);
    auto result = std::make_shared<VectorColumn<To>>(rows);
    To* const out = result->data().data();
    const int64_t nanoseconds = interval_nanoseconds(kind);
    if (nanoseconds != 0)
    {
        const int64_t tick_ns = 1000000000 / per_second;
        // Units finer than a tick lose their rest, as ClickHouse's division does.
        const int64_t step = nanoseconds / tick_ns;
        for (size_t i = 0; i < rows; ++i)
        {
            const int64_t moved =
                step != 0 ? wrapping_multiply(counts[i], step * sign)
                          : counts[i] * sign / (tick_ns / nanoseconds);
            out[i] = static_cast<To>(wrapping_add(start(from[i]), moved));
        }
        return result;
    }
    const int64_t days = interval_days(kind) * int64_t{sign};
    const int64_t months = interval_months(kind) * int64_t{sign};
    for (size_t i = 0; i < rows; ++i)
    {
        const int64_t ticks = start(from[i]);
        const int64_t seconds = per_second == 1 ? ticks : floor_divide(ticks, per_second);
        const int64_t fraction = ticks - seconds * per_second;
        int64_t moved = days != 0
                            ? add_local_days(seconds, wrapping_multiply(counts[i], days), zone)
                            : add_local_months(seconds, wrapping_multiply(counts[i], months), zone);
        if (std::is_unsigned_v<To> && days == 0 && moved < 0)
            moved = 0;
        out[i] = static_cast<To>(wrapping_add(wrapping_multiply(moved, per_second), fraction));
    }
    return result;
}

} // namespace

ColumnPtr add_interval(const Argument& given, const ColumnPtr& counts_column, IntervalKind kind,
                       int sign, const TypePtr& result, size_t rows, const QueryContext& context)
{
    Argument date = given;
    if (date.type->is_string())
    {
        date.column = cast_column(date.column, date.type, result, context);
        date.type = result;
        date.column = to_flat(date.column);
    }
    const VectorView<int64_t> counts(*counts_column);
    const Column& column = *date.column;
    const TimeZone& zone = zone_of_type(*result, context);
    int64_t per_second = 1;
    if (result->is(TypeId::DateTime64))
        per_second = power_of_ten(type_as<DateTime64Type>(result).scale());
    else if (result->is(TypeId::Time64))
        per_second = power_of_ten(type_as<Time64Type>(result).scale());
    const auto same = [](int64_t value) { return value; };
    switch (date.type->id())
    {
        case TypeId::Date:
            if (result->is(TypeId::Date))
                return add_to_days<uint16_t>(column, counts, kind, sign, rows);
            return add_to_ticks<uint16_t, uint32_t>(column, counts, kind, sign, 1, zone, rows,
                                                    [&](int64_t day)
                                                    { return zone.day_start(int32_t(day)); });
        case TypeId::Date32:
            if (result->is(TypeId::Date32))
                return add_to_days<int32_t>(column, counts, kind, sign, rows);
            return add_to_ticks<int32_t, int64_t>(
                column, counts, kind, sign, per_second, zone, rows,
                [&](int64_t day) { return zone.day_start(int32_t(day)) * per_second; });
        case TypeId::DateTime:
            if (result->is(TypeId::DateTime))
                return add_to_ticks<uint32_t, uint32_t>(column, counts, kind, sign, 1, zone, rows,
                                                        same);
            return add_to_ticks<uint32_t, int64_t>(column, counts, kind, sign, per_second, zone,
                                                   rows, [&](int64_t seconds)
                                                   { return seconds * per_second; });
        case TypeId::Time:
            return add_to_ticks<int32_t, int32_t>(column, counts, kind, sign, 1, zone, rows, same);
        default:
        {
            int64_t widen = 1;
            if (date.type->is(TypeId::DateTime64))
                widen = per_second / power_of_ten(type_as<DateTime64Type>(date.type).scale());
            return add_to_ticks<int64_t, int64_t>(column, counts, kind, sign, per_second, zone,
                                                  rows, [&](int64_t ticks)
                                                  { return wrapping_multiply(ticks, widen); });
        }
    }
}

} // namespace basalt
