#pragma once

// What the date and time functions share: arguments as seconds or local days, zones, calendars,
// result columns.

#include "columns/timezone.h"
#include "functions/scalar/column_rows.h"

namespace basalt
{

inline constexpr int64_t kDaySeconds = 86400;

inline int64_t floor_div(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
inline int64_t floor_to(int64_t a, int64_t b)
{
    return floor_div(a, b) * b;
}
int64_t ten_to(uint32_t exponent);

bool is_date(const TypePtr& type);      // Date, Date32
bool is_date_time(const TypePtr& type); // DateTime, DateTime64
// The zone named in the type; empty when it has none.
const std::string& zone_of_type(const TypePtr& type);
uint32_t scale_of(const TypePtr& type); // of DateTime64; 0 for the others

// The zone's name that a function of this argument works in: argument `zone_at` when it is passed
// (must be constant), else the type's; empty means the session's.
std::string zone_name(std::string_view function, const Arguments& arguments, size_t zone_at,
                      const TypePtr& type);
const TimeZone& zone_by_name(const std::string& name, const QueryContext& context);

// All rows of a Date, Date32, DateTime or DateTime64 argument.
PodVector<int64_t> unix_seconds(const Argument& argument, const TimeZone& zone);
// Seconds of local time since 1970-01-01 00:00 local.
PodVector<int64_t> local_seconds(const Argument& argument, const TimeZone& zone);
PodVector<int32_t> local_days(const Argument& argument, const TimeZone& zone);
// Ticks of 10^-scale seconds (scale of the argument itself for DateTime64 of that scale or lower).
PodVector<int64_t> ticks_at_scale(const Argument& argument, const TimeZone& zone, uint32_t scale);

struct Civil
{
    int32_t year;
    uint8_t month;
    uint8_t day;
};
inline Civil civil_of(int32_t days)
{
    Civil civil;
    civil_from_days(days, civil.year, civil.month, civil.day);
    return civil;
}
inline bool is_leap_year(int32_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}
uint8_t days_in_month(int32_t year, uint32_t month);
// 0 Monday … 6 Sunday.
inline int weekday_of(int32_t days)
{
    return static_cast<int>(((days + 3) % 7 + 7) % 7);
}
inline int32_t monday_of(int32_t days)
{
    return days - weekday_of(days);
}
int32_t iso_year_of(int32_t days);
struct YearWeek
{
    int32_t year;
    int32_t week;
};
// MySQL's week modes 0 … 7 and ClickHouse's 8 and 9 (the week that holds 1 January is the first).
// by_year: weeks count 1 … 53 and may belong to a neighbouring year.
YearWeek week_of(int32_t days, uint32_t mode, bool by_year);
int32_t week_start(int32_t days, uint32_t mode);
// The date `months` later, the day cut to the month's length.
int32_t add_months(int32_t days, int64_t months);

// What is added to seconds before they are counted in hours, minutes or seconds since 1970: nothing
// where the zone's offset is a whole number of units.
int64_t relative_shift(const TimeZone& zone, int64_t unit);

// UTC second of a local day and second of the day.
int64_t unix_of_local(const TimeZone& zone, int32_t day, int64_t second_of_day);

// enable_extended_results_for_datetime_functions.
bool extended_results(const QueryContext& context);
// Date, or Date32 with extended results of an argument that goes beyond Date.
TypePtr date_result(const TypePtr& argument, const QueryContext& context);
// DateTime in the zone, or DateTime64 with extended results.
TypePtr date_time_result(const TypePtr& argument, const std::string& zone,
                         const QueryContext& context);
// Columns of those types.
ColumnPtr days_column(const PodVector<int32_t>& days, const TypePtr& type);
ColumnPtr seconds_column(const PodVector<int64_t>& seconds, const TypePtr& type);
// Points of time rounded down to multiples of step_s since the epoch, as DateTime or DateTime64.
// Times that come in order cost no division.
ColumnPtr floored_seconds(const Argument& time, int64_t step_s, const TypePtr& type);

// A function that is increasing in time (trait kIncreasing): for key pruning it is so only where
// local days never step back and the result does not wrap.
class DateSpecFunction final : public SpecFunction
{
public:
    using SpecFunction::SpecFunction;
    Monotonicity monotonicity(const Arguments& arguments, size_t argument, const Value& left,
                              const Value& right) const override;
};
template <const FunctionSpec& kSpec>
ScalarFunctionPtr make_date_function(const QueryContext& context)
{
    return std::make_shared<DateSpecFunction>(kSpec, context);
}
template <const FunctionSpec&... kSpecs> void add_all_dates(ScalarRegistry& registry)
{
    (add_spec(registry, kSpecs, make_date_function<kSpecs>), ...);
}

// The unit that a text names (also plural-less aliases of dateDiff: "dd", "mi", …).
std::optional<IntervalKind> unit_of_text(std::string_view text);

} // namespace basalt
