// now, now64, today, yesterday, UTCTimestamp; toTimezone, timezoneOf, timezoneOffset, timezone.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

int64_t block_time_us(const QueryContext& context)
{
    return context.clock->unix_us();
}

std::string optional_zone(const TypeCall& call, size_t at)
{
    return call.size() > at ? constant_text(call.name, call.arguments, at) : std::string();
}

TypePtr now_type(const TypeCall& call)
{
    return std::make_shared<DateTimeType>(optional_zone(call, 0));
}

TypePtr now64_type(const TypeCall& call)
{
    const int64_t scale = call.size() > 0 ? constant_integer(call.name, call.arguments, 0) : 3;
    if (scale < 0 || scale > 9)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Scale {} of function {} is not in 0 … 9", scale, call.name));
    return std::make_shared<DateTime64Type>(static_cast<uint32_t>(scale), optional_zone(call, 1));
}

ColumnPtr seconds_constant(const Call& call, int64_t unix_us)
{
    return make_constant(call.result_type, static_cast<uint64_t>(floor_div(unix_us, 1000000)),
                         call.rows);
}

ColumnPtr ticks_constant(const Call& call, int64_t unix_us)
{
    const uint32_t scale = scale_of(call.result_type);
    const int64_t ticks = scale >= 6 ? unix_us * ten_to(scale - 6)
                                     : floor_div(unix_us, ten_to(6 - scale));
    return make_constant(call.result_type, ticks, call.rows);
}

ColumnPtr run_now(const Call& call)
{
    return seconds_constant(call, call.context.start_unix_us);
}
ColumnPtr run_now64(const Call& call)
{
    return ticks_constant(call, call.context.start_unix_us);
}
ColumnPtr run_now_in_block(const Call& call)
{
    return seconds_constant(call, block_time_us(call.context));
}
ColumnPtr run_now64_in_block(const Call& call)
{
    return ticks_constant(call, block_time_us(call.context));
}

template <int kDaysBack> ColumnPtr run_today(const Call& call)
{
    const TimeZone& zone = zone_by_name("", call.context);
    const int32_t day =
        zone.local_day(floor_div(call.context.start_unix_us, 1000000)) - kDaysBack;
    return make_constant(call.result_type, static_cast<uint64_t>(day), call.rows);
}

TypePtr utc_type(const TypeCall&)
{
    return std::make_shared<DateTimeType>("UTC");
}

TypePtr to_timezone_type(const TypeCall& call)
{
    const std::string zone = constant_text(call.name, call.arguments, 1);
    timezone(zone);
    if (call.type(0)->is(TypeId::DateTime64))
        return std::make_shared<DateTime64Type>(scale_of(call.type(0)), zone);
    return std::make_shared<DateTimeType>(zone);
}

ColumnPtr run_first(const Call& call)
{
    return call.column(0);
}

ColumnPtr run_timezone_of(const Call& call)
{
    const std::string& zone = zone_of_type(strip_wrappers(call.type(0)));
    return make_constant(call.result_type, zone.empty() ? call.context.timezone() : zone,
                         call.rows);
}

ColumnPtr run_timezone_offset(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.type(0)), call.context);
    const PodVector<int64_t> seconds = unix_seconds(call[0], zone);
    return map_rows<int32_t>(call.rows, [&](size_t i) { return zone.offset_at(seconds[i]); });
}

ColumnPtr run_timezone(const Call& call)
{
    return make_constant(call.result_type, call.context.timezone(), call.rows);
}
ColumnPtr run_server_timezone(const Call& call)
{
    return make_constant(call.result_type, call.context.server_timezone, call.rows);
}

// toUTCTimestamp: what UTC's clock showed when the zone's showed this; fromUTCTimestamp: the reverse.
TypePtr utc_shift_type(const TypeCall& call)
{
    if (!zone_of_type(call.type(0)).empty())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("The first argument of function {} should not have explicit time "
                                "zone",
                                call.name));
    if (call.type(0)->is(TypeId::DateTime64))
        return std::make_shared<DateTime64Type>(scale_of(call.type(0)), "");
    return simple_type(TypeId::DateTime);
}

template <bool kToUtc> ColumnPtr run_utc_shift(const Call& call)
{
    const TimeZone& zone = timezone(constant_text(call.name, call.arguments, 1));
    const uint32_t scale = scale_of(call.result_type);
    const int64_t unit = ten_to(scale);
    PodVector<int64_t> ticks = ticks_at_scale(call[0], utc(), scale);
    for (int64_t& tick : ticks)
    {
        const int64_t second = floor_div(tick, unit);
        const int64_t day = floor_div(second, kDaySeconds);
        const int64_t shift =
            kToUtc ? unix_of_local(zone, static_cast<int32_t>(day), second - day * kDaySeconds) -
                         second
                   : zone.offset_at(second);
        tick += shift * unit;
    }
    if (scale == 0 && call.result_type->is(TypeId::DateTime))
        return seconds_column(ticks, call.result_type);
    return std::make_shared<VectorColumn<int64_t>>(std::move(ticks));
}

TypePtr fixed_date_type(const TypeCall& call)
{
    return std::make_shared<DateTimeType>(
        zone_name(call.name, call.arguments, 1, call.type(0)));
}

// The time of day on 1970-01-02.
ColumnPtr run_fixed_date(const Call& call)
{
    const TimeZone& zone = zone_by_name(zone_of_type(call.result_type), call.context);
    PodVector<int64_t> seconds = local_seconds(call[0], zone);
    for (int64_t& second : seconds)
        second = unix_of_local(zone, 1, second - floor_to(second, kDaySeconds));
    return seconds_column(seconds, call.result_type);
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kDate = type_is<TypeId::Date>;
constexpr FunctionSpec kNow{"now", "[ s!", now_type, run_now, kVolatile | kCaseInsensitive,
                            "current_timestamp* localtimestamp*"};
constexpr FunctionSpec kNow64{"now64", "[ i! s!", now64_type, run_now64,
                              kVolatile | kCaseInsensitive};
constexpr FunctionSpec kNowInBlock{"nowInBlock", "[ s!", now_type, run_now_in_block,
                                   kVolatileInQuery | kKeepConstants};
constexpr FunctionSpec kNow64InBlock{"nowInBlock64", "[ i! s!", now64_type, run_now64_in_block,
                                     kVolatileInQuery | kKeepConstants};
constexpr FunctionSpec kToday{"today", "", kDate, run_today<0>, kVolatile | kCaseInsensitive,
                              "curdate* current_date*"};
constexpr FunctionSpec kYesterday{"yesterday", "", kDate, run_today<1>, kVolatile};
constexpr FunctionSpec kUtc{"UTCTimestamp", "", utc_type, run_now, kVolatile | kCaseInsensitive,
                            "UTC_timestamp*"};
constexpr FunctionSpec kToTimezone{"toTimezone", "D s!", to_timezone_type, run_first, 0,
                                   "toTimeZone"};
constexpr FunctionSpec kTimezoneOf{"timezoneOf", "D", kString, run_timezone_of, kKeepNulls,
                                   "timeZoneOf"};
constexpr FunctionSpec kOffset{"timezoneOffset", "D", type_is<TypeId::Int32>, run_timezone_offset,
                               0, "timeZoneOffset"};
constexpr FunctionSpec kTimezone{"timezone", "", kString, run_timezone, kCaseInsensitive,
                                 "timeZone*"};
constexpr FunctionSpec kServer{"serverTimezone", "", kString, run_server_timezone, 0,
                               "serverTimeZone"};
constexpr FunctionSpec kToUtc{"toUTCTimestamp", "D s!", utc_shift_type, run_utc_shift<true>, 0,
                              "to_utc_timestamp*"};
constexpr FunctionSpec kFromUtc{"fromUTCTimestamp", "D s!", utc_shift_type, run_utc_shift<false>,
                                0, "from_utc_timestamp*"};
constexpr FunctionSpec kFixedDate{"toTimeWithFixedDate", "D [ s!", fixed_date_type,
                                  run_fixed_date};

} // namespace

void register_date_now(ScalarRegistry& registry)
{
    add_all<kNow, kNow64, kNowInBlock, kNow64InBlock, kToday, kYesterday, kUtc, kToTimezone,
            kTimezoneOf, kOffset, kTimezone, kServer, kToUtc, kFromUtc, kFixedDate>(registry);
}

} // namespace basalt
