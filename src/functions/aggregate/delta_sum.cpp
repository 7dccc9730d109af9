// deltaSum and deltaSumTimestamp: the sum of rises from one row to the next, in the order of rows
// or of a timestamp between partial states.

#include "functions/aggregate/aggregate_of.h"

namespace basalt
{

namespace
{

template <class T> struct DeltaState
{
    T sum = T(0);
    T first = T(0);
    T last = T(0);
    int64_t first_time = 0;
    int64_t last_time = 0;
    bool seen = false;
};

template <class T> class DeltaSum final : public AggregateOf<DeltaState<T>, DeltaSum<T>>
{
public:
    using State = DeltaState<T>;

    DeltaSum(const std::string& name, const Types& arguments)
        : AggregateOf<State, DeltaSum>(name, arguments, {},
                                       arguments[0]->is(TypeId::Bool) ? simple_type(TypeId::UInt8)
                                                                      : arguments[0]),
          timed_(arguments.size() > 1)
    {
        if (timed_)
            dispatch_vector(arguments[1]->physical(),
                            [&](auto tag)
                            {
                                using Time = typename decltype(tag)::type;
                                if constexpr (std::is_integral_v<Time> && sizeof(Time) <= 8)
                                    time_at_ = [](const Column& column, size_t row)
                                    { return static_cast<int64_t>(vector_of<Time>(column)[row]); };
                            });
    }
    bool order_dependent() const override { return true; }

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        State one;
        one.seen = true;
        one.first = one.last = vector_of<T>(*arguments[0])[row];
        if (timed_)
            one.first_time = one.last_time = time_at_(*arguments[1], row);
        append(state, one);
    }
    void merge(State& into, const State& from, Arena&) const
    {
        if (timed_ && into.seen && from.seen && from.last_time < into.first_time)
        {
            State joined = from;
            append(joined, into);
            into = joined;
            return;
        }
        append(into, from);
    }
    void write(const State& from, std::string& out) const
    {
        put_fixed(out, from.sum);
        put_fixed(out, from.first);
        put_fixed(out, from.last);
        if (timed_)
        {
            put_fixed(out, from.first_time);
            put_fixed(out, from.last_time);
        }
        out += from.seen ? '\1' : '\0';
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        into.sum = in.fixed<T>();
        into.first = in.fixed<T>();
        into.last = in.fixed<T>();
        if (timed_)
        {
            into.first_time = in.fixed<int64_t>();
            into.last_time = in.fixed<int64_t>();
        }
        into.seen = in.fixed<uint8_t>() != 0;
    }
    void result(State& from, Column& into, Arena&) const
    {
        vector_of<T>(into).push_back(from.sum);
    }

private:
    static void append(State& into, const State& next)
    {
        if (!next.seen)
            return;
        if (!into.seen)
        {
            into = next;
            return;
        }
        into.sum += next.sum;
        if (into.last < next.first)
            into.sum += next.first - into.last;
        into.last = next.last;
        into.last_time = next.last_time;
    }

    bool timed_;
    int64_t (*time_at_)(const Column&, size_t) = nullptr;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    const bool timed = name == "deltaSumTimestamp";
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, timed ? 2 : 1);
    const TypePtr& value = arguments[0];
    const bool dates = timed && value->is_date_or_time() && !value->is(TypeId::DateTime64);
    if (!value->is_integer() && !value->is_float() && !dates)
        illegal_argument(name, value);
    if (timed)
    {
        const TypePtr& time = arguments[1];
        const bool taken = (time->is_integer() && time->physical() <= PhysicalType::Int64) ||
                           (time->is_date_or_time() && !time->is(TypeId::DateTime64));
        const bool narrow = time->is_integer() && (time->is(TypeId::UInt128) || time->is(TypeId::UInt256));
        if (!taken || narrow)
            illegal_argument(name, time);
    }
    AggregateFunctionPtr made = make_for_vector<DeltaSum>(value, name, arguments);
    BASALT_ASSERT(made);
    return made;
}

} // namespace

void register_delta_sum(AggregateRegistry& registry)
{
    registry.add("deltaSum", make, {.default_when_all_null = true});
    registry.add("deltaSumTimestamp", make, {.default_when_all_null = true});
}

} // namespace basalt
