// Variance, skewness, kurtosis, covariance and correlation. The plain functions keep sums of
// powers and give ClickHouse's digits; the …Stable ones keep running means after Welford (1962)
// and Chan, Golub and LeVeque (1979), which do not cancel.

#include "functions/aggregate/over_doubles.h"

#include <cmath>

namespace basalt
{

namespace
{

template <int kPowers> struct Moments
{
    double sums[kPowers + 1] = {}; // of x^0 … x^kPowers
};

template <int kPowers> double pop_variance(const Moments<kPowers>& m)
{
    if (m.sums[0] == 0)
        return NAN;
    return std::max(0.0, (m.sums[2] - m.sums[1] * m.sums[1] / m.sums[0]) / m.sums[0]);
}

template <int kPowers> double sample_variance(const Moments<kPowers>& m)
{
    if (m.sums[0] <= 1)
        return NAN;
    return std::max(0.0, (m.sums[2] - m.sums[1] * m.sums[1] / m.sums[0]) / (m.sums[0] - 1));
}

double third_moment(const double* s)
{
    return (s[3] - (3 * s[2] - 2 * s[1] * s[1] / s[0]) * s[1] / s[0]) / s[0];
}

double fourth_moment(const double* s)
{
    return std::max(
        0.0, (s[4] - (4 * s[3] - (6 * s[2] - 3 * s[1] * s[1] / s[0]) * s[1] / s[0]) * s[1] / s[0]) /
                 s[0]);
}

struct VarPop
{
    static constexpr int kPowers = 2;
    static double result(const Moments<2>& m) { return pop_variance(m); }
};
struct VarSamp
{
    static constexpr int kPowers = 2;
    static double result(const Moments<2>& m) { return sample_variance(m); }
};
struct StddevPop
{
    static constexpr int kPowers = 2;
    static double result(const Moments<2>& m) { return std::sqrt(pop_variance(m)); }
};
struct StddevSamp
{
    static constexpr int kPowers = 2;
    static double result(const Moments<2>& m) { return std::sqrt(sample_variance(m)); }
};
struct SkewPop
{
    static constexpr int kPowers = 3;
    static double result(const Moments<3>& m)
    {
        const double variance = pop_variance(m);
        return variance > 0 ? third_moment(m.sums) / std::pow(variance, 1.5) : NAN;
    }
};
struct SkewSamp
{
    static constexpr int kPowers = 3;
    static double result(const Moments<3>& m)
    {
        const double variance = sample_variance(m);
        return variance > 0 ? third_moment(m.sums) / std::pow(variance, 1.5) : NAN;
    }
};
struct KurtPop
{
    static constexpr int kPowers = 4;
    static double result(const Moments<4>& m)
    {
        const double variance = pop_variance(m);
        return variance > 0 ? fourth_moment(m.sums) / (variance * variance) : NAN;
    }
};
struct KurtSamp
{
    static constexpr int kPowers = 4;
    static double result(const Moments<4>& m)
    {
        const double variance = sample_variance(m);
        return variance > 0 ? fourth_moment(m.sums) / (variance * variance) : NAN;
    }
};

// Float32 arguments give Float32.
template <class Kind>
class OfMoments final : public OverDoubles<Moments<Kind::kPowers>, OfMoments<Kind>, 1>
{
public:
    using State = Moments<Kind::kPowers>;
    using OverDoubles<State, OfMoments, 1>::OverDoubles;

    void add_numbers(State& state, const double* values) const
    {
        double power = 1;
        for (int i = 0; i <= Kind::kPowers; ++i)
        {
            state.sums[i] += power;
            power *= values[0];
        }
    }
    void merge(State& into, const State& from, Arena&) const
    {
        for (int i = 0; i <= Kind::kPowers; ++i)
            into.sums[i] += from.sums[i];
    }
    void write(const State& from, std::string& out) const { put_fixed(out, from.sums); }
    void read(State& into, StateReader& in, Arena&) const
    {
        for (double& sum : into.sums)
            sum = in.fixed<double>();
    }
    void result(State& from, Column& into, Arena&) const
    {
        const double value = Kind::result(from);
        if (this->result_type()->is(TypeId::Float32))
            vector_of<float>(into).push_back(static_cast<float>(value));
        else
            vector_of<double>(into).push_back(value);
    }
};

template <class Kind>
AggregateFunctionPtr make_moments(const std::string& name, const Types& arguments,
                                  const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 1, true, true, true);
    const TypeId result = arguments[0]->is(TypeId::Float32) ? TypeId::Float32 : TypeId::Float64;
    return std::make_shared<OfMoments<Kind>>(name, arguments, parameters, simple_type(result));
}

struct RunningMoments
{
    double count = 0;
    double mean = 0;
    double squares = 0; // of differences from the mean
};

// 0: var, 1: stddev; kSample: divided by n - 1.
template <bool kRoot, bool kSample>
class Stable final : public OverDoubles<RunningMoments, Stable<kRoot, kSample>, 1>
{
public:
    using OverDoubles<RunningMoments, Stable, 1>::OverDoubles;

    void add_numbers(RunningMoments& state, const double* values) const
    {
        ++state.count;
        const double difference = values[0] - state.mean;
        state.mean += difference / state.count;
        state.squares += difference * (values[0] - state.mean);
    }
    void merge(RunningMoments& into, const RunningMoments& from, Arena&) const
    {
        if (from.count == 0)
            return;
        const double count = into.count + from.count;
        const double difference = from.mean - into.mean;
        into.squares += from.squares + difference * difference * into.count * from.count / count;
        into.mean += difference * from.count / count;
        into.count = count;
    }
    void write(const RunningMoments& from, std::string& out) const { put_fixed(out, from); }
    void read(RunningMoments& into, StateReader& in, Arena&) const
    {
        into = in.fixed<RunningMoments>();
    }
    void result(RunningMoments& from, Column& into, Arena&) const
    {
        const double divisor = kSample ? from.count - 1 : from.count;
        const double variance = divisor > 0 ? from.squares / divisor : NAN;
        vector_of<double>(into).push_back(kRoot ? std::sqrt(variance) : variance);
    }
};

template <bool kRoot, bool kSample>
AggregateFunctionPtr make_stable(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 1, true, true, true);
    return std::make_shared<Stable<kRoot, kSample>>(name, arguments, parameters,
                                                    simple_type(TypeId::Float64));
}

struct PairMoments
{
    double count = 0;
    double x = 0;
    double y = 0;
    double xy = 0;
    double xx = 0;
    double yy = 0;
};

enum class PairKind : uint8_t
{
    CovarPop,
    CovarSamp,
    Corr,
};

template <PairKind kKind>
class OfPairs final : public OverDoubles<PairMoments, OfPairs<kKind>, 2>
{
public:
    using OverDoubles<PairMoments, OfPairs, 2>::OverDoubles;

    void add_numbers(PairMoments& state, const double* values) const
    {
        const double x = values[0];
        const double y = values[1];
        ++state.count;
        state.x += x;
        state.y += y;
        state.xy += x * y;
        state.xx += x * x;
        state.yy += y * y;
    }
    void merge(PairMoments& into, const PairMoments& from, Arena&) const
    {
        into.count += from.count;
        into.x += from.x;
        into.y += from.y;
        into.xy += from.xy;
        into.xx += from.xx;
        into.yy += from.yy;
    }
    void write(const PairMoments& from, std::string& out) const { put_fixed(out, from); }
    void read(PairMoments& into, StateReader& in, Arena&) const
    {
        into = in.fixed<PairMoments>();
    }
    void result(PairMoments& from, Column& into, Arena&) const
    {
        vector_of<double>(into).push_back(value_of(from));
    }

private:
    static double value_of(const PairMoments& s)
    {
        const double covariance = s.xy - s.x * s.y / s.count;
        if (kKind == PairKind::CovarPop)
            return s.count == 0 ? NAN : covariance / s.count;
        if (kKind == PairKind::CovarSamp)
            return s.count < 2 ? NAN : covariance / (s.count - 1);
        return (s.count * s.xy - s.x * s.y) /
               std::sqrt((s.count * s.xx - s.x * s.x) * (s.count * s.yy - s.y * s.y));
    }
};

template <PairKind kKind>
AggregateFunctionPtr make_pairs(const std::string& name, const Types& arguments,
                                const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 2, false, false);
    return std::make_shared<OfPairs<kKind>>(name, arguments, parameters,
                                            simple_type(TypeId::Float64));
}

} // namespace

void register_moments(AggregateRegistry& registry)
{
    registry.add("varPop", make_moments<VarPop>);
    registry.add("varSamp", make_moments<VarSamp>);
    registry.add("stddevPop", make_moments<StddevPop>);
    registry.add("stddevSamp", make_moments<StddevSamp>);
    registry.add("skewPop", make_moments<SkewPop>);
    registry.add("skewSamp", make_moments<SkewSamp>);
    registry.add("kurtPop", make_moments<KurtPop>);
    registry.add("kurtSamp", make_moments<KurtSamp>);
    registry.add("varPopStable", make_stable<false, false>);
    registry.add("varSampStable", make_stable<false, true>);
    registry.add("stddevPopStable", make_stable<true, false>);
    registry.add("stddevSampStable", make_stable<true, true>);
    registry.add("covarPop", make_pairs<PairKind::CovarPop>);
    registry.add("covarSamp", make_pairs<PairKind::CovarSamp>);
    registry.add("corr", make_pairs<PairKind::Corr>, {.case_insensitive = true});
    registry.add_alias("VAR_POP", "varPop", true);
    registry.add_alias("VAR_SAMP", "varSamp", true);
    registry.add_alias("STD", "stddevPop", true);
    registry.add_alias("STDDEV_POP", "stddevPop", true);
    registry.add_alias("STDDEV", "stddevSamp", true);
    registry.add_alias("STDDEV_SAMP", "stddevSamp", true);
    registry.add_alias("COVAR_POP", "covarPop", true);
    registry.add_alias("COVAR_SAMP", "covarSamp", true);
}

} // namespace basalt
