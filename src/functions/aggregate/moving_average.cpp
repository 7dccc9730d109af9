// exponentialMovingAverage(half_decay)(value, time): a value counts half as much half_decay units
// of time later.

#include "functions/aggregate/over_doubles.h"

#include <cmath>

namespace basalt
{

namespace
{

struct DecayedValue
{
    double value = 0;
    double time = 0;
    uint64_t started = 0;
};

class MovingAverage final : public OverDoubles<DecayedValue, MovingAverage, 2>
{
public:
    MovingAverage(const std::string& name, const Types& arguments, const Values& parameters,
                  double half)
        : OverDoubles(name, arguments, parameters, simple_type(TypeId::Float64)), half_(half)
    {
    }
    void add_numbers(DecayedValue& state, const double* values) const
    {
        join(state, {values[0], values[1], 1});
    }
    void merge(DecayedValue& into, const DecayedValue& from, Arena&) const { join(into, from); }
    void write(const DecayedValue& from, std::string& out) const { put_fixed(out, from); }
    void read(DecayedValue& into, StateReader& in, Arena&) const
    {
        into = in.fixed<DecayedValue>();
    }
    void result(DecayedValue& from, Column& into, Arena&) const
    {
        // Divided by the weights of all times before: 1 + 2^(-1/half) + …
        const double weights = 1 / (1 - std::exp2(-1 / half_));
        vector_of<double>(into).push_back(from.value / weights);
    }

private:
    void join(DecayedValue& into, const DecayedValue& from) const
    {
        if (!from.started)
            return;
        if (!into.started)
            into = from;
        else if (into.time < from.time)
            into = {into.value * std::exp2((into.time - from.time) / half_) + from.value,
                    from.time, 1};
        else
            into.value += from.value * std::exp2((from.time - into.time) / half_);
    }
    double half_;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    if (parameters.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name +
                        " requires exactly one parameter: half decay time.");
    expect_arguments(name, arguments, 2);
    for (const TypePtr& type : arguments)
        if (!type->is_number() && !type->is(TypeId::Date) && !type->is(TypeId::DateTime))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Both arguments for aggregate function " + name +
                            " must have numeric type, got " + type->name());
    return std::make_shared<MovingAverage>(name, arguments, parameters,
                                           number_parameter(name, parameters[0]));
}

} // namespace

void register_moving_average(AggregateRegistry& registry)
{
    registry.add("exponentialMovingAverage", make);
}

} // namespace basalt
