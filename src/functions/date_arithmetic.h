#pragma once

// Adding intervals to dates and times as ClickHouse does it: months are clipped to the month's
// end, days and months keep the local time of day, shorter units move on the time line.

#include "columns/timezone.h"
#include "functions/function.h"

namespace basalt
{

// Nanoseconds of a kind below Day; 0 for Day and longer.
int64_t interval_nanoseconds(IntervalKind kind);
// "Day", "Second": the part after toInterval.
const char* interval_name(IntervalKind kind);
// Days in a Day or Week, months in a Month, Quarter or Year; 0 otherwise.
int32_t interval_days(IntervalKind kind);
int32_t interval_months(IntervalKind kind);
// Decimal digits of a second a kind needs: 3, 6 or 9 below a second, 0 otherwise.
uint32_t interval_scale(IntervalKind kind);

// Days since 1970-01-01, moved by months.
int32_t add_months_to_day(int32_t day, int64_t months);
// UTC seconds moved by local calendar days or months.
int64_t add_local_days(int64_t unix_s, int64_t days, const TimeZone& zone);
int64_t add_local_months(int64_t unix_s, int64_t months, const TimeZone& zone);

// The type of date + interval. `function` names the operation in the error: "addDays".
// Throws ILLEGAL_TYPE_OF_ARGUMENT for impossible pairs. Takes Date, Date32, DateTime, DateTime64,
// Time, Time64 and String (read as DateTime64(3)).
TypePtr add_interval_type(const TypePtr& date, IntervalKind kind, const char* verb);
// date: flat or constant; counts: Int64, flat or constant; sign 1 or -1.
ColumnPtr add_interval(const Argument& date, const ColumnPtr& counts, IntervalKind kind, int sign,
                       const TypePtr& result, size_t rows, const QueryContext& context);

// The zone of a DateTime or DateTime64 type, the session's when it names none.
const TimeZone& zone_of_type(const DataType& type, const QueryContext& context);

int64_t power_of_ten(uint32_t exponent); // exponent <= 18

} // namespace basalt
