// timestamp(text [, time]): MySQL's, a DateTime64(6) moved by hours, minutes and seconds.

#include "functions/date_arithmetic.h"
#include "functions/scalar/column_rows.h"

namespace basalt
{
namespace
{

constexpr uint32_t kScale = 6;

TypePtr timestamp_type(const TypeCall&)
{
    return std::make_shared<DateTime64Type>(kScale);
}

// [-]hours:minutes:seconds[.fraction] in microseconds; what is no time moves nothing.
int64_t time_of(std::string_view text)
{
    const bool negative = text.starts_with("-");
    if (negative)
        text.remove_prefix(1);
    int64_t parts[3] = {};
    size_t at = 0;
    for (size_t part = 0; part < 3; ++part)
    {
        const size_t begin = at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at < begin + 3; ++at)
            parts[part] = parts[part] * 10 + (text[at] - '0');
        const bool ends = part == 2;
        if (at == begin || (!ends && (at >= text.size() || text[at] != ':')))
            return 0;
        at += ends ? 0 : 1;
    }
    int64_t fraction = 0;
    if (at < text.size() && text[at] == '.')
    {
        ++at;
        for (uint32_t digit = 0; digit < kScale; ++digit)
        {
            const bool has = at < text.size() && text[at] >= '0' && text[at] <= '9';
            fraction = fraction * 10 + (has ? text[at++] - '0' : 0);
        }
    }
    const int64_t ticks =
        (parts[0] * 3600 + parts[1] * 60 + parts[2]) * power_of_ten(kScale) + fraction;
    return negative ? -ticks : ticks;
}

ColumnPtr run_timestamp(const Call& call)
{
    const ColumnPtr moments = cast_to(call[0], call.result_type, call.context);
    if (call.size() == 1)
        return moments;
    const NumberRows<int64_t> ticks(moments);
    const StringRows times(call.column(1));
    return map_rows<int64_t>(call.rows, [&](size_t i) { return ticks[i] + time_of(times[i]); });
}

constexpr FunctionSpec kTimestamp{"timestamp", "s [ s", timestamp_type, run_timestamp,
                                  kCaseInsensitive};

} // namespace

void register_timestamp(ScalarRegistry& registry)
{
    add<kTimestamp>(registry);
}

} // namespace basalt
