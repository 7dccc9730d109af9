// Snowflake IDs (milliseconds since an epoch above 22 bits), addDate, subDate, timestamp.

#include "functions/scalar/date_time.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

constexpr int kTimeShift = 22;

int64_t epoch_of(const Call& call, size_t argument)
{
    return call.size() > argument ? constant_integer(call.name, call.arguments, argument) : 0;
}

ColumnPtr run_to_snowflake(const Call& call)
{
    const PodVector<int64_t> ticks = ticks_at_scale(call[0], utc(), 3);
    const int64_t epoch = epoch_of(call, 1);
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i)
                              { return static_cast<uint64_t>(ticks[i] - epoch) << kTimeShift; });
}

template <bool kWide> TypePtr from_snowflake_type(const TypeCall& call)
{
    const std::string zone =
        call.size() > 2 ? constant_text(call.name, call.arguments, 2) : std::string();
    if (kWide)
        return std::make_shared<DateTime64Type>(3, zone);
    return std::make_shared<DateTimeType>(zone);
}

template <bool kWide> ColumnPtr run_from_snowflake(const Call& call)
{
    if (!call.type(0)->is(TypeId::UInt64))
        throw_illegal_type(call.name, call.arguments, 0, "UInt64");
    const NumberRows<uint64_t> ids(call.column(0));
    const int64_t epoch = epoch_of(call, 1);
    if (kWide)
        return map_rows<int64_t>(call.rows, [&](size_t i) {
            return static_cast<int64_t>(ids[i] >> kTimeShift) + epoch;
        });
    return map_rows<uint32_t>(call.rows,
                              [&](size_t i) {
                                  return (static_cast<int64_t>(ids[i] >> kTimeShift) + epoch) /
                                         1000;
                              });
}

// addDate(x, interval) is x + interval.
std::string_view operator_of(std::string_view name)
{
    return name == "addDate" ? "plus" : "minus";
}
TypePtr shift_type(const TypeCall& call)
{
    return resolve_type(*scalar_functions().get(operator_of(call.name), call.context),
                        call.arguments);
}
ColumnPtr run_shift(const Call& call)
{
    return call_function(*scalar_functions().get(operator_of(call.name), call.context),
                         call.arguments, call.result_type, call.rows, call.context);
}

constexpr FunctionSpec kToSnowflake{"dateTimeToSnowflakeID", "D [ i!", type_is<TypeId::UInt64>,
                                    run_to_snowflake};
constexpr FunctionSpec kToSnowflake64{"dateTime64ToSnowflakeID", "D [ i!",
                                      type_is<TypeId::UInt64>, run_to_snowflake};
constexpr FunctionSpec kFromSnowflake{"snowflakeIDToDateTime", "i [ i! s!",
                                      from_snowflake_type<false>, run_from_snowflake<false>};
constexpr FunctionSpec kFromSnowflake64{"snowflakeIDToDateTime64", "i [ i! s!",
                                        from_snowflake_type<true>, run_from_snowflake<true>};
constexpr FunctionSpec kAddDate{"addDate", "dDs v", shift_type, run_shift, kCaseInsensitive};
constexpr FunctionSpec kSubDate{"subDate", "dDs v", shift_type, run_shift, kCaseInsensitive};

} // namespace

void register_date_snowflake(ScalarRegistry& registry)
{
    add_all<kToSnowflake, kToSnowflake64, kFromSnowflake, kFromSnowflake64, kAddDate, kSubDate>(
        registry);
}

} // namespace basalt
