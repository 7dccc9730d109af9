// maxIntersections, maxIntersectionsPosition and intervalLengthSum: intervals from the first
// argument to the second.

#include "functions/aggregate/over_doubles.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

struct Interval
{
    double begin;
    double end;
};

struct IntervalState
{
    PodVector<Interval> intervals;
};

enum class Question : uint8_t
{
    Most,
    Position,
    Length,
};

// Step: the type in which one interval's length is known.
template <Question kKind, class Out, class Step = double>
class OfIntervals final : public OverDoubles<IntervalState, OfIntervals<kKind, Out, Step>, 2>
{
public:
    using OverDoubles<IntervalState, OfIntervals, 2>::OverDoubles;

    void add_numbers(IntervalState& state, const double* values) const
    {
        if (std::isnan(values[0]) || std::isnan(values[1]))
            return;
        if (kKind == Question::Length && values[0] >= values[1])
            return;
        state.intervals.push_back({values[0], values[1]});
    }
    void merge(IntervalState& into, const IntervalState& from, Arena&) const
    {
        into.intervals.append(from.intervals.data(), from.intervals.size());
    }
    void write(const IntervalState& from, std::string& out) const
    {
        put_count(out, from.intervals.size());
        for (const Interval& interval : from.intervals)
            put_fixed(out, interval);
    }
    void read(IntervalState& into, StateReader& in, Arena&) const
    {
        into.intervals.clear();
        for (size_t left = in.count_of(sizeof(Interval)); left > 0; --left)
            into.intervals.push_back(in.fixed<Interval>());
    }
    void result(IntervalState& from, Column& into, Arena&) const
    {
        if (kKind == Question::Length)
        {
            vector_of<Out>(into).push_back(static_cast<Out>(length(from.intervals)));
            return;
        }
        // An end before a beginning at the same point.
        std::vector<std::pair<double, int>> points;
        for (const Interval& interval : from.intervals)
        {
            points.emplace_back(interval.begin, 1);
            points.emplace_back(interval.end, -1);
        }
        std::sort(points.begin(), points.end());
        int64_t now = 0;
        int64_t most = 0;
        double position = 0;
        for (const auto& [point, change] : points)
        {
            now += change;
            if (now > most)
            {
                most = now;
                position = point;
            }
        }
        vector_of<Out>(into).push_back(kKind == Question::Most ? static_cast<Out>(most)
                                                                   : static_cast<Out>(position));
    }

private:
    static double length(PodVector<Interval>& intervals)
    {
        std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b)
                  { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
        double total = 0;
        for (size_t i = 0; i < intervals.size();)
        {
            const double begin = intervals[i].begin;
            double end = intervals[i].end;
            for (++i; i < intervals.size() && intervals[i].begin <= end; ++i)
                end = std::max(end, intervals[i].end);
            total += static_cast<Step>(end - begin);
        }
        return total;
    }
};

AggregateFunctionPtr make_most(const std::string& name, const Types& arguments,
                               const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 2, false, false);
    return std::make_shared<OfIntervals<Question::Most, uint64_t>>(
        name, arguments, parameters, simple_type(TypeId::UInt64));
}

AggregateFunctionPtr make_position(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 2, false, false);
    const TypePtr result =
        arguments[0]->is(TypeId::Bool) ? simple_type(TypeId::UInt8) : arguments[0];
    AggregateFunctionPtr made;
    dispatch_vector(result->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if constexpr (std::is_arithmetic_v<T>)
                            made = std::make_shared<OfIntervals<Question::Position, T>>(
                                name, arguments, parameters, result);
                    });
    return made;
}

AggregateFunctionPtr make_length(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 2);
    const TypePtr& type = arguments[0];
    if (!same_type(type, arguments[1]))
        illegal_argument(name, arguments[1]);
    if (type->is(TypeId::Float32))
        return std::make_shared<OfIntervals<Question::Length, double, float>>(
            name, arguments, parameters, simple_type(TypeId::Float64));
    if (type->is_float())
        return std::make_shared<OfIntervals<Question::Length, double>>(
            name, arguments, parameters, simple_type(TypeId::Float64));
    const bool taken = (type->is_integer() && type->physical() <= PhysicalType::Int64 &&
                        !type->is(TypeId::UInt128) && !type->is(TypeId::UInt256)) ||
                       (type->is_date_or_time() && !type->is(TypeId::DateTime64));
    if (!taken)
        illegal_argument(name, type);
    return std::make_shared<OfIntervals<Question::Length, uint64_t>>(
        name, arguments, parameters, simple_type(TypeId::UInt64));
}

} // namespace

void register_intervals(AggregateRegistry& registry)
{
    registry.add("maxIntersections", make_most);
    registry.add("maxIntersectionsPosition", make_position);
    registry.add("intervalLengthSum", make_length);
}

} // namespace basalt
