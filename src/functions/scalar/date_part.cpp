// Parts of dates and times as numbers: toYear … toNanosecond, toYYYYMM…, toRelative*Num, weeks.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

const TimeZone& zone_for(const Call& call, size_t zone_at)
{
    return zone_by_name(zone_name(call.name, call.arguments, zone_at, call.type(0)),
                        call.context);
}

// f of the local day.
template <class T, T (*kPart)(int32_t)> ColumnPtr run_day_part(const Call& call)
{
    const PodVector<int32_t> days = local_days(call[0], zone_for(call, 1));
    return map_rows<T>(days.size(), [&](size_t i) { return kPart(days[i]); });
}

// f of the local second.
template <class T, T (*kPart)(int64_t)> ColumnPtr run_second_part(const Call& call)
{
    const PodVector<int64_t> seconds = local_seconds(call[0], zone_for(call, 1));
    return map_rows<T>(seconds.size(), [&](size_t i) { return kPart(seconds[i]); });
}

uint16_t year_of(int32_t day)
{
    return static_cast<uint16_t>(civil_of(day).year);
}
uint8_t quarter_of(int32_t day)
{
    return static_cast<uint8_t>((civil_of(day).month - 1) / 3 + 1);
}
uint8_t month_of(int32_t day)
{
    return civil_of(day).month;
}
uint8_t day_of_month(int32_t day)
{
    return civil_of(day).day;
}
uint16_t day_of_year(int32_t day)
{
    return static_cast<uint16_t>(day - days_from_civil(civil_of(day).year, 1, 1) + 1);
}
uint32_t yyyymm(int32_t day)
{
    const Civil date = civil_of(day);
    return static_cast<uint32_t>(date.year * 100 + date.month);
}
uint32_t yyyymmdd(int32_t day)
{
    return yyyymm(day) * 100 + civil_of(day).day;
}
uint64_t yyyymmddhhmmss(int64_t second)
{
    const auto day = static_cast<int32_t>(floor_div(second, kDaySeconds));
    const int64_t rest = second - day * kDaySeconds;
    return yyyymmdd(day) * uint64_t{1000000} +
           static_cast<uint64_t>(rest / 3600 * 10000 + rest / 60 % 60 * 100 + rest % 60);
}
uint8_t hour_of(int64_t second)
{
    return static_cast<uint8_t>((second - floor_to(second, kDaySeconds)) / 3600);
}
uint8_t minute_of(int64_t second)
{
    return static_cast<uint8_t>((second - floor_to(second, 3600)) / 60);
}
uint8_t second_of(int64_t second)
{
    return static_cast<uint8_t>(second - floor_to(second, 60));
}
uint8_t iso_week(int32_t day)
{
    return static_cast<uint8_t>(week_of(day, 3, true).week);
}
uint16_t iso_year(int32_t day)
{
    return static_cast<uint16_t>(iso_year_of(day));
}
uint32_t relative_quarter(int32_t day)
{
    const Civil date = civil_of(day);
    return static_cast<uint32_t>(date.year * 4 + (date.month - 1) / 3);
}
uint32_t relative_month(int32_t day)
{
    const Civil date = civil_of(day);
    return static_cast<uint32_t>(date.year * 12 + date.month);
}
uint32_t relative_week(int32_t day)
{
    return static_cast<uint32_t>(floor_div(day + 3, 7));
}
uint32_t relative_day(int32_t day)
{
    return static_cast<uint32_t>(day);
}
uint16_t years_since_epoch(int32_t day)
{
    return static_cast<uint16_t>(civil_of(day).year - 1970);
}
uint32_t months_since_epoch(int32_t day)
{
    const Civil date = civil_of(day);
    return static_cast<uint32_t>((date.year - 1970) * 12 + date.month - 1);
}
uint8_t month_length(int32_t day)
{
    const Civil date = civil_of(day);
    return days_in_month(date.year, date.month);
}

// Part of a second at 10^-scale.
template <class T, uint32_t kScale> ColumnPtr run_fraction(const Call& call)
{
    if (!call.type(0)->is(TypeId::DateTime64))
        return make_constant(call.result_type, uint64_t{0}, call.rows);
    const TimeZone& zone = utc();
    const PodVector<int64_t> ticks = ticks_at_scale(call[0], zone, kScale);
    const int64_t second = ten_to(kScale);
    return map_rows<T>(ticks.size(),
                       [&](size_t i) { return ticks[i] - floor_to(ticks[i], second); });
}

template <int64_t kUnit> ColumnPtr run_relative(const Call& call)
{
    const TimeZone& zone = zone_for(call, 1);
    const PodVector<int64_t> seconds = unix_seconds(call[0], zone);
    const int64_t shift = relative_shift(zone, kUnit);
    return map_rows<uint32_t>(seconds.size(),
                              [&](size_t i) { return floor_div(seconds[i] + shift, kUnit); });
}

uint32_t mode_of(const Call& call)
{
    return call.size() > 1 && !call.type(1)->is(TypeId::String)
               ? static_cast<uint32_t>(constant_integer(call.name, call.arguments, 1))
               : 0;
}

ColumnPtr run_day_of_week(const Call& call)
{
    const PodVector<int32_t> days = local_days(call[0], zone_for(call, 2));
    const uint32_t mode = mode_of(call) & 3;
    return map_rows<uint8_t>(days.size(),
                             [&](size_t i)
                             {
                                 const int monday = weekday_of(days[i]);
                                 switch (mode)
                                 {
                                     case 0: return monday + 1;
                                     case 1: return monday;
                                     case 2: return (monday + 1) % 7;
                                     default: return (monday + 1) % 7 + 1;
                                 }
                             });
}

ColumnPtr run_week(const Call& call)
{
    const PodVector<int32_t> days = local_days(call[0], zone_for(call, 2));
    const uint32_t mode = mode_of(call);
    return map_rows<uint8_t>(days.size(),
                             [&](size_t i) { return week_of(days[i], mode, false).week; });
}

ColumnPtr run_year_week(const Call& call)
{
    const PodVector<int32_t> days = local_days(call[0], zone_for(call, 2));
    const uint32_t mode = mode_of(call);
    return map_rows<uint32_t>(days.size(),
                              [&](size_t i)
                              {
                                  const YearWeek week = week_of(days[i], mode, true);
                                  return week.year * 100 + week.week;
                              });
}

constexpr auto k8 = type_is<TypeId::UInt8>;
constexpr auto k16 = type_is<TypeId::UInt16>;
constexpr auto k32 = type_is<TypeId::UInt32>;
constexpr auto k64 = type_is<TypeId::UInt64>;
constexpr std::string_view kAny = "dD [ s!";
constexpr std::string_view kTimes = "D [ s!";
constexpr std::string_view kMode = "dD [ i! s!";

constexpr FunctionSpec kYear{"toYear", kAny, k16, run_day_part<uint16_t, year_of>, kIncreasing, "YEAR*"};
constexpr FunctionSpec kQuarter{"toQuarter", kAny, k8, run_day_part<uint8_t, quarter_of>, 0,
                                "QUARTER*"};
constexpr FunctionSpec kMonth{"toMonth", kAny, k8, run_day_part<uint8_t, month_of>, 0, "MONTH*"};
constexpr FunctionSpec kDay{"toDayOfMonth", kAny, k8, run_day_part<uint8_t, day_of_month>, 0,
                            "DAY* DAYOFMONTH*"};
constexpr FunctionSpec kDayOfYear{"toDayOfYear", kAny, k16, run_day_part<uint16_t, day_of_year>,
                                  0, "DAYOFYEAR*"};
constexpr FunctionSpec kDayOfWeek{"toDayOfWeek", kMode, k8, run_day_of_week, 0, "DAYOFWEEK*"};
constexpr FunctionSpec kHour{"toHour", kTimes, k8, run_second_part<uint8_t, hour_of>, 0, "HOUR*"};
constexpr FunctionSpec kMinute{"toMinute", kTimes, k8, run_second_part<uint8_t, minute_of>, 0,
                               "MINUTE*"};
constexpr FunctionSpec kSecond{"toSecond", kTimes, k8, run_second_part<uint8_t, second_of>, 0,
                               "SECOND*"};
constexpr FunctionSpec kMillisecond{"toMillisecond", kTimes, k16, run_fraction<uint16_t, 3>, 0,
                                    "MILLISECOND*"};
constexpr FunctionSpec kMicrosecond{"toMicrosecond", kTimes, k32, run_fraction<uint32_t, 6>, 0,
                                    "MICROSECOND*"};
constexpr FunctionSpec kNanosecond{"toNanosecond", kTimes, k32, run_fraction<uint32_t, 9>, 0,
                                   "NANOSECOND*"};
constexpr FunctionSpec kYm{"toYYYYMM", kAny, k32, run_day_part<uint32_t, yyyymm>, kIncreasing};
constexpr FunctionSpec kYmd{"toYYYYMMDD", kAny, k32, run_day_part<uint32_t, yyyymmdd>,
                            kIncreasing};
constexpr FunctionSpec kYmdhms{"toYYYYMMDDhhmmss", kAny, k64,
                               run_second_part<uint64_t, yyyymmddhhmmss>, kIncreasing};
constexpr FunctionSpec kIsoWeek{"toISOWeek", kAny, k8, run_day_part<uint8_t, iso_week>};
constexpr FunctionSpec kIsoYear{"toISOYear", kAny, k16, run_day_part<uint16_t, iso_year>,
                                kIncreasing};
constexpr FunctionSpec kWeek{"toWeek", kMode, k8, run_week, 0, "week*"};
constexpr FunctionSpec kYearWeek{"toYearWeek", kMode, k32, run_year_week, kIncreasing,
                                 "yearweek*"};
constexpr FunctionSpec kRelativeYear{"toRelativeYearNum", kAny, k16,
                                     run_day_part<uint16_t, year_of>, kIncreasing};
constexpr FunctionSpec kRelativeQuarter{"toRelativeQuarterNum", kAny, k32,
                                        run_day_part<uint32_t, relative_quarter>, kIncreasing};
constexpr FunctionSpec kRelativeMonth{"toRelativeMonthNum", kAny, k32,
                                      run_day_part<uint32_t, relative_month>, kIncreasing};
constexpr FunctionSpec kRelativeWeek{"toRelativeWeekNum", kAny, k32,
                                     run_day_part<uint32_t, relative_week>, kIncreasing};
constexpr FunctionSpec kRelativeDay{"toRelativeDayNum", kAny, k32,
                                    run_day_part<uint32_t, relative_day>, kIncreasing};
constexpr FunctionSpec kRelativeHour{"toRelativeHourNum", kAny, k32, run_relative<3600>,
                                     kIncreasing};
constexpr FunctionSpec kRelativeMinute{"toRelativeMinuteNum", kAny, k32, run_relative<60>,
                                       kIncreasing};
constexpr FunctionSpec kRelativeSecond{"toRelativeSecondNum", kAny, k32, run_relative<1>,
                                       kIncreasing};
constexpr FunctionSpec kYears{"toYearNumSinceEpoch", kAny, k16,
                              run_day_part<uint16_t, years_since_epoch>, kIncreasing};
constexpr FunctionSpec kMonths{"toMonthNumSinceEpoch", kAny, k32,
                               run_day_part<uint32_t, months_since_epoch>, kIncreasing};
constexpr FunctionSpec kMonthLength{"toDaysInMonth", kAny, k8,
                                    run_day_part<uint8_t, month_length>};

} // namespace

void register_date_part(ScalarRegistry& registry)
{
    add_all_dates<kYear, kQuarter, kMonth, kDay, kDayOfYear, kDayOfWeek, kHour, kMinute, kSecond,
            kMillisecond, kMicrosecond, kNanosecond, kYm, kYmd, kYmdhms, kIsoWeek, kIsoYear,
            kWeek, kYearWeek>(registry);
    add_all_dates<kRelativeYear, kRelativeQuarter, kRelativeMonth, kRelativeWeek, kRelativeDay,
            kRelativeHour, kRelativeMinute, kRelativeSecond, kYears, kMonths, kMonthLength>(
        registry);
}

} // namespace basalt
