#include "functions/scalar/date_time.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace basalt
{

int64_t ten_to(uint32_t exponent)
{
    static constexpr int64_t kPowers[] = {1,
                                          10,
                                          100,
                                          1000,
                                          10000,
                                          100000,
                                          1000000,
                                          10000000,
                                          100000000,
                                          1000000000};
    return kPowers[exponent];
}

bool is_date(const TypePtr& type)
{
    return type->is(TypeId::Date) || type->is(TypeId::Date32);
}

bool is_date_time(const TypePtr& type)
{
    return type->is(TypeId::DateTime) || type->is(TypeId::DateTime64);
}

const std::string& zone_of_type(const TypePtr& type)
{
    static const std::string none;
    if (type->is(TypeId::DateTime))
        return type_as<DateTimeType>(type).timezone();
    if (type->is(TypeId::DateTime64))
        return type_as<DateTime64Type>(type).timezone();
    return none;
}

uint32_t scale_of(const TypePtr& type)
{
    return type->is(TypeId::DateTime64) ? type_as<DateTime64Type>(type).scale() : 0;
}

std::string zone_name(std::string_view function, const Arguments& arguments, size_t zone_at,
                      const TypePtr& type)
{
    if (arguments.size() > zone_at)
    {
        const std::string name = constant_text(function, arguments, zone_at);
        if (!name.empty())
            return name;
    }
    return zone_of_type(type);
}

const TimeZone& zone_by_name(const std::string& name, const QueryContext& context)
{
    return timezone(name.empty() ? context.timezone() : name);
}

namespace
{

template <int64_t kDivisor>
void divide_ticks(const int64_t* ticks, size_t rows, int64_t* out)
{
    for (size_t i = 0; i < rows; ++i)
    {
        const int64_t q = ticks[i] / kDivisor;
        out[i] = q - (ticks[i] - q * kDivisor < 0);
    }
}

PodVector<int64_t> seconds_of_ticks(const PodVector<int64_t>& ticks, uint32_t scale)
{
    PodVector<int64_t> out(ticks.size());
    switch (scale)
    {
        case 0: std::copy(ticks.begin(), ticks.end(), out.begin()); break;
        case 3: divide_ticks<1000>(ticks.data(), ticks.size(), out.data()); break;
        case 6: divide_ticks<1000000>(ticks.data(), ticks.size(), out.data()); break;
        case 9: divide_ticks<1000000000>(ticks.data(), ticks.size(), out.data()); break;
        default:
            for (size_t i = 0; i < ticks.size(); ++i)
                out[i] = floor_div(ticks[i], ten_to(scale));
    }
    return out;
}

template <class T> PodVector<int32_t> days_of(const Column& column)
{
    const auto& data = column_as<VectorColumn<T>>(column).data();
    PodVector<int32_t> out(data.size());
    for (size_t i = 0; i < data.size(); ++i)
        out[i] = data[i];
    return out;
}

} // namespace

PodVector<int64_t> unix_seconds(const Argument& argument, const TimeZone& zone)
{
    const ColumnPtr flat = to_flat(argument.column);
    switch (argument.type->id())
    {
        case TypeId::DateTime64:
            return seconds_of_ticks(column_as<VectorColumn<int64_t>>(flat).data(),
                                    scale_of(argument.type));
        case TypeId::DateTime:
        {
            const auto& data = column_as<VectorColumn<uint32_t>>(flat).data();
            PodVector<int64_t> out(data.size());
            for (size_t i = 0; i < data.size(); ++i)
                out[i] = data[i];
            return out;
        }
        default:
        {
            const PodVector<int32_t> days = local_days(argument, zone);
            PodVector<int64_t> out(days.size());
            for (size_t i = 0; i < days.size(); ++i)
                out[i] = zone.is_utc() ? days[i] * kDaySeconds : zone.day_start(days[i]);
            return out;
        }
    }
}

PodVector<int64_t> local_seconds(const Argument& argument, const TimeZone& zone)
{
    if (is_date(argument.type))
    {
        const PodVector<int32_t> days = local_days(argument, zone);
        PodVector<int64_t> out(days.size());
        for (size_t i = 0; i < days.size(); ++i)
            out[i] = days[i] * kDaySeconds;
        return out;
    }
    PodVector<int64_t> seconds = unix_seconds(argument, zone);
    if (!zone.is_utc())
        for (int64_t& second : seconds)
            second += zone.offset_at(second);
    return seconds;
}

PodVector<int32_t> local_days(const Argument& argument, const TimeZone& zone)
{
    if (argument.type->is(TypeId::Date))
        return days_of<uint16_t>(*to_flat(argument.column));
    if (argument.type->is(TypeId::Date32))
        return days_of<int32_t>(*to_flat(argument.column));
    const PodVector<int64_t> seconds = local_seconds(argument, zone);
    PodVector<int32_t> out(seconds.size());
    for (size_t i = 0; i < seconds.size(); ++i)
        out[i] = static_cast<int32_t>(floor_div(seconds[i], kDaySeconds));
    return out;
}

PodVector<int64_t> ticks_at_scale(const Argument& argument, const TimeZone& zone, uint32_t scale)
{
    if (argument.type->is(TypeId::DateTime64))
    {
        const uint32_t own = scale_of(argument.type);
        const ColumnPtr flat = to_flat(argument.column);
        PodVector<int64_t> ticks = column_as<VectorColumn<int64_t>>(flat).data();
        if (own < scale)
            for (int64_t& tick : ticks)
                tick *= ten_to(scale - own);
        else if (own > scale)
            for (int64_t& tick : ticks)
                tick = floor_div(tick, ten_to(own - scale));
        return ticks;
    }
    PodVector<int64_t> seconds = unix_seconds(argument, zone);
    for (int64_t& second : seconds)
        second *= ten_to(scale);
    return seconds;
}

uint8_t days_in_month(int32_t year, uint32_t month)
{
    static constexpr uint8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

int32_t iso_year_of(int32_t days)
{
    // A week belongs to the year of its Thursday.
    return civil_of(monday_of(days) + 3).year;
}

int32_t week_start(int32_t days, uint32_t mode)
{
    return mode & 1 ? monday_of(days) : days - (weekday_of(days) + 1) % 7;
}

YearWeek week_of(int32_t days, uint32_t mode, bool by_year)
{
    const bool monday_first = mode & 1;
    if (mode & 8)
    {
        const int32_t start = week_start(days, mode);
        const int32_t year = civil_of(start + 6).year;
        const int32_t first = week_start(days_from_civil(year, 1, 1), mode);
        return {year, (start - first) / 7 + 1};
    }
    bool week_year = by_year || (mode & 2);
    // Whether the first week is the one that begins in the year, or has four days in it.
    const bool begins_in_year = ((mode & 4) != 0) == monday_first;
    const Civil date = civil_of(days);
    int32_t year = date.year;
    int32_t first = days_from_civil(year, 1, 1);
    int weekday = monday_first ? weekday_of(first) : (weekday_of(first) + 1) % 7;
    const auto first_week_later = [&]
    { return begins_in_year ? weekday != 0 : weekday >= 4; };
    const auto year_length = [](int32_t y) { return is_leap_year(y) ? 366 : 365; };
    if (date.month == 1 && date.day <= 7 - weekday)
    {
        if (!week_year && first_week_later())
            return {year, 0};
        week_year = true;
        --year;
        first -= year_length(year);
        weekday = (weekday + 53 * 7 - year_length(year)) % 7;
    }
    int32_t offset = first_week_later() ? days - (first + (7 - weekday)) : days - (first - weekday);
    if (date.month == 1 && date.day <= 7 && offset < 0)
        offset = 0;
    if (week_year && offset >= 52 * 7)
    {
        weekday = (weekday + year_length(year)) % 7;
        if (!first_week_later())
            return {year + 1, 1};
    }
    return {year, offset / 7 + 1};
}

int32_t add_months(int32_t days, int64_t months)
{
    const Civil date = civil_of(days);
    const int64_t total = date.year * int64_t{12} + date.month - 1 + months;
    // Far beyond any type's range: the column's cast decides what remains.
    const auto year = static_cast<int32_t>(std::clamp<int64_t>(floor_div(total, 12), -5000000, 5000000));
    const auto month = static_cast<uint32_t>(total - floor_div(total, 12) * 12 + 1);
    return days_from_civil(year, month,
                           std::min<uint32_t>(date.day, days_in_month(year, month)));
}

int64_t relative_shift(const TimeZone& zone, int64_t unit)
{
    const int32_t offset = zone.offset_at(0);
    return offset % unit == 0 ? 0 : kDaySeconds - offset;
}

int64_t unix_of_local(const TimeZone& zone, int32_t day, int64_t second_of_day)
{
    if (zone.is_utc())
        return day * kDaySeconds + second_of_day;
    const Civil date = civil_of(day);
    return zone.to_unix({date.year, date.month, date.day,
                         static_cast<uint8_t>(second_of_day / 3600),
                         static_cast<uint8_t>(second_of_day / 60 % 60),
                         static_cast<uint8_t>(second_of_day % 60)});
}

bool extended_results(const QueryContext& context)
{
    return context.settings.get_bool("enable_extended_results_for_datetime_functions");
}

TypePtr date_result(const TypePtr& argument, const QueryContext& context)
{
    const bool wide = argument->is(TypeId::Date32) || argument->is(TypeId::DateTime64);
    return simple_type(wide && extended_results(context) ? TypeId::Date32 : TypeId::Date);
}

TypePtr date_time_result(const TypePtr& argument, const std::string& zone,
                         const QueryContext& context)
{
    const bool wide = argument->is(TypeId::Date32) || argument->is(TypeId::DateTime64);
    if (wide && extended_results(context))
        return std::make_shared<DateTime64Type>(scale_of(argument), zone);
    return std::make_shared<DateTimeType>(zone);
}

ColumnPtr days_column(const PodVector<int32_t>& days, const TypePtr& type)
{
    if (type->is(TypeId::Date32))
        return std::make_shared<VectorColumn<int32_t>>(days);
    return map_rows<uint16_t>(days.size(), [&](size_t i) { return days[i]; });
}

namespace
{

template <class T, class Out>
ColumnPtr floor_ticks(const PodVector<T>& ticks, int64_t per_second, int64_t step_s, int64_t factor)
{
    auto column = std::make_shared<VectorColumn<Out>>(ticks.size());
    Out* out = column->data().data();
    const auto step = static_cast<uint64_t>(step_s * per_second);
    uint64_t begin = 0; // of the step that the last time was in
    Out floored = 0;
    const auto floor_row = [&](size_t i)
    {
        const auto tick = static_cast<int64_t>(ticks[i]);
        if (static_cast<uint64_t>(tick) - begin >= step)
        {
            const int64_t floor = floor_to(tick, static_cast<int64_t>(step));
            begin = static_cast<uint64_t>(floor);
            floored = static_cast<Out>(floor / per_second * factor);
        }
        out[i] = floored;
    };
    // Times mostly come in order: many rows in a row are in one step.
    constexpr size_t kStretch = 32;
    const size_t rows = ticks.size();
    const T* from = ticks.data();
    size_t i = 0;
    for (; i + kStretch <= rows; i += kStretch)
    {
        floor_row(i);
        uint64_t outside = 0; // its highest bit: some time is not in the step
        for (size_t k = i; k < i + kStretch; ++k)
        {
            const uint64_t inside = static_cast<uint64_t>(from[k]) - begin;
            outside |= inside | (step - 1 - inside);
        }
        if (outside >> 63)
            for (size_t k = i; k < i + kStretch; ++k)
                floor_row(k);
        else
            std::fill_n(out + i, kStretch, floored);
    }
    for (; i < rows; ++i)
        floor_row(i);
    return column;
}

} // namespace

ColumnPtr floored_seconds(const Argument& time, int64_t step_s, const TypePtr& type)
{
    const ColumnPtr flat = to_flat(time.column);
    const bool fine = type->is(TypeId::DateTime64);
    const int64_t factor = fine ? ten_to(scale_of(type)) : 1;
    if (time.type->is(TypeId::DateTime64))
    {
        const auto& ticks = column_as<VectorColumn<int64_t>>(flat).data();
        const int64_t per_second = ten_to(scale_of(time.type));
        return fine ? floor_ticks<int64_t, int64_t>(ticks, per_second, step_s, factor)
                    : floor_ticks<int64_t, uint32_t>(ticks, per_second, step_s, factor);
    }
    BASALT_ASSERT(time.type->is(TypeId::DateTime));
    const auto& ticks = column_as<VectorColumn<uint32_t>>(flat).data();
    return fine ? floor_ticks<uint32_t, int64_t>(ticks, 1, step_s, factor)
                : floor_ticks<uint32_t, uint32_t>(ticks, 1, step_s, factor);
}

ColumnPtr seconds_column(const PodVector<int64_t>& seconds, const TypePtr& type)
{
    if (type->is(TypeId::DateTime64))
    {
        const int64_t factor = ten_to(scale_of(type));
        return map_rows<int64_t>(seconds.size(), [&](size_t i) { return seconds[i] * factor; });
    }
    return map_rows<uint32_t>(seconds.size(), [&](size_t i) { return seconds[i]; });
}

namespace
{

// Clocks are set back before midnight everywhere but in a few zones, where a local day comes twice.
bool days_never_step_back(const TimeZone& zone)
{
    constexpr int64_t kEnd = int64_t{1} << 32;
    int32_t last = zone.local_day(0);
    for (int64_t second = 0; second < kEnd; second += 1800)
    {
        const int32_t day = zone.local_day(second);
        if (day < last)
            return false;
        last = day;
    }
    return true;
}

bool zone_is_steady(const TimeZone& zone)
{
    if (zone.is_utc())
        return true;
    static std::mutex mutex;
    static std::map<std::string, bool> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(zone.name());
    if (found != known.end())
        return found->second;
    return known[zone.name()] = days_never_step_back(zone);
}

} // namespace

ScalarFunction::Monotonicity DateSpecFunction::monotonicity(const Arguments& arguments,
                                                            size_t argument, const Value& left,
                                                            const Value& right) const
{
    if (!(spec_.traits & kIncreasing))
        return Monotonicity::None;
    const TypePtr type = strip_wrappers(arguments[argument].type);
    if (!is_date(type) && !is_date_time(type))
        return Monotonicity::None;
    if (is_date_time(type))
    {
        // Any constant text argument names the zone.
        std::string zone = zone_of_type(type);
        for (size_t i = argument + 1; i < arguments.size(); ++i)
            if (is_constant_argument(arguments[i]) && arguments[i].type->is(TypeId::String))
                zone = constant_text(name(), arguments, i);
        const TimeZone& found = zone_by_name(zone, context_);
        // Local seconds step back every autumn.
        if (spec_.name == "toYYYYMMDDhhmmss" ? !found.is_utc() : !zone_is_steady(found))
            return Monotonicity::None;
    }
    if (type->is(TypeId::Date) || type->is(TypeId::DateTime))
        return Monotonicity::Increasing;
    // 1971 … 2105: the results fit Date and DateTime.
    const int64_t unit = type->is(TypeId::Date32) ? 1 : kDaySeconds * ten_to(scale_of(type));
    const auto fits = [&](const Value& value)
    {
        const auto number = value_to_integer(value);
        return number && *number / unit >= 365 && *number / unit <= 49000;
    };
    return fits(left) && fits(right) ? Monotonicity::Increasing : Monotonicity::None;
}

std::optional<IntervalKind> unit_of_text(std::string_view text)
{
    static constexpr std::pair<std::string_view, IntervalKind> kUnits[] = {
        {"nanosecond", IntervalKind::Nanosecond},   {"nanoseconds", IntervalKind::Nanosecond},
        {"ns", IntervalKind::Nanosecond},           {"microsecond", IntervalKind::Microsecond},
        {"microseconds", IntervalKind::Microsecond}, {"us", IntervalKind::Microsecond},
        {"u", IntervalKind::Microsecond},           {"millisecond", IntervalKind::Millisecond},
        {"milliseconds", IntervalKind::Millisecond}, {"ms", IntervalKind::Millisecond},
        {"second", IntervalKind::Second},           {"seconds", IntervalKind::Second},
        {"ss", IntervalKind::Second},               {"s", IntervalKind::Second},
        {"minute", IntervalKind::Minute},           {"minutes", IntervalKind::Minute},
        {"mi", IntervalKind::Minute},               {"n", IntervalKind::Minute},
        {"hour", IntervalKind::Hour},               {"hours", IntervalKind::Hour},
        {"hh", IntervalKind::Hour},                 {"h", IntervalKind::Hour},
        {"day", IntervalKind::Day},                 {"days", IntervalKind::Day},
        {"dd", IntervalKind::Day},                  {"d", IntervalKind::Day},
        {"week", IntervalKind::Week},               {"weeks", IntervalKind::Week},
        {"wk", IntervalKind::Week},                 {"ww", IntervalKind::Week},
        {"month", IntervalKind::Month},             {"months", IntervalKind::Month},
        {"mm", IntervalKind::Month},                {"m", IntervalKind::Month},
        {"quarter", IntervalKind::Quarter},         {"quarters", IntervalKind::Quarter},
        {"qq", IntervalKind::Quarter},              {"q", IntervalKind::Quarter},
        {"year", IntervalKind::Year},               {"years", IntervalKind::Year},
        {"yyyy", IntervalKind::Year},               {"yy", IntervalKind::Year},
    };
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
    for (const auto& [name, kind] : kUnits)
        if (name == lower)
            return kind;
    return std::nullopt;
}

} // namespace basalt
