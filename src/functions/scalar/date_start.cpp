// toStartOf*, toLastDayOf*, toMonday, timeSlot, toStartOfInterval, dateTrunc.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{
namespace
{

std::string zone_argument(const TypeCall& call, size_t zone_at)
{
    return zone_name(call.name, call.arguments, zone_at, call.type(0));
}
const TimeZone& zone_for(const Call& call, size_t zone_at)
{
    return zone_by_name(zone_name(call.name, call.arguments, zone_at, call.type(0)),
                        call.context);
}

TypePtr date_type(const TypeCall& call)
{
    zone_argument(call, 1);
    return date_result(call.type(0), call.context);
}

// A Date holds 1970-01-01 … 2149-06-06: results of wider types outside become the nearest of them;
// results of a Date stop at its beginning.
void clamp_days(PodVector<int32_t>& days, const Call& call)
{
    if (!call.result_type->is(TypeId::Date))
        return;
    const bool wide = call.type(0)->is(TypeId::Date32) || call.type(0)->is(TypeId::DateTime64);
    for (int32_t& day : days)
        day = wide ? std::clamp(day, 0, 65535) : std::max(day, 0);
}

template <int32_t (*kStart)(int32_t)> ColumnPtr run_day(const Call& call)
{
    PodVector<int32_t> days = local_days(call[0], zone_for(call, 1));
    for (int32_t& day : days)
        day = kStart(day);
    clamp_days(days, call);
    return days_column(days, call.result_type);
}

int32_t start_of_year(int32_t day)
{
    return days_from_civil(civil_of(day).year, 1, 1);
}
int32_t start_of_iso_year(int32_t day)
{
    // The week of 4 January is the first.
    return monday_of(days_from_civil(iso_year_of(day), 1, 4));
}
int32_t start_of_quarter(int32_t day)
{
    const Civil date = civil_of(day);
    return days_from_civil(date.year, static_cast<uint32_t>((date.month - 1) / 3 * 3 + 1), 1);
}
int32_t start_of_month(int32_t day)
{
    return day - civil_of(day).day + 1;
}
int32_t last_of_month(int32_t day)
{
    const Civil date = civil_of(day);
    return day - date.day + days_in_month(date.year, date.month);
}

template <bool kLast> ColumnPtr run_week(const Call& call)
{
    PodVector<int32_t> days = local_days(call[0], zone_for(call, 2));
    const auto mode = static_cast<uint32_t>(
        call.size() > 1 ? constant_integer(call.name, call.arguments, 1) : 0);
    for (int32_t& day : days)
        day = week_start(day, mode) + (kLast ? 6 : 0);
    clamp_days(days, call);
    return days_column(days, call.result_type);
}

TypePtr week_type(const TypeCall& call)
{
    zone_argument(call, 2);
    return date_result(call.type(0), call.context);
}

TypePtr time_type(const TypeCall& call)
{
    return date_time_result(call.type(0), zone_argument(call, 1), call.context);
}

ColumnPtr run_start_of_day(const Call& call)
{
    const TimeZone& zone = zone_for(call, 1);
    if (zone.is_utc() && is_date_time(call.type(0)))
        return floored_seconds(call[0], kDaySeconds, call.result_type);
    const PodVector<int32_t> days = local_days(call[0], zone);
    PodVector<int64_t> seconds(days.size());
    for (size_t i = 0; i < days.size(); ++i)
        seconds[i] = zone.day_start(days[i]);
    return seconds_column(seconds, call.result_type);
}

// Seconds rounded down to kUnit; hours in local time.
template <int64_t kUnit> ColumnPtr run_start_of(const Call& call)
{
    const TimeZone& zone = zone_for(call, 1);
    if ((kUnit < 3600 || zone.is_utc()) && is_date_time(call.type(0)))
        return floored_seconds(call[0], kUnit, call.result_type);
    PodVector<int64_t> seconds = unix_seconds(call[0], zone);
    for (int64_t& second : seconds)
    {
        const int64_t offset = kUnit < 3600 ? 0 : zone.offset_at(second);
        second = floor_to(second + offset, kUnit) - offset;
    }
    return seconds_column(seconds, call.result_type);
}

// DateTime64 at no less than kScale, rounded down to 10^-kScale seconds.
template <uint32_t kScale> TypePtr fraction_type(const TypeCall& call)
{
    if (!call.type(0)->is(TypeId::DateTime64))
        throw_illegal_type(call.name, call.arguments, 0, "DateTime64");
    return std::make_shared<DateTime64Type>(std::max(kScale, scale_of(call.type(0))),
                                            zone_argument(call, 1));
}

ColumnPtr rounded_ticks(const Call& call, uint32_t unit_scale, int64_t units)
{
    const uint32_t scale = scale_of(call.result_type);
    PodVector<int64_t> ticks = ticks_at_scale(call[0], utc(), scale);
    const int64_t step = ten_to(scale - unit_scale) * units;
    for (int64_t& tick : ticks)
        tick = floor_to(tick, step);
    return std::make_shared<VectorColumn<int64_t>>(std::move(ticks));
}

template <uint32_t kScale> ColumnPtr run_fraction(const Call& call)
{
    return rounded_ticks(call, kScale, 1);
}

// toStartOfInterval(x, interval [, origin] [, zone]).
struct IntervalArguments
{
    IntervalKind kind;
    bool has_origin = false;
    std::string zone;
};

IntervalArguments interval_arguments(std::string_view name, const Arguments& arguments)
{
    IntervalArguments result{type_as<IntervalType>(arguments[1].type).kind()};
    size_t zone_at = arguments.size();
    if (arguments.size() > 2)
    {
        result.has_origin = !arguments[2].type->is_string();
        zone_at = result.has_origin ? 3 : 2;
    }
    result.zone = zone_name(name, arguments, zone_at, arguments[0].type);
    return result;
}

bool is_subsecond(IntervalKind kind)
{
    return kind <= IntervalKind::Millisecond;
}
uint32_t subsecond_scale(IntervalKind kind)
{
    return kind == IntervalKind::Nanosecond ? 9 : kind == IntervalKind::Microsecond ? 6 : 3;
}

TypePtr interval_type(const TypeCall& call)
{
    const IntervalArguments interval = interval_arguments(call.name, call.arguments);
    const TypePtr& type = call.type(0);
    if (!is_constant_argument(call[1]))
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("Argument 2 of function {} must be constant", call.name));
    if (const auto units = value_to_integer(call[1].column->value_at(0)); units && *units <= 0)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Value for 2nd argument of function {} must be positive",
                                call.name));
    const auto illegal = [&]
    {
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Illegal interval kind for argument data type {} of function {}",
                                type->name(), call.name));
    };
    if (is_subsecond(interval.kind) && !type->is(TypeId::DateTime64))
        illegal();
    if (is_date(type) && interval.kind < IntervalKind::Day)
        illegal();
    if (interval.has_origin)
    {
        if (call.type(2)->id() != type->id())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("The origin of function {} must have the type of its first "
                                    "argument",
                                    call.name));
        if (type->is(TypeId::DateTime64) && is_subsecond(interval.kind))
            return std::make_shared<DateTime64Type>(
                std::max(scale_of(type), subsecond_scale(interval.kind)), interval.zone);
        if (type->is(TypeId::DateTime64))
            return std::make_shared<DateTime64Type>(scale_of(type), interval.zone);
        if (type->is(TypeId::DateTime))
            return std::make_shared<DateTimeType>(interval.zone);
        return type;
    }
    if (is_subsecond(interval.kind))
        return std::make_shared<DateTime64Type>(
            std::max(scale_of(type), subsecond_scale(interval.kind)), interval.zone);
    if (interval.kind >= IntervalKind::Week)
        return date_result(type, call.context);
    return date_time_result(type, interval.zone, call.context);
}

int32_t round_days(IntervalKind kind, int32_t day, int64_t units)
{
    switch (kind)
    {
        case IntervalKind::Week:
            // Weeks are counted from Monday, 5 January 1970.
            return static_cast<int32_t>(4 + floor_to(day - 4, 7 * units));
        case IntervalKind::Quarter: units *= 3; [[fallthrough]];
        case IntervalKind::Month:
        {
            // Months are counted from January 1900.
            const Civil date = civil_of(day);
            const int64_t months = floor_to((date.year - 1900) * int64_t{12} + date.month - 1, units);
            return days_from_civil(static_cast<int32_t>(1900 + floor_div(months, 12)),
                                   static_cast<uint32_t>(months - floor_to(months, 12) + 1), 1);
        }
        default: // Year
            return days_from_civil(static_cast<int32_t>(floor_to(civil_of(day).year, units)), 1,
                                   1);
    }
}

int64_t round_seconds(IntervalKind kind, int64_t second, int64_t units, const TimeZone& zone)
{
    switch (kind)
    {
        case IntervalKind::Second:
            if (units % 60 != 0)
                return floor_to(second, units);
            units /= 60;
            [[fallthrough]];
        case IntervalKind::Minute:
            return floor_to(second, units * 60);
        case IntervalKind::Hour:
        {
            // Hours are counted from local midnight.
            if (units == 1)
            {
                const int64_t offset = zone.offset_at(second);
                return floor_to(second + offset, 3600) - offset;
            }
            const int64_t midnight = zone.day_start(zone.local_day(second));
            return midnight + floor_to(second - midnight, units * 3600);
        }
        default: // Day
            return zone.day_start(
                static_cast<int32_t>(floor_to(zone.local_day(second), units)));
    }
}

int64_t unit_seconds(IntervalKind kind)
{
    switch (kind)
    {
        case IntervalKind::Minute: return 60;
        case IntervalKind::Hour: return 3600;
        case IntervalKind::Day: return kDaySeconds;
        case IntervalKind::Week: return 7 * kDaySeconds;
        default: return 1;
    }
}

// Whole intervals counted from the origin instead of the calendar's beginning.
ColumnPtr run_with_origin(const Call& call, const IntervalArguments& interval, int64_t units)
{
    const TimeZone& zone = zone_by_name(interval.zone, call.context);
    const auto before = [&]
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The origin of function {} must not be after the time",
                                call.name));
    };
    if (interval.kind >= IntervalKind::Month)
    {
        const int64_t months = units * (interval.kind == IntervalKind::Month     ? 1
                                        : interval.kind == IntervalKind::Quarter ? 3
                                                                                 : 12);
        PodVector<int64_t> seconds = local_seconds(call[0], zone);
        const PodVector<int64_t> origins = local_seconds(call[2], zone);
        PodVector<int32_t> days(seconds.size());
        for (size_t i = 0; i < seconds.size(); ++i)
        {
            if (seconds[i] < origins[i])
                before();
            const auto day = static_cast<int32_t>(floor_div(seconds[i], kDaySeconds));
            const auto origin = static_cast<int32_t>(floor_div(origins[i], kDaySeconds));
            const int64_t rest = origins[i] - origin * kDaySeconds;
            const Civil a = civil_of(day);
            const Civil b = civil_of(origin);
            int64_t passed = (a.year - b.year) * int64_t{12} + a.month - b.month;
            passed = floor_to(passed, months);
            if (add_months(origin, passed) * kDaySeconds + rest > seconds[i])
                passed -= months;
            days[i] = add_months(origin, passed);
            seconds[i] = is_date(call.type(0)) ? 0 : unix_of_local(zone, days[i], rest);
        }
        if (is_date(call.type(0)))
            return days_column(days, call.result_type);
        return seconds_column(seconds, call.result_type);
    }
    if (is_date(call.type(0)))
    {
        PodVector<int32_t> days = local_days(call[0], zone);
        const PodVector<int32_t> origins = local_days(call[2], zone);
        const int64_t step = units * (interval.kind == IntervalKind::Week ? 7 : 1);
        for (size_t i = 0; i < days.size(); ++i)
        {
            if (days[i] < origins[i])
                before();
            days[i] = static_cast<int32_t>(origins[i] + floor_to(days[i] - origins[i], step));
        }
        return days_column(days, call.result_type);
    }
    const uint32_t scale = scale_of(call.result_type);
    PodVector<int64_t> ticks = ticks_at_scale(call[0], zone, scale);
    const PodVector<int64_t> origins = ticks_at_scale(call[2], zone, scale);
    const int64_t step = is_subsecond(interval.kind)
                             ? units * ten_to(scale - subsecond_scale(interval.kind))
                             : units * unit_seconds(interval.kind) * ten_to(scale);
    for (size_t i = 0; i < ticks.size(); ++i)
    {
        if (ticks[i] < origins[i])
            before();
        ticks[i] = origins[i] + floor_to(ticks[i] - origins[i], step);
    }
    if (call.result_type->is(TypeId::DateTime64))
        return std::make_shared<VectorColumn<int64_t>>(std::move(ticks));
    return seconds_column(ticks, call.result_type);
}

ColumnPtr run_interval(const Call& call)
{
    const IntervalArguments interval = interval_arguments(call.name, call.arguments);
    const int64_t units = *value_to_integer(call.column(1)->value_at(0));
    if (interval.has_origin)
        return run_with_origin(call, interval, units);
    if (is_subsecond(interval.kind))
        return rounded_ticks(call, subsecond_scale(interval.kind), units);
    const TimeZone& zone = zone_by_name(interval.zone, call.context);
    if (interval.kind >= IntervalKind::Week)
    {
        PodVector<int32_t> days = local_days(call[0], zone);
        for (int32_t& day : days)
            day = round_days(interval.kind, day, units);
        return days_column(days, call.result_type);
    }
    const bool from_epoch =
        interval.kind <= IntervalKind::Minute ||
        (zone.is_utc() && interval.kind == IntervalKind::Hour && 24 % units == 0);
    // A step that times at the finest scale can be counted in.
    constexpr int64_t kMostFloored = 1000000000;
    if (from_epoch && is_date_time(call.type(0)) && units <= kMostFloored / 3600)
        return floored_seconds(call[0], units * unit_seconds(interval.kind), call.result_type);
    PodVector<int64_t> seconds = unix_seconds(call[0], zone);
    if (from_epoch)
    {
        const int64_t step = units * unit_seconds(interval.kind);
        for (int64_t& second : seconds)
            second = floor_to(second, step);
    }
    else
        for (int64_t& second : seconds)
            second = round_seconds(interval.kind, second, units, zone);
    return seconds_column(seconds, call.result_type);
}

// dateTrunc(unit, x [, zone]).
IntervalKind trunc_unit(std::string_view name, const Arguments& arguments)
{
    const std::string text = constant_text(name, arguments, 0);
    const auto unit = unit_of_text(text);
    // Only the full names are units here.
    if (!unit || text.size() < 3)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("{} doesn't look like datepart name in {}", text, name));
    return *unit;
}

std::string trunc_zone(std::string_view name, const Arguments& arguments)
{
    return zone_name(name, arguments, 2, arguments[1].type);
}

TypePtr trunc_type(const TypeCall& call)
{
    const IntervalKind unit = trunc_unit(call.name, call.arguments);
    const TypePtr& type = call.type(1);
    const std::string zone = trunc_zone(call.name, call.arguments);
    if (unit >= IntervalKind::Week || (unit == IntervalKind::Day && is_date(type)))
        return simple_type(type->is(TypeId::Date32) || type->is(TypeId::DateTime64)
                               ? TypeId::Date32
                               : TypeId::Date);
    if (is_date(type))
        return type->is(TypeId::Date32) ? TypePtr(std::make_shared<DateTime64Type>(3, zone))
                                        : TypePtr(std::make_shared<DateTimeType>(zone));
    if (is_subsecond(unit))
        return std::make_shared<DateTime64Type>(subsecond_scale(unit), zone);
    if (type->is(TypeId::DateTime64))
        return std::make_shared<DateTime64Type>(0, zone);
    return std::make_shared<DateTimeType>(zone);
}

ColumnPtr run_trunc(const Call& call)
{
    const IntervalKind unit = trunc_unit(call.name, call.arguments);
    const TimeZone& zone = zone_by_name(trunc_zone(call.name, call.arguments), call.context);
    const Argument& time = call[1];
    if (is_date(call.result_type))
    {
        PodVector<int32_t> days = local_days(time, zone);
        if (unit != IntervalKind::Day)
            for (int32_t& day : days)
                day = round_days(unit, day, 1);
        return days_column(days, call.result_type);
    }
    if (is_subsecond(unit))
        return std::make_shared<VectorColumn<int64_t>>(
            ticks_at_scale(time, zone, scale_of(call.result_type)));
    PodVector<int64_t> seconds = unix_seconds(time, zone);
    for (int64_t& second : seconds)
        second = round_seconds(unit, second, 1, zone);
    return seconds_column(seconds, call.result_type);
}

ColumnPtr run_time_slots(const Call& call)
{
    const TimeZone& zone = utc();
    const uint32_t scale = scale_of(call.type(0));
    const int64_t second = ten_to(scale);
    const PodVector<int64_t> starts = ticks_at_scale(call[0], zone, scale);
    const IntegerRows durations(call[1]);
    const int64_t size =
        (call.size() > 2 ? constant_integer(call.name, call.arguments, 2) : 1800) * second;
    if (size <= 0)
        throw Error(error_codes::ILLEGAL_COLUMN,
                    fmt::format("Third argument of function {} must be greater than zero",
                                call.name));
    PodVector<int64_t> items;
    auto offsets = std::make_shared<VectorColumn<uint64_t>>(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int64_t end = floor_div(starts[i] + durations[i] * second, size);
        for (int64_t slot = floor_div(starts[i], size); slot <= end; ++slot)
            items.push_back(slot * size);
        offsets->data()[i] = items.size();
    }
    ColumnPtr column = std::make_shared<VectorColumn<int64_t>>(items);
    if (scale == 0 && call.type(0)->is(TypeId::DateTime))
        column = map_rows<uint32_t>(items.size(), [&](size_t i) { return items[i]; });
    return ArrayColumn::make(column, offsets);
}

TypePtr time_slots_type(const TypeCall& call)
{
    return std::make_shared<ArrayType>(call.type(0));
}

constexpr std::string_view kAny = "dD [ s!";
constexpr std::string_view kTimes = "D [ s!";
constexpr std::string_view kMode = "dD [ i! s!";
constexpr FunctionSpec kYear{"toStartOfYear", kAny, date_type, run_day<start_of_year>,
                             kIncreasing};
constexpr FunctionSpec kIsoYear{"toStartOfISOYear", kAny, date_type, run_day<start_of_iso_year>,
                                kIncreasing};
constexpr FunctionSpec kQuarter{"toStartOfQuarter", kAny, date_type, run_day<start_of_quarter>,
                                kIncreasing};
constexpr FunctionSpec kMonth{"toStartOfMonth", kAny, date_type, run_day<start_of_month>,
                              kIncreasing};
constexpr FunctionSpec kMonday{"toMonday", kAny, date_type, run_day<monday_of>, kIncreasing};
constexpr FunctionSpec kLastOfMonth{"toLastDayOfMonth", kAny, date_type, run_day<last_of_month>,
                                    kIncreasing, "LAST_DAY*"};
constexpr FunctionSpec kWeek{"toStartOfWeek", kMode, week_type, run_week<false>, kIncreasing};
constexpr FunctionSpec kLastOfWeek{"toLastDayOfWeek", kMode, week_type, run_week<true>,
                                   kIncreasing};
constexpr FunctionSpec kDay{"toStartOfDay", kAny, time_type, run_start_of_day, kIncreasing};
constexpr FunctionSpec kHour{"toStartOfHour", kTimes, time_type, run_start_of<3600>, kIncreasing};
constexpr FunctionSpec kMinute{"toStartOfMinute", kTimes, time_type, run_start_of<60>,
                               kIncreasing};
constexpr FunctionSpec kFive{"toStartOfFiveMinutes", kTimes, time_type, run_start_of<300>,
                             kIncreasing, "toStartOfFiveMinute"};
constexpr FunctionSpec kTen{"toStartOfTenMinutes", kTimes, time_type, run_start_of<600>,
                            kIncreasing};
constexpr FunctionSpec kFifteen{"toStartOfFifteenMinutes", kTimes, time_type, run_start_of<900>,
                                kIncreasing};
constexpr FunctionSpec kTimeSlot{"timeSlot", kTimes, time_type, run_start_of<1800>, kIncreasing};
constexpr FunctionSpec kTimeSlots{"timeSlots", "D n [ i!", time_slots_type, run_time_slots};
constexpr FunctionSpec kSecond{"toStartOfSecond", kTimes, fraction_type<0>, run_fraction<0>,
                               kIncreasing};
constexpr FunctionSpec kMillisecond{"toStartOfMillisecond", kTimes, fraction_type<3>,
                                    run_fraction<3>, kIncreasing};
constexpr FunctionSpec kMicrosecond{"toStartOfMicrosecond", kTimes, fraction_type<6>,
                                    run_fraction<6>, kIncreasing};
constexpr FunctionSpec kNanosecond{"toStartOfNanosecond", kTimes, fraction_type<9>,
                                   run_fraction<9>, kIncreasing};
constexpr FunctionSpec kInterval{"toStartOfInterval", "dD v! [ dDs! s!", interval_type,
                                 run_interval, kIncreasing, "time_bucket* date_bin*"};
constexpr FunctionSpec kTrunc{"dateTrunc", "s! dD [ s!", trunc_type, run_trunc, kIncreasing,
                              "DATE_TRUNC*"};

} // namespace

void register_date_start(ScalarRegistry& registry)
{
    add_all_dates<kYear, kIsoYear, kQuarter, kMonth, kMonday, kLastOfMonth, kWeek, kLastOfWeek, kDay,
            kHour, kMinute, kFive, kTen, kFifteen, kTimeSlot, kTimeSlots>(registry);
    add_all_dates<kSecond, kMillisecond, kMicrosecond, kNanosecond, kInterval, kTrunc>(registry);
}

} // namespace basalt
