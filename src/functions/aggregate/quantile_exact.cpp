// quantileExact and its variants, and quantileTiming: every value is kept, as a list or as counts.

#include "functions/aggregate/quantile_levels.h"
#include "functions/aggregate/value_counts.h"

namespace basalt
{

namespace
{

enum class ExactRule : uint8_t
{
    Plain,     // rank floor(level * n)
    Low,       // the same, but the lower of the two middle values for 0.5
    High,      // the same, but the higher of them
    Exclusive, // between ranks, position level * (n + 1)
    Inclusive, // between ranks, position level * (n - 1) + 1
};

// Rank floor(level * n), the last for level 1.
uint64_t plain_rank(double level, uint64_t count)
{
    if (level >= 1)
        return count - 1;
    return std::min(count - 1, static_cast<uint64_t>(level * static_cast<double>(count)));
}

template <ExactRule kRule> uint64_t exact_rank(double level, uint64_t count)
{
    if (level == 0.5 && kRule == ExactRule::Low)
        return (count - 1) / 2;
    if (level == 0.5 && kRule == ExactRule::High)
        return count / 2;
    return plain_rank(level, count);
}

template <class T, ExactRule kRule>
class QuantileExact final
    : public VectorAggregate<T, ValueCounts<T, false>, QuantileExact<T, kRule>>
{
public:
    using State = ValueCounts<T, false>;
    static constexpr bool kBetween = kRule == ExactRule::Exclusive || kRule == ExactRule::Inclusive;
    using Out = std::conditional_t<kBetween, double, T>;

    QuantileExact(const std::string& name, const Types& arguments, const Values& parameters,
                  const QuantileLevels& levels, const TypePtr& one)
        : VectorAggregate<T, State, QuantileExact>(name, arguments, parameters,
                                                   levels.result_type(one)),
          levels_(levels)
    {
    }
    void add_value(State& state, T value) const { state.add(value); }
    void merge(State& into, const State& from, Arena&) const { into.merge(from); }
    void write(const State& from, std::string& out) const { from.write(out); }
    void read(State& into, StateReader& in, Arena&) const { into.read(in); }
    void result(State& from, Column& into, Arena&) const
    {
        const uint64_t count = from.count();
        if constexpr (kBetween)
        {
            const RankedValues ranked = count ? from.ranked() : RankedValues();
            levels_.append<Out>(into, [&](double level) { return between(ranked, level); });
        }
        else
        {
            std::vector<uint64_t> ranks;
            for (const double level : levels_.levels)
                if (count)
                    ranks.push_back(exact_rank<kRule>(level, count));
            const std::vector<uint64_t> asked = ranks;
            std::sort(ranks.begin(), ranks.end());
            ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
            std::vector<T> values;
            if (count)
                from.values_at(ranks, values);
            size_t next = 0;
            levels_.append<Out>(into,
                                [&](double)
                                {
                                    if (!count)
                                        return nothing();
                                    const auto at = std::lower_bound(ranks.begin(), ranks.end(),
                                                                     asked[next++]);
                                    return values[at - ranks.begin()];
                                });
        }
    }

private:
    static T nothing()
    {
        if constexpr (std::is_floating_point_v<T>)
            return std::numeric_limits<T>::quiet_NaN();
        else
            return T(0);
    }

    static double between(const RankedValues& ranked, double level)
    {
        const uint64_t count = ranked.count();
        if (kRule == ExactRule::Exclusive && (level == 0 || level == 1))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "QuantileExactExclusive cannot interpolate for the percentiles 1 and 0");
        if (count == 0)
            return std::numeric_limits<double>::quiet_NaN();
        if (kRule == ExactRule::Inclusive)
            return ranked.interpolated(level, 1);
        const double position = level * static_cast<double>(count + 1);
        const auto rank = static_cast<uint64_t>(position);
        if (rank < 1)
            return ranked.at(0);
        if (rank >= count)
            return ranked.at(count - 1);
        const double low = ranked.at(rank - 1);
        return low + (position - static_cast<double>(rank)) * (ranked.at(rank) - low);
    }

    QuantileLevels levels_;
};

template <ExactRule kRule>
AggregateFunctionPtr make_exact(const std::string& name, const Types& arguments,
                                const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    constexpr bool between = kRule == ExactRule::Exclusive || kRule == ExactRule::Inclusive;
    const bool number = type->is_integer() || type->is_float();
    if (!number && (between || (!type->is_decimal() && !type->is_date_or_time())))
        illegal_argument(name, type);
    const QuantileLevels levels(name, parameters);
    const TypePtr one = between ? simple_type(TypeId::Float64) : type;
    AggregateFunctionPtr made;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        made = std::make_shared<QuantileExact<T, kRule>>(
                            name, arguments, parameters, levels, one);
                    });
    return made;
}

// Milliseconds of page loads: whole numbers from 0 to 30,000; more counts as 30,000 and less is
// left out.
template <class T>
class QuantileTiming final
    : public VectorAggregate<T, ValueCounts<uint16_t, false>, QuantileTiming<T>>
{
public:
    using State = ValueCounts<uint16_t, false>;

    QuantileTiming(const std::string& name, const Types& arguments, const Values& parameters,
                   const QuantileLevels& levels)
        : VectorAggregate<T, State, QuantileTiming>(
              name, arguments, parameters, levels.result_type(simple_type(TypeId::Float32))),
          levels_(levels)
    {
    }
    void add_value(State& state, T value) const
    {
        constexpr double longest = 30000;
        if (value >= T(0))
            state.add(static_cast<uint16_t>(std::min(static_cast<double>(value), longest)));
    }
    void merge(State& into, const State& from, Arena&) const { into.merge(from); }
    void write(const State& from, std::string& out) const { from.write(out); }
    void read(State& into, StateReader& in, Arena&) const { into.read(in); }
    void result(State& from, Column& into, Arena&) const
    {
        const RankedValues ranked = from.ranked();
        levels_.append<float>(into,
                              [&](double level)
                              {
                                  if (ranked.count() == 0)
                                      return std::numeric_limits<double>::quiet_NaN();
                                  return ranked.at(plain_rank(level, ranked.count()));
                              });
    }

private:
    QuantileLevels levels_;
};

AggregateFunctionPtr make_timing(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    const bool taken = type->is_integer() || type->is_float() || type->is(TypeId::Date) ||
                       type->is(TypeId::DateTime);
    if (!taken)
        illegal_argument(name, type);
    const QuantileLevels levels(name, parameters);
    AggregateFunctionPtr made;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if constexpr (std::is_arithmetic_v<T>)
                            made = std::make_shared<QuantileTiming<T>>(name, arguments, parameters,
                                                                       levels);
                    });
    if (!made)
        illegal_argument(name, type);
    return made;
}

} // namespace

void register_quantile_exact(AggregateRegistry& registry)
{
    register_quantile(registry, "Exact", make_exact<ExactRule::Plain>);
    register_quantile(registry, "ExactLow", make_exact<ExactRule::Low>);
    register_quantile(registry, "ExactHigh", make_exact<ExactRule::High>);
    register_quantile(registry, "ExactExclusive", make_exact<ExactRule::Exclusive>);
    register_quantile(registry, "ExactInclusive", make_exact<ExactRule::Inclusive>);
    register_quantile(registry, "Timing", make_timing);
}

} // namespace basalt
