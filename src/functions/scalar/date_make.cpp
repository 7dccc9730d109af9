// makeDate…, YYYYMMDDToDate…, change*, fromUnixTimestamp64*, toUnixTimestamp64*, Julian days,
// days since year zero.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace basalt
{
namespace
{

// Numbers of any kind, truncated to integers; beyond 64 bits and NaN they are far out of range.
PodVector<int64_t> whole_numbers(const Argument& argument)
{
    const ColumnPtr flat = to_flat(argument.column);
    PodVector<int64_t> out(flat->size());
    if (argument.type->is_integer())
    {
        const IntegerRows rows({flat, argument.type});
        for (size_t i = 0; i < out.size(); ++i)
            out[i] = rows[i];
        return out;
    }
    const DoubleRows rows(flat, argument.type);
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = rows[i] > -9e18 && rows[i] < 9e18 ? static_cast<int64_t>(rows[i]) : -1;
    return out;
}

// Days of a civil date; nullopt when there is no such date in [first_year, 2299].
std::optional<int32_t> date_of(int64_t year, int64_t month, int64_t day, int64_t first_year)
{
    if (year < first_year || year > 2299 || month < 1 || month > 12 || day < 1 || day > 31)
        return std::nullopt;
    const auto y = static_cast<int32_t>(year);
    const auto m = static_cast<uint32_t>(month);
    if (day > days_in_month(y, m))
        return std::nullopt;
    return days_from_civil(y, m, static_cast<uint32_t>(day));
}

int32_t date_or_default(std::optional<int32_t> days, bool wide)
{
    if (!days || (!wide && (*days < 0 || *days > 65535)))
        return 0;
    return *days;
}

// makeDate(year, month, day) and makeDate(year, day of year).
template <bool kWide> ColumnPtr run_make_date(const Call& call)
{
    const int64_t first_year = kWide ? 1900 : 1970;
    const PodVector<int64_t> years = whole_numbers(call[0]);
    const PodVector<int64_t> seconds = whole_numbers(call[1]);
    PodVector<int32_t> days(call.rows);
    if (call.size() == 2)
        for (size_t i = 0; i < call.rows; ++i)
        {
            const auto start = date_of(years[i], 1, 1, first_year);
            const bool good = start && seconds[i] >= 1 && seconds[i] <= 365;
            days[i] = date_or_default(
                good ? std::optional(*start + static_cast<int32_t>(seconds[i]) - 1) : std::nullopt,
                kWide);
        }
    else
    {
        const PodVector<int64_t> thirds = whole_numbers(call[2]);
        for (size_t i = 0; i < call.rows; ++i)
            days[i] =
                date_or_default(date_of(years[i], seconds[i], thirds[i], first_year), kWide);
    }
    return days_column(days, call.result_type);
}

// UTC seconds of a civil time; nullopt when there is no such time.
std::optional<int64_t> time_of(const TimeZone& zone, const int64_t (&part)[6], int64_t first_year)
{
    const auto day = date_of(part[0], part[1], part[2], first_year);
    if (!day || part[3] < 0 || part[3] > 23 || part[4] < 0 || part[4] > 59 || part[5] < 0 ||
        part[5] > 59)
        return std::nullopt;
    return unix_of_local(zone, *day, part[3] * 3600 + part[4] * 60 + part[5]);
}

std::string zone_of_argument(std::string_view name, const Arguments& arguments, size_t at)
{
    return arguments.size() > at ? constant_text(name, arguments, at) : std::string();
}

TypePtr make_date_time_type(const TypeCall& call)
{
    return std::make_shared<DateTimeType>(zone_of_argument(call.name, call.arguments, 6));
}

ColumnPtr run_make_date_time(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.result_type), call.context);
    std::vector<PodVector<int64_t>> parts;
    for (size_t a = 0; a < 6; ++a)
        parts.push_back(whole_numbers(call[a]));
    return map_rows<uint32_t>(
        call.rows,
        [&](size_t i) -> int64_t
        {
            const int64_t part[6] = {parts[0][i], parts[1][i], parts[2][i],
                                     parts[3][i], parts[4][i], parts[5][i]};
            const auto second = time_of(zone, part, 1970);
            if (!second)
                return 0;
            return std::clamp<int64_t>(*second, 0, std::numeric_limits<uint32_t>::max());
        });
}

// makeDateTime64(…, fraction, precision, zone).
TypePtr make_date_time64_type(const TypeCall& call)
{
    const int64_t scale =
        call.size() > 7 ? constant_integer(call.name, call.arguments, 7) : 3;
    if (scale < 0 || scale > 9)
        throw Error(error_codes::DECIMAL_OVERFLOW,
                    fmt::format("Scale {} of function {} is not in 0 … 9", scale, call.name));
    return std::make_shared<DateTime64Type>(static_cast<uint32_t>(scale),
                                            zone_of_argument(call.name, call.arguments, 8));
}

ColumnPtr run_make_date_time64(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.result_type), call.context);
    const int64_t unit = ten_to(scale_of(call.result_type));
    std::vector<PodVector<int64_t>> parts;
    for (size_t a = 0; a < std::min<size_t>(call.size(), 7); ++a)
        parts.push_back(whole_numbers(call[a]));
    return map_rows<int64_t>(call.rows,
                             [&](size_t i)
                             {
                                 const int64_t part[6] = {parts[0][i], parts[1][i], parts[2][i],
                                                          parts[3][i], parts[4][i], parts[5][i]};
                                 const auto second = time_of(zone, part, 1900);
                                 const int64_t fraction =
                                     parts.size() > 6
                                         ? std::clamp<int64_t>(parts[6][i], 0, unit - 1)
                                         : 0;
                                 return second.value_or(0) * unit + (second ? fraction : 0);
                             });
}

template <bool kWide> ColumnPtr run_digits_to_date(const Call& call)
{
    const PodVector<int64_t> numbers = whole_numbers(call[0]);
    PodVector<int32_t> days(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        days[i] = date_or_default(date_of(numbers[i] / 10000, numbers[i] / 100 % 100,
                                          numbers[i] % 100, kWide ? 1900 : 1970),
                                  kWide);
    return days_column(days, call.result_type);
}

template <bool kWide> TypePtr digits_to_time_type(const TypeCall& call)
{
    if (!kWide)
        return std::make_shared<DateTimeType>(zone_of_argument(call.name, call.arguments, 1));
    const int64_t scale = call.size() > 1 ? constant_integer(call.name, call.arguments, 1) : 3;
    if (scale < 0 || scale > 9)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Scale {} of function {} is not in 0 … 9", scale, call.name));
    return std::make_shared<DateTime64Type>(static_cast<uint32_t>(scale),
                                            zone_of_argument(call.name, call.arguments, 2));
}

template <bool kWide> ColumnPtr run_digits_to_time(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.result_type), call.context);
    const PodVector<int64_t> numbers = whole_numbers(call[0]);
    PodVector<int64_t> seconds(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int64_t n = numbers[i];
        const int64_t date = n / 1000000;
        const int64_t part[6] = {date / 10000,    date / 100 % 100, date % 100,
                                 n / 10000 % 100, n / 100 % 100,    n % 100};
        const int64_t second = time_of(zone, part, kWide ? 1900 : 1970).value_or(0);
        seconds[i] = kWide ? second
                           : std::clamp<int64_t>(second, 0, std::numeric_limits<uint32_t>::max());
    }
    return seconds_column(seconds, call.result_type);
}

// change*: one part of a time replaced. A part out of its range gives the type's smallest value.
enum class Part
{
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
};

TypePtr change_type_of(const TypePtr& type, Part part)
{
    if (!is_date(type) || part < Part::Hour)
        return type;
    return type->is(TypeId::Date) ? simple_type(TypeId::DateTime)
                                  : TypePtr(std::make_shared<DateTime64Type>(3, ""));
}

template <Part kPart> TypePtr change_type(const TypeCall& call)
{
    return change_type_of(call.type(0), kPart);
}

bool part_fits(Part part, int64_t value)
{
    switch (part)
    {
        case Part::Year: return value >= 1900 && value <= 2299;
        case Part::Month: return value >= 1 && value <= 12;
        case Part::Day: return value >= 1 && value <= 31;
        case Part::Hour: return value >= 0 && value <= 23;
        default: return value >= 0 && value <= 59;
    }
}

template <Part kPart> ColumnPtr run_change(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.type(0)), call.context);
    const TypePtr& type = call.result_type;
    const uint32_t scale = scale_of(type);
    const int64_t unit = ten_to(scale);
    const bool narrow = type->is(TypeId::Date) || type->is(TypeId::DateTime);
    const PodVector<int64_t> values = whole_numbers(call[1]);
    const PodVector<int64_t> ticks = ticks_at_scale(call[0], zone, scale);
    const PodVector<int64_t> locals = local_seconds(call[0], zone);
    // The smallest value of the type.
    const int32_t first_day = narrow ? 0 : days_from_civil(1900, 1, 1);
    PodVector<int32_t> days(call.rows);
    PodVector<int64_t> out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        auto day = static_cast<int32_t>(floor_div(locals[i], kDaySeconds));
        int64_t rest = locals[i] - day * kDaySeconds;
        const int64_t fraction = ticks[i] - floor_to(ticks[i], unit);
        const int64_t value = values[i];
        if (!part_fits(kPart, value) || (narrow && kPart == Part::Year && value < 1970))
        {
            days[i] = first_day;
            out[i] = narrow ? 0 : unix_of_local(zone, first_day, 0) * unit;
            continue;
        }
        const Civil date = civil_of(day);
        // A day beyond the month's end runs into the next month.
        const auto n = static_cast<int32_t>(value);
        switch (kPart)
        {
            case Part::Year:
                day = days_from_civil(n, date.month, 1) + date.day - 1;
                break;
            case Part::Month:
                day = days_from_civil(date.year, static_cast<uint32_t>(n), 1) + date.day - 1;
                break;
            case Part::Day: day = day - date.day + n; break;
            case Part::Hour: rest = value * 3600 + rest % 3600; break;
            case Part::Minute: rest = rest / 3600 * 3600 + value * 60 + rest % 60; break;
            case Part::Second: rest = rest / 60 * 60 + value; break;
        }
        days[i] = day;
        if (!is_date(type))
            out[i] = unix_of_local(zone, day, rest) * unit + fraction;
    }
    if (is_date(type))
    {
        if (narrow)
            for (int32_t& day : days)
                day = std::clamp(day, 0, 65535);
        return days_column(days, type);
    }
    if (type->is(TypeId::DateTime64))
        return std::make_shared<VectorColumn<int64_t>>(std::move(out));
    return map_rows<uint32_t>(call.rows, [&](size_t i)
                              { return std::clamp<int64_t>(out[i], 0, UINT32_MAX); });
}

template <uint32_t kScale> TypePtr from_unix_type(const TypeCall& call)
{
    return std::make_shared<DateTime64Type>(kScale,
                                            zone_of_argument(call.name, call.arguments, 1));
}

ColumnPtr run_from_unix(const Call& call)
{
    return std::make_shared<VectorColumn<int64_t>>(whole_numbers(call[0]));
}

TypePtr to_unix_type(const TypeCall& call)
{
    if (!call.type(0)->is(TypeId::DateTime64))
        throw_illegal_type(call.name, call.arguments, 0, "DateTime64");
    return simple_type(TypeId::Int64);
}

template <uint32_t kScale> ColumnPtr run_to_unix(const Call& call)
{
    // Truncates towards zero.
    const uint32_t own = scale_of(call.type(0));
    const ColumnPtr flat = to_flat(call.column(0));
    const auto& ticks = column_as<VectorColumn<int64_t>>(flat).data();
    const int64_t up = own < kScale ? ten_to(kScale - own) : 1;
    const int64_t down = own > kScale ? ten_to(own - kScale) : 1;
    return map_rows<int64_t>(call.rows, [&](size_t i) { return ticks[i] * up / down; });
}

constexpr int32_t kJulianEpoch = 40587;     // Modified Julian Day of 1970-01-01
constexpr int32_t kYearZeroEpoch = 719528;  // days from 0000-01-01 to 1970-01-01

// "YYYY-MM-DD" to days; nullopt when it is not one.
std::optional<int32_t> parse_date(std::string_view text)
{
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        return std::nullopt;
    int32_t number[3] = {0, 0, 0};
    const size_t begin[3] = {0, 5, 8};
    const size_t end[3] = {4, 7, 10};
    for (int part = 0; part < 3; ++part)
        for (size_t i = begin[part]; i < end[part]; ++i)
        {
            if (text[i] < '0' || text[i] > '9')
                return std::nullopt;
            number[part] = number[part] * 10 + (text[i] - '0');
        }
    if (number[1] < 1 || number[1] > 12 || number[2] < 1 ||
        number[2] > days_in_month(number[0], static_cast<uint32_t>(number[1])))
        return std::nullopt;
    return days_from_civil(number[0], static_cast<uint32_t>(number[1]),
                           static_cast<uint32_t>(number[2]));
}

template <bool kOrNull> ColumnPtr run_to_julian(const Call& call)
{
    const StringRows rows(call.column(0));
    auto days = std::make_shared<VectorColumn<int32_t>>(call.rows, 0);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto day = parse_date(rows[i]);
        if (day)
            days->data()[i] = *day + kJulianEpoch;
        else if (kOrNull)
            nulls->data()[i] = 1;
        else
            throw Error(error_codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                        fmt::format("Cannot read a date from '{}'", rows[i]));
    }
    if (kOrNull)
        return NullableColumn::make(days, nulls);
    return days;
}

template <bool kOrNull> ColumnPtr run_from_julian(const Call& call)
{
    const PodVector<int64_t> numbers = whole_numbers(call[0]);
    StringWriter out(call.rows, call.rows * 10);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for (size_t i = 0; i < call.rows; ++i)
    {
        // Years 0 … 9999.
        if (numbers[i] < -678941 || numbers[i] > 2973119)
        {
            if (!kOrNull)
                throw Error(error_codes::CANNOT_FORMAT_DATETIME,
                            fmt::format("Modified Julian Day {} has no four-digit year",
                                        numbers[i]));
            nulls->data()[i] = 1;
        }
        else
        {
            const Civil date = civil_of(static_cast<int32_t>(numbers[i]) - kJulianEpoch);
            out.write(fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day));
        }
        out.end_row();
    }
    if (kOrNull)
        return NullableColumn::make(out.finish(), nulls);
    return out.finish();
}

template <TypeId kId> TypePtr nullable_type(const TypeCall&)
{
    return make_nullable(simple_type(kId));
}

ColumnPtr run_days_since_zero(const Call& call)
{
    const std::string zone = call.size() > 1 ? constant_text(call.name, call.arguments, 1)
                                             : zone_of_type(call.type(0));
    const PodVector<int32_t> days = local_days(call[0], zone_by_name(zone, call.context));
    return map_rows<uint32_t>(call.rows, [&](size_t i) { return days[i] + kYearZeroEpoch; });
}

ColumnPtr run_from_days(const Call& call)
{
    const PodVector<int64_t> numbers = whole_numbers(call[0]);
    PodVector<int32_t> days(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
        days[i] = static_cast<int32_t>(numbers[i] - kYearZeroEpoch);
    return days_column(days, call.result_type);
}

constexpr FunctionSpec kMakeDate{"makeDate", "n n [ n", type_is<TypeId::Date>,
                                 run_make_date<false>, kCaseInsensitive};
constexpr FunctionSpec kMakeDate32{"makeDate32", "n n [ n", type_is<TypeId::Date32>,
                                   run_make_date<true>, kCaseInsensitive};
constexpr FunctionSpec kMakeDateTime{"makeDateTime", "n n n n n n [ s!", make_date_time_type,
                                     run_make_date_time, kCaseInsensitive};
constexpr FunctionSpec kMakeDateTime64{"makeDateTime64", "n n n n n n [ n i! s!",
                                       make_date_time64_type, run_make_date_time64,
                                       kCaseInsensitive};
constexpr FunctionSpec kDigitsDate{"YYYYMMDDToDate", "n", type_is<TypeId::Date>,
                                   run_digits_to_date<false>, kCaseInsensitive};
constexpr FunctionSpec kDigitsDate32{"YYYYMMDDToDate32", "n", type_is<TypeId::Date32>,
                                     run_digits_to_date<true>, kCaseInsensitive};
constexpr FunctionSpec kDigitsTime{"YYYYMMDDhhmmssToDateTime", "n [ s!",
                                   digits_to_time_type<false>, run_digits_to_time<false>,
                                   kCaseInsensitive};
constexpr FunctionSpec kDigitsTime64{"YYYYMMDDhhmmssToDateTime64", "n [ i! s!",
                                     digits_to_time_type<true>, run_digits_to_time<true>};
constexpr FunctionSpec kYear{"changeYear", "dD n", change_type<Part::Year>, run_change<Part::Year>};
constexpr FunctionSpec kMonth{"changeMonth", "dD n", change_type<Part::Month>,
                              run_change<Part::Month>};
constexpr FunctionSpec kDay{"changeDay", "dD n", change_type<Part::Day>, run_change<Part::Day>};
constexpr FunctionSpec kHour{"changeHour", "dD n", change_type<Part::Hour>, run_change<Part::Hour>};
constexpr FunctionSpec kMinute{"changeMinute", "dD n", change_type<Part::Minute>,
                               run_change<Part::Minute>};
constexpr FunctionSpec kSecond{"changeSecond", "dD n", change_type<Part::Second>,
                               run_change<Part::Second>};
constexpr FunctionSpec kFrom0{"fromUnixTimestamp64Second", "i [ s!", from_unix_type<0>,
                              run_from_unix};
constexpr FunctionSpec kFrom3{"fromUnixTimestamp64Milli", "i [ s!", from_unix_type<3>,
                              run_from_unix};
constexpr FunctionSpec kFrom6{"fromUnixTimestamp64Micro", "i [ s!", from_unix_type<6>,
                              run_from_unix};
constexpr FunctionSpec kFrom9{"fromUnixTimestamp64Nano", "i [ s!", from_unix_type<9>,
                              run_from_unix};
constexpr FunctionSpec kTo0{"toUnixTimestamp64Second", "D", to_unix_type, run_to_unix<0>};
constexpr FunctionSpec kTo3{"toUnixTimestamp64Milli", "D", to_unix_type, run_to_unix<3>};
constexpr FunctionSpec kTo6{"toUnixTimestamp64Micro", "D", to_unix_type, run_to_unix<6>};
constexpr FunctionSpec kTo9{"toUnixTimestamp64Nano", "D", to_unix_type, run_to_unix<9>};
constexpr FunctionSpec kToJulian{"toModifiedJulianDay", "s", type_is<TypeId::Int32>,
                                 run_to_julian<false>};
constexpr FunctionSpec kToJulianNull{"toModifiedJulianDayOrNull", "s",
                                     nullable_type<TypeId::Int32>, run_to_julian<true>};
constexpr FunctionSpec kFromJulian{"fromModifiedJulianDay", "i", type_is<TypeId::String>,
                                   run_from_julian<false>};
constexpr FunctionSpec kFromJulianNull{"fromModifiedJulianDayOrNull", "i",
                                       nullable_type<TypeId::String>, run_from_julian<true>};
constexpr FunctionSpec kToDays{"toDaysSinceYearZero", "dD [ s!", type_is<TypeId::UInt32>,
                               run_days_since_zero, 0, "TO_DAYS*"};
constexpr FunctionSpec kFromDays{"fromDaysSinceYearZero", "i", type_is<TypeId::Date>,
                                 run_from_days, 0, "FROM_DAYS*"};
constexpr FunctionSpec kFromDays32{"fromDaysSinceYearZero32", "i", type_is<TypeId::Date32>,
                                   run_from_days};

} // namespace

void register_date_make(ScalarRegistry& registry)
{
    add_all<kMakeDate, kMakeDate32, kMakeDateTime, kMakeDateTime64, kDigitsDate, kDigitsDate32,
            kDigitsTime, kDigitsTime64>(registry);
    add_all<kYear, kMonth, kDay, kHour, kMinute, kSecond, kFrom0, kFrom3, kFrom6, kFrom9, kTo0,
            kTo3, kTo6, kTo9>(registry);
    add_all<kToJulian, kToJulianNull, kFromJulian, kFromJulianNull, kToDays, kFromDays,
            kFromDays32>(registry);
}

} // namespace basalt
