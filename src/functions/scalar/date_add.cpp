// addYears … addNanoseconds, subtract*, addInterval, addTupleOfIntervals.

#include "functions/date_arithmetic.h"
#include "functions/scalar/column_rows.h"

namespace basalt
{
namespace
{

// Numbers added, truncated to integers; the sign turned for subtract*.
PodVector<int64_t> deltas_of(const Argument& argument, bool subtract)
{
    const ColumnPtr flat = to_flat(argument.column);
    PodVector<int64_t> deltas(flat->size());
    if (argument.type->is_float() || argument.type->is_decimal())
    {
        const DoubleRows values(flat, argument.type);
        for (size_t i = 0; i < deltas.size(); ++i)
            deltas[i] = static_cast<int64_t>(values[i]);
    }
    else
    {
        const IntegerRows values({flat, argument.type});
        for (size_t i = 0; i < deltas.size(); ++i)
            deltas[i] = values[i];
    }
    if (subtract)
        for (int64_t& delta : deltas)
            delta = static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(delta));
    return deltas;
}

const char* verb_of(std::string_view name)
{
    return name.starts_with("subtract") ? "subtract" : "add";
}

ColumnPtr shifted(const Argument& time, PodVector<int64_t> deltas, IntervalKind kind,
                  const TypePtr& result, const QueryContext& context)
{
    const size_t rows = deltas.size();
    return add_interval(time, std::make_shared<VectorColumn<int64_t>>(std::move(deltas)), kind, 1,
                        result, rows, context);
}

template <IntervalKind kKind> TypePtr add_type(const TypeCall& call)
{
    return add_interval_type(call.type(0), kKind, verb_of(call.name));
}

template <IntervalKind kKind, bool kSubtract> ColumnPtr run_add(const Call& call)
{
    Argument time = call[0];
    if (time.type->is_string())
        time = {cast_to(time, call.result_type, call.context), call.result_type};
    return shifted(time, deltas_of(call[1], kSubtract), kKind, call.result_type, call.context);
}

IntervalKind kind_of(const TypePtr& type)
{
    return type_as<IntervalType>(type).kind();
}

// addInterval(interval or tuple of them, interval): like kinds are added, others are listed.
struct IntervalSum
{
    Types types;
    bool merged = false; // the last of the first argument takes the second
};

IntervalSum sum_of(const TypeCall& call)
{
    IntervalSum sum;
    if (call.type(0)->is(TypeId::Tuple))
        sum.types = type_as<TupleType>(call.type(0)).elements();
    else
        sum.types = {call.type(0)};
    for (const TypePtr& type : sum.types)
        if (!type->is(TypeId::Interval))
            throw_illegal_type(call.name, call.arguments, 0, "Interval or Tuple of Intervals");
    if (!sum.types.empty() && kind_of(sum.types.back()) == kind_of(call.type(1)))
        sum.merged = true;
    else
        sum.types.push_back(call.type(1));
    return sum;
}

TypePtr interval_sum_type(const TypeCall& call)
{
    return std::make_shared<TupleType>(sum_of(call).types);
}

template <bool kSubtract> ColumnPtr run_add_interval(const Call& call)
{
    const IntervalSum sum = sum_of({call.name, call.arguments, call.context});
    const ColumnPtr first = to_flat(call.column(0));
    Columns parts;
    if (call.type(0)->is(TypeId::Tuple))
        parts = column_as<TupleColumn>(first).elements();
    else
        parts = {first};
    const ColumnPtr second = to_flat(call.column(1));
    const auto& added = column_as<VectorColumn<int64_t>>(second).data();
    const int64_t sign = kSubtract ? -1 : 1;
    if (sum.merged)
    {
        const auto& last = column_as<VectorColumn<int64_t>>(parts.back()).data();
        parts.back() = map_rows<int64_t>(call.rows, [&](size_t i)
                                         { return last[i] + sign * added[i]; });
    }
    else
        parts.push_back(
            map_rows<int64_t>(call.rows, [&](size_t i) { return sign * added[i]; }));
    return TupleColumn::make(parts, call.rows);
}

// Applies each interval of the tuple in turn.
TypePtr add_tuple_type(const TypeCall& call)
{
    TypePtr type = call.type(0);
    for (const TypePtr& interval : type_as<TupleType>(call.type(1)).elements())
    {
        if (!interval->is(TypeId::Interval))
            throw_illegal_type(call.name, call.arguments, 1, "Tuple of Intervals");
        type = add_interval_type(type, kind_of(interval), verb_of(call.name));
    }
    return type;
}

template <bool kSubtract> ColumnPtr run_add_tuple(const Call& call)
{
    Argument time = call[0];
    const ColumnPtr flat = to_flat(call.column(1));
    const Types& intervals = type_as<TupleType>(call.type(1)).elements();
    for (size_t i = 0; i < intervals.size(); ++i)
    {
        const TypePtr type =
            add_interval_type(time.type, kind_of(intervals[i]), verb_of(call.name));
        if (time.type->is_string())
            time = {cast_to(time, type, call.context), type};
        const Argument delta{column_as<TupleColumn>(flat).element(i),
                             simple_type(TypeId::Int64)};
        time = {shifted(time, deltas_of(delta, kSubtract), kind_of(intervals[i]), type,
                        call.context),
                type};
    }
    return time.column;
}

constexpr std::string_view kArguments = "dDs nv";
template <IntervalKind kKind, bool kSubtract>
constexpr FunctionSpec add_spec_of(std::string_view name)
{
    return {name, kArguments, add_type<kKind>, run_add<kKind, kSubtract>};
}
using K = IntervalKind;
constexpr auto kAddYear = add_spec_of<K::Year, false>("addYears");
constexpr auto kAddQuarter = add_spec_of<K::Quarter, false>("addQuarters");
constexpr auto kAddMonth = add_spec_of<K::Month, false>("addMonths");
constexpr auto kAddWeek = add_spec_of<K::Week, false>("addWeeks");
constexpr auto kAddDay = add_spec_of<K::Day, false>("addDays");
constexpr auto kAddHour = add_spec_of<K::Hour, false>("addHours");
constexpr auto kAddMinute = add_spec_of<K::Minute, false>("addMinutes");
constexpr auto kAddSecond = add_spec_of<K::Second, false>("addSeconds");
constexpr auto kAddMilli = add_spec_of<K::Millisecond, false>("addMilliseconds");
constexpr auto kAddMicro = add_spec_of<K::Microsecond, false>("addMicroseconds");
constexpr auto kAddNano = add_spec_of<K::Nanosecond, false>("addNanoseconds");
constexpr auto kSubYear = add_spec_of<K::Year, true>("subtractYears");
constexpr auto kSubQuarter = add_spec_of<K::Quarter, true>("subtractQuarters");
constexpr auto kSubMonth = add_spec_of<K::Month, true>("subtractMonths");
constexpr auto kSubWeek = add_spec_of<K::Week, true>("subtractWeeks");
constexpr auto kSubDay = add_spec_of<K::Day, true>("subtractDays");
constexpr auto kSubHour = add_spec_of<K::Hour, true>("subtractHours");
constexpr auto kSubMinute = add_spec_of<K::Minute, true>("subtractMinutes");
constexpr auto kSubSecond = add_spec_of<K::Second, true>("subtractSeconds");
constexpr auto kSubMilli = add_spec_of<K::Millisecond, true>("subtractMilliseconds");
constexpr auto kSubMicro = add_spec_of<K::Microsecond, true>("subtractMicroseconds");
constexpr auto kSubNano = add_spec_of<K::Nanosecond, true>("subtractNanoseconds");
constexpr FunctionSpec kAddInterval{"addInterval", "vt v", interval_sum_type,
                                    run_add_interval<false>};
constexpr FunctionSpec kSubInterval{"subtractInterval", "vt v", interval_sum_type,
                                    run_add_interval<true>};
constexpr FunctionSpec kAddTuple{"addTupleOfIntervals", "dDs t", add_tuple_type,
                                 run_add_tuple<false>};
constexpr FunctionSpec kSubTuple{"subtractTupleOfIntervals", "dDs t", add_tuple_type,
                                 run_add_tuple<true>};

} // namespace

void register_date_add(ScalarRegistry& registry)
{
    add_all<kAddYear, kAddQuarter, kAddMonth, kAddWeek, kAddDay, kAddHour, kAddMinute, kAddSecond,
            kAddMilli, kAddMicro, kAddNano>(registry);
    add_all<kSubYear, kSubQuarter, kSubMonth, kSubWeek, kSubDay, kSubHour, kSubMinute, kSubSecond,
            kSubMilli, kSubMicro, kSubNano>(registry);
    add_all<kAddInterval, kSubInterval, kAddTuple, kSubTuple>(registry);
}

} // namespace basalt
