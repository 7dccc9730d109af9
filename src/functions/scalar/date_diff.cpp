// dateDiff, age, timeDiff.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

IntervalKind unit_argument(std::string_view name, const Arguments& arguments)
{
    const std::string text = constant_text(name, arguments, 0);
    const auto unit = unit_of_text(text);
    if (!unit)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Function {} does not support '{}' unit", name, text));
    return *unit;
}

TypePtr diff_type(const TypeCall& call)
{
    unit_argument(call.name, call.arguments);
    if (call.size() == 4)
        constant_text(call.name, call.arguments, 3);
    return simple_type(TypeId::Int64);
}

int64_t months_of(int32_t day)
{
    const Civil date = civil_of(day);
    return date.year * int64_t{12} + date.month - 1;
}

// The number of the unit that a local day lies in.
int64_t day_unit(IntervalKind unit, int32_t day)
{
    switch (unit)
    {
        case IntervalKind::Year: return civil_of(day).year;
        case IntervalKind::Quarter: return floor_div(months_of(day), 3);
        case IntervalKind::Month: return months_of(day);
        case IntervalKind::Week: return floor_div(day + 3, 7);
        default: return day;
    }
}

int64_t unit_seconds(IntervalKind unit)
{
    switch (unit)
    {
        case IntervalKind::Minute: return 60;
        case IntervalKind::Hour: return 3600;
        case IntervalKind::Day: return kDaySeconds;
        case IntervalKind::Week: return 7 * kDaySeconds;
        default: return 1;
    }
}

uint32_t subsecond_scale(IntervalKind kind)
{
    return kind == IntervalKind::Nanosecond ? 9 : kind == IntervalKind::Microsecond ? 6 : 3;
}

struct Sides
{
    Argument left;
    Argument right;
    const TimeZone* left_zone;
    const TimeZone* right_zone;
};

Sides sides_of(const Call& call)
{
    const std::string zone = call.size() == 4 ? constant_text(call.name, call.arguments, 3) : "";
    const auto zone_of = [&](const TypePtr& type) -> const TimeZone&
    { return zone_by_name(zone.empty() ? zone_of_type(type) : zone, call.context); };
    Sides sides{call[1], call[2], nullptr, nullptr};
    sides.left_zone = &zone_of(sides.left.type);
    sides.right_zone = &zone_of(sides.right.type);
    return sides;
}

ColumnPtr run_date_diff(const Call& call)
{
    const IntervalKind unit = unit_argument(call.name, call.arguments);
    const Sides sides = sides_of(call);
    if (unit >= IntervalKind::Day)
    {
        const PodVector<int32_t> a = local_days(sides.left, *sides.left_zone);
        const PodVector<int32_t> b = local_days(sides.right, *sides.right_zone);
        return map_rows<int64_t>(call.rows, [&](size_t i)
                                 { return day_unit(unit, b[i]) - day_unit(unit, a[i]); });
    }
    if (unit <= IntervalKind::Millisecond)
    {
        const uint32_t scale = subsecond_scale(unit);
        const PodVector<int64_t> a = ticks_at_scale(sides.left, *sides.left_zone, scale);
        const PodVector<int64_t> b = ticks_at_scale(sides.right, *sides.right_zone, scale);
        return map_rows<int64_t>(call.rows, [&](size_t i) { return b[i] - a[i]; });
    }
    const int64_t step = unit_seconds(unit);
    const PodVector<int64_t> a = unix_seconds(sides.left, *sides.left_zone);
    const PodVector<int64_t> b = unix_seconds(sides.right, *sides.right_zone);
    const int64_t a_shift = relative_shift(*sides.left_zone, step);
    const int64_t b_shift = relative_shift(*sides.right_zone, step);
    return map_rows<int64_t>(call.rows,
                             [&](size_t i) {
                                 return floor_div(b[i] + b_shift, step) -
                                        floor_div(a[i] + a_shift, step);
                             });
}

// Whole units between two times; negative when the second is earlier.
int64_t whole_units(IntervalKind unit, int64_t a, int64_t b, int64_t per_second)
{
    if (b < a)
        return -whole_units(unit, b, a, per_second);
    if (unit < IntervalKind::Month)
        return (b - a) / (per_second * unit_seconds(unit));
    const int64_t day_ticks = kDaySeconds * per_second;
    const auto a_day = static_cast<int32_t>(floor_div(a, day_ticks));
    const auto b_day = static_cast<int32_t>(floor_div(b, day_ticks));
    int64_t months = months_of(b_day) - months_of(a_day);
    const int64_t a_rest = a - a_day * day_ticks + civil_of(a_day).day * day_ticks;
    const int64_t b_rest = b - b_day * day_ticks + civil_of(b_day).day * day_ticks;
    if (b_rest < a_rest)
        --months;
    return unit == IntervalKind::Month ? months : months / (unit == IntervalKind::Year ? 12 : 3);
}

ColumnPtr run_age(const Call& call)
{
    const IntervalKind unit = unit_argument(call.name, call.arguments);
    const Sides sides = sides_of(call);
    if (unit <= IntervalKind::Millisecond)
    {
        const uint32_t scale = subsecond_scale(unit);
        const PodVector<int64_t> a = ticks_at_scale(sides.left, *sides.left_zone, scale);
        const PodVector<int64_t> b = ticks_at_scale(sides.right, *sides.right_zone, scale);
        return map_rows<int64_t>(call.rows, [&](size_t i) { return b[i] - a[i]; });
    }
    // At the finer scale of the two, so that fractions count.
    const uint32_t scale = std::max(scale_of(sides.left.type), scale_of(sides.right.type));
    PodVector<int64_t> a = ticks_at_scale(sides.left, *sides.left_zone, scale);
    PodVector<int64_t> b = ticks_at_scale(sides.right, *sides.right_zone, scale);
    const int64_t per_second = ten_to(scale);
    if (unit >= IntervalKind::Day)
    {
        const auto to_local = [&](PodVector<int64_t>& ticks, const TimeZone& zone)
        {
            if (!zone.is_utc())
                for (int64_t& tick : ticks)
                    tick += zone.offset_at(floor_div(tick, per_second)) * per_second;
        };
        to_local(a, *sides.left_zone);
        to_local(b, *sides.right_zone);
    }
    return map_rows<int64_t>(call.rows, [&](size_t i)
                             { return whole_units(unit, a[i], b[i], per_second); });
}

ColumnPtr run_time_diff(const Call& call)
{
    const PodVector<int64_t> a =
        unix_seconds(call[0], zone_by_name(zone_of_type(call.type(0)), call.context));
    const PodVector<int64_t> b =
        unix_seconds(call[1], zone_by_name(zone_of_type(call.type(1)), call.context));
    return map_rows<int64_t>(call.rows, [&](size_t i) { return b[i] - a[i]; });
}

constexpr FunctionSpec kDiff{"dateDiff", "s! dD dD [ s!", diff_type, run_date_diff,
                             kCaseInsensitive,
                             "DATE_DIFF date_diff TIMESTAMP_DIFF timestampDiff timestamp_diff"};
constexpr FunctionSpec kAge{"age", "s! dD dD [ s!", diff_type, run_age, kCaseInsensitive};
constexpr FunctionSpec kTimeDiff{"timeDiff", "dD dD", type_is<TypeId::Int64>, run_time_diff,
                                 kCaseInsensitive};

} // namespace

void register_date_diff(ScalarRegistry& registry)
{
    add_all<kDiff, kAge, kTimeDiff>(registry);
}

} // namespace basalt
