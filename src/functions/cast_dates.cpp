// Dates and times to each other and to and from numbers.

#include "functions/cast_parts.h"

#include "base/error.h"
#include "columns/date_text.h"
#include "functions/arithmetic.h"
#include "functions/date_arithmetic.h"
#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

constexpr int64_t kMaxDate = 65535;
constexpr int64_t kMaxDateTime = 4294967295;

int64_t floor_divide(int64_t a, int64_t b)
{
    const int64_t quotient = a / b;
    return quotient - (a % b < 0);
}

template <class From, class To, class F> ColumnPtr mapped(const Column& column, F f)
{
    const auto& from = column_as<VectorColumn<From>>(column).data();
    auto result = std::make_shared<VectorColumn<To>>(from.size());
    To* const out = result->data().data();
    for (size_t i = 0; i < from.size(); ++i)
        out[i] = static_cast<To>(f(from[i]));
    return result;
}

// Numbers as Int64, saturated; fractions are cut off.
ColumnPtr as_int64(const ColumnPtr& column, const TypePtr& type)
{
    if (type->is_float())
    {
        const ColumnPtr floats =
            convert_numbers(column, type->physical(), PhysicalType::Float64);
        return mapped<double, int64_t>(*floats,
                                       [](double value) -> int64_t
                                       {
                                           if (std::isnan(value))
                                               return 0;
                                           return numeric_cast<int64_t>(
                                               std::clamp(value, -9.2e18, 9.2e18));
                                       });
    }
    if (type->is(TypeId::UInt64))
        return mapped<uint64_t, int64_t>(*column, [](uint64_t value)
                                         { return std::min<uint64_t>(value, INT64_MAX); });
    if (is_wide_integer(*type))
    {
        const ColumnPtr wide = convert_numbers(column, type->physical(), PhysicalType::Int256);
        return mapped<Int256, int64_t>(*wide,
                                       [](const Int256& value) -> int64_t
                                       {
                                           if (value > Int256(INT64_MAX))
                                               return INT64_MAX;
                                           if (value < Int256(INT64_MIN))
                                               return INT64_MIN;
                                           return static_cast<int64_t>(value);
                                       });
    }
    return convert_numbers(column, type->physical(), PhysicalType::Int64);
}

// A small number counts days, a large one seconds.
ColumnPtr number_to_date(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job)
{
    const ColumnPtr numbers = as_int64(column, from);
    const TimeZone& zone = timezone(job.context.timezone());
    if (to->is(TypeId::Date))
        return mapped<int64_t, uint16_t>(*numbers,
                                         [&](int64_t value) -> int64_t
                                         {
                                             if (value <= kMaxDate)
                                                 return std::max<int64_t>(value, 0);
                                             return zone.local_day(std::min(value, kMaxDateTime));
                                         });
    return mapped<int64_t, int32_t>(
        *numbers,
        [&](int64_t value) -> int64_t
        {
            if (value <= kMaxDate32)
                return std::max<int64_t>(value, kMinDate32);
            return zone.local_day(std::min(value, kMaxDateTimeSecond));
        });
}

ColumnPtr number_to_date_time64(const ColumnPtr& column, const TypePtr& from, uint32_t scale)
{
    const int64_t per_second = power_of_ten(scale);
    const auto clamped = [&](int64_t seconds)
    { return std::clamp(seconds, kMinDateTimeSecond, kMaxDateTimeSecond); };
    if (from->is_float())
    {
        const ColumnPtr floats =
            convert_numbers(column, from->physical(), PhysicalType::Float64);
        return mapped<double, int64_t>(
            *floats,
            [&](double value) -> int64_t
            {
                if (std::isnan(value))
                    return 0;
                const double seconds =
                    std::clamp(value, static_cast<double>(kMinDateTimeSecond),
                               static_cast<double>(kMaxDateTimeSecond));
                return numeric_cast<int64_t>(seconds * static_cast<double>(per_second));
            });
    }
    return mapped<int64_t, int64_t>(*as_int64(column, from), [&](int64_t value)
                                    { return clamped(value) * per_second; });
}

// An accurate cast takes no number that is no second of a DateTime.
void refuse_no_seconds(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job)
{
    const ColumnPtr numbers = as_int64(column, from);
    const auto& values = column_as<VectorColumn<int64_t>>(numbers).data();
    for (size_t i = 0; i < values.size(); ++i)
    {
        bool fits = values[i] >= 0 && values[i] <= kMaxDateTime;
        if (from->is_float())
        {
            const Value value = column->value_at(i);
            fits = fits && !std::isnan(value.get<double>());
        }
        if (!fits && !job.note_failure(i))
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        "Value " + column->value_at(i).to_text() +
                            " cannot be safely converted into type " +
                            (to->is(TypeId::Date) ? "UInt16" : "UInt32"));
    }
}

ColumnPtr number_to_time_type(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                              const CastJob& job)
{
    if (job.options.accurate && (to->is(TypeId::Date) || to->is(TypeId::DateTime)))
        refuse_no_seconds(column, from, to, job);
    switch (to->id())
    {
        case TypeId::Date:
        case TypeId::Date32: return number_to_date(column, from, to, job);
        case TypeId::DateTime:
            return mapped<int64_t, uint32_t>(*as_int64(column, from), [](int64_t value)
                                             { return std::clamp<int64_t>(value, 0, kMaxDateTime); });
        case TypeId::DateTime64:
            return number_to_date_time64(column, from, type_as<DateTime64Type>(to).scale());
        case TypeId::Time:
            return mapped<int64_t, int32_t>(
                *as_int64(column, from), [](int64_t value)
                { return std::clamp<int64_t>(value, -kMaxTimeSecond, kMaxTimeSecond); });
        case TypeId::Time64:
        {
            const int64_t per_second = power_of_ten(type_as<Time64Type>(to).scale());
            if (from->is_float())
                return mapped<double, int64_t>(
                    *convert_numbers(column, from->physical(), PhysicalType::Float64),
                    [&](double value) -> int64_t
                    {
                        constexpr auto kMost = static_cast<double>(kMaxTimeSecond);
                        if (std::isnan(value))
                            return 0;
                        return numeric_cast<int64_t>(std::clamp(value, -kMost, kMost) *
                                                     static_cast<double>(per_second));
                    });
            return mapped<int64_t, int64_t>(
                *as_int64(column, from), [&](int64_t value)
                { return std::clamp<int64_t>(value, -kMaxTimeSecond, kMaxTimeSecond) * per_second; });
        }
        default: return nullptr;
    }
}

ColumnPtr to_number(const ColumnPtr& column, const TypePtr& from, const TypePtr& to)
{
    uint32_t scale = 0;
    if (from->is(TypeId::DateTime64))
        scale = type_as<DateTime64Type>(from).scale();
    else if (from->is(TypeId::Time64))
        scale = type_as<Time64Type>(from).scale();
    if (scale == 0)
        return convert_numbers(column, from->physical(), to->physical());
    const int64_t per_second = power_of_ten(scale);
    if (to->is_float())
    {
        const ColumnPtr seconds =
            mapped<int64_t, double>(*column, [&](int64_t ticks)
                                    { return static_cast<double>(ticks) /
                                             static_cast<double>(per_second); });
        return convert_numbers(seconds, PhysicalType::Float64, to->physical());
    }
    const ColumnPtr seconds = mapped<int64_t, int64_t>(*column, [&](int64_t ticks)
                                                       { return ticks / per_second; });
    return convert_numbers(seconds, PhysicalType::Int64, to->physical());
}

ColumnPtr from_days(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                    const CastJob& job)
{
    const ColumnPtr days = convert_numbers(column, from->physical(), PhysicalType::Int32);
    if (to->is(TypeId::Date) || to->is(TypeId::Date32))
        return convert_numbers(days, PhysicalType::Int32, to->physical());
    const TimeZone& zone = zone_of_type(*to, job.context);
    if (to->is(TypeId::DateTime))
        return mapped<int32_t, uint32_t>(*days, [&](int32_t day) { return zone.day_start(day); });
    if (!to->is(TypeId::DateTime64))
        return nullptr;
    const int64_t per_second = power_of_ten(type_as<DateTime64Type>(to).scale());
    return mapped<int32_t, int64_t>(*days, [&](int32_t day)
                                    { return zone.day_start(day) * per_second; });
}

ColumnPtr from_seconds(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job)
{
    const bool has_ticks = from->is(TypeId::DateTime64);
    const int64_t per_second =
        has_ticks ? power_of_ten(type_as<DateTime64Type>(from).scale()) : 1;
    const ColumnPtr ticks = convert_numbers(column, from->physical(), PhysicalType::Int64);
    const TimeZone& zone = zone_of_type(*from, job.context);
    const auto second = [&](int64_t value)
    { return per_second == 1 ? value : floor_divide(value, per_second); };
    switch (to->id())
    {
        case TypeId::Date:
            return mapped<int64_t, uint16_t>(*ticks, [&](int64_t value)
                                             { return zone.local_day(second(value)); });
        case TypeId::Date32:
            return mapped<int64_t, int32_t>(*ticks, [&](int64_t value)
                                            { return zone.local_day(second(value)); });
        case TypeId::DateTime:
            return mapped<int64_t, uint32_t>(*ticks, second);
        case TypeId::DateTime64:
        {
            const int64_t wanted = power_of_ten(type_as<DateTime64Type>(to).scale());
            if (wanted >= per_second)
            {
                const int64_t factor = wanted / per_second;
                return mapped<int64_t, int64_t>(
                    *ticks, [&](int64_t value)
                    { return static_cast<int64_t>(static_cast<uint64_t>(value) * factor); });
            }
            const int64_t factor = per_second / wanted;
            return mapped<int64_t, int64_t>(*ticks, [&](int64_t value)
                                            { return floor_divide(value, factor); });
        }
        case TypeId::Time:
        case TypeId::Time64:
        {
            const int64_t wanted =
                to->is(TypeId::Time) ? 1 : power_of_ten(type_as<Time64Type>(to).scale());
            const auto time_of_day = [&](int64_t value)
            {
                const int64_t whole = second(value);
                const int64_t local = whole + zone.offset_at(whole);
                const int64_t clock = local - floor_divide(local, 86400) * 86400;
                const int64_t fraction = value - whole * per_second;
                return clock * wanted + fraction * wanted / per_second;
            };
            if (to->is(TypeId::Time))
                return mapped<int64_t, int32_t>(*ticks, time_of_day);
            return mapped<int64_t, int64_t>(*ticks, time_of_day);
        }
        default: return nullptr;
    }
}

ColumnPtr from_times(const ColumnPtr& column, const TypePtr& from, const TypePtr& to)
{
    const int64_t had =
        from->is(TypeId::Time) ? 1 : power_of_ten(type_as<Time64Type>(from).scale());
    const int64_t wanted = to->is(TypeId::Time) ? 1
                           : to->is(TypeId::Time64)
                               ? power_of_ten(type_as<Time64Type>(to).scale())
                               : 0;
    if (wanted == 0)
        return nullptr;
    const ColumnPtr ticks = convert_numbers(column, from->physical(), PhysicalType::Int64);
    const ColumnPtr scaled = mapped<int64_t, int64_t>(
        *ticks, [&](int64_t value)
        { return wanted >= had ? value * (wanted / had) : floor_divide(value, had / wanted); });
    return convert_numbers(scaled, PhysicalType::Int64, to->physical());
}

} // namespace

ColumnPtr cast_dates(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job)
{
    const auto is_time = [](const DataType& type)
    { return type.is_date_or_time() || type.is(TypeId::Time) || type.is(TypeId::Time64); };
    if (is_plain_number(*from) && is_time(*to))
        return number_to_time_type(column, from, to, job);
    if (from->is_decimal() && is_time(*to) && !to->is(TypeId::DateTime64))
        return number_to_time_type(decimal_as_float({column, from}),
                                   simple_type(TypeId::Float64), to, job);
    if (!is_time(*from))
        return nullptr;
    if (is_plain_number(*to))
    {
        if (to->is(TypeId::Bool))
            return nullptr;
        return to_number(column, from, to);
    }
    switch (from->id())
    {
        case TypeId::Date:
        case TypeId::Date32: return from_days(column, from, to, job);
        case TypeId::DateTime:
        case TypeId::DateTime64: return from_seconds(column, from, to, job);
        default: return from_times(column, from, to);
    }
}

} // namespace basalt
