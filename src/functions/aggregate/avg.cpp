// avg. State as ClickHouse's: the sum in its type, then a varint count.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/sum_of.h"

#include <cmath>

namespace basalt
{

namespace
{

template <class R> struct AvgState
{
    Total<R> sum;
    uint64_t count = 0;
};

// Out: double, or the integer of a date.
template <class T, class R, class Out>
class Avg final : public AggregateOf<AvgState<R>, Avg<T, R, Out>>
{
public:
    using State = AvgState<R>;
    using Base = AggregateOf<State, Avg<T, R, Out>>;

    Avg(const std::string& name, const Types& arguments, const TypePtr& result)
        : Base(name, arguments, {}, result)
    {
        if (arguments[0]->is_decimal())
            divisor_ = power_of_ten(type_as<DecimalType>(arguments[0]).scale());
    }

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        state.sum.add(static_cast<R>(vector_of<T>(*arguments[0])[row]));
        ++state.count;
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        const T* from = vector_of<T>(*arguments[0]).data();
        for (size_t i = 0; i < places.size(); ++i)
        {
            State& state = this->state(places[i] + offset);
            state.sum.add(static_cast<R>(from[i]));
            ++state.count;
        }
    }
    void add_grouped(std::span<const uint16_t> codes, std::span<char* const> places, size_t offset,
                     std::span<const Column* const> arguments, Arena&) const override
    {
        PodVector<R> sums;
        PodVector<uint64_t> counts;
        sum_grouped<R, T, true>(codes, vector_of<T>(*arguments[0]).data(), places.size(), sums,
                                counts);
        for (size_t g = 0; g < places.size(); ++g)
        {
            State& state = this->state(places[g] + offset);
            state.sum.add(sums[g]);
            state.count += counts[g];
        }
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        this->state(place).sum.add(
            sum_of<R>(vector_of<T>(*arguments[0]).data() + begin, end - begin));
        this->state(place).count += end - begin;
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        uint64_t count = 0;
        for (size_t i = 0; i < rows; ++i)
            count += mask[i] != 0;
        this->state(place).sum.add(
            sum_of_masked<R>(vector_of<T>(*arguments[0]).data(), mask, rows));
        this->state(place).count += count;
    }

    void merge(State& into, const State& from, Arena&) const
    {
        into.sum.merge(from.sum);
        into.count += from.count;
    }
    void write(const State& from, std::string& out) const
    {
        put_fixed(out, from.sum.value());
        put_count(out, from.count);
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        into.sum = Total<R>{in.fixed<R>()};
        into.count = in.count();
    }
    void result(State& from, Column& into, Arena&) const
    {
        // In ClickHouse's order: the last digit depends on it.
        const double average =
            as_double(from.sum.value()) / divisor_ / static_cast<double>(from.count);
        if constexpr (std::is_floating_point_v<Out>)
            vector_of<Out>(into).push_back(average);
        else
            vector_of<Out>(into).push_back(from.count ? static_cast<Out>(std::llround(average))
                                                      : Out(0));
    }

private:
    double divisor_ = 1;
};

AggregateFunctionPtr make_avg(const std::string& name, const Types& arguments,
                              const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    AggregateFunctionPtr made;
    if (type->is_date_or_time())
    {
        dispatch_vector(type->physical(),
                        [&](auto tag)
                        {
                            using T = typename decltype(tag)::type;
                            if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
                                made = std::make_shared<Avg<T, Int128, T>>(name, arguments, type);
                        });
        return made;
    }
    if (!type->is_number())
        illegal_argument(name, type);
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        const TypePtr& result = simple_type(TypeId::Float64);
                        if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>)
                            if (type->is_decimal())
                            {
                                made = std::make_shared<Avg<T, Int128, double>>(name, arguments,
                                                                                result);
                                return;
                            }
                        made = std::make_shared<Avg<T, WideSum<T>, double>>(name, arguments, result);
                    });
    return made;
}

} // namespace

void register_avg(AggregateRegistry& registry)
{
    registry.add("avg", make_avg, {.case_insensitive = true});
}

} // namespace basalt
