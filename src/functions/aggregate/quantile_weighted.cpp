// Quantiles of values with weights, and the sketches quantileBFloat16 and quantileDD.

#include "functions/aggregate/over_doubles.h"
#include "functions/aggregate/quantile_levels.h"
#include "functions/aggregate/value_counts.h"

#include <cmath>

namespace basalt
{

namespace
{

// Besides the rules here: Timing and BFloat16 give the first value up to which the weights reach
// level * total.
enum class WeightRule : uint8_t
{
    Timing,       // over whole numbers up to 30,000
    BFloat16,     // over values with 8 bits of precision
    Between,      // level * (total - 1) in the list of values repeated by weight
    Interpolated, // between the centres of the weights
    Digest,       // the same, but a value of weight 1 stands for itself
};

struct WeightState
{
    FlatCounts<uint64_t> weights; // by a code that orders like the value
};

void write_weights(const WeightState& from, std::string& out)
{
    put_count(out, from.weights.size());
    from.weights.for_each(
        [&](uint64_t code, uint64_t weight)
        {
            put_fixed(out, code);
            put_count(out, weight);
        });
}

void read_weights(WeightState& into, StateReader& in)
{
    for (size_t left = in.count_of(sizeof(uint64_t) + 1); left > 0; --left)
    {
        const auto code = in.fixed<uint64_t>();
        const uint64_t weight = in.count();
        if (weight == 0)
            StateReader::corrupted();
        into.weights.add(code, weight);
    }
}

std::vector<FlatCounts<uint64_t>::Item> sorted_items(const WeightState& state)
{
    std::vector<FlatCounts<uint64_t>::Item> items;
    state.weights.for_each([&](uint64_t code, uint64_t weight) { items.push_back({code, weight}); });
    std::sort(items.begin(), items.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
    return items;
}

// Out is the type of the result; the value is kept as a double.
template <class Out, WeightRule kRule, bool kWeighted>
class QuantileWeighted final
    : public OverDoubles<WeightState, QuantileWeighted<Out, kRule, kWeighted>, kWeighted ? 2 : 1>
{
public:
    using Base = OverDoubles<WeightState, QuantileWeighted, kWeighted ? 2 : 1>;

    QuantileWeighted(const std::string& name, const Types& arguments, const Values& parameters,
                     const QuantileLevels& levels, const TypePtr& one, double scale)
        : Base(name, arguments, parameters, levels.result_type(one)), levels_(levels), scale_(scale)
    {
    }

    void add_numbers(WeightState& state, const double* values) const
    {
        double value = values[0];
        const double weight = kWeighted ? values[1] : 1;
        if (std::isnan(value) || !(weight > 0))
            return;
        if (kRule == WeightRule::Timing)
        {
            constexpr double longest = 30000;
            if (value < 0)
                return;
            value = std::min(std::trunc(value), longest);
        }
        if (kRule == WeightRule::BFloat16)
        {
            const auto number = static_cast<float>(value);
            const uint32_t bits = load<uint32_t>(&number) & 0xFFFF0000u;
            value = load<float>(&bits);
        }
        state.weights.add(double_code(value), static_cast<uint64_t>(weight));
    }
    void merge(WeightState& into, const WeightState& from, Arena&) const
    {
        from.weights.for_each([&](uint64_t code, uint64_t weight)
                              { into.weights.add(code, weight); });
    }
    void write(const WeightState& from, std::string& out) const { write_weights(from, out); }
    void read(WeightState& into, StateReader& in, Arena&) const { read_weights(into, in); }
    void result(WeightState& from, Column& into, Arena&) const
    {
        RankedValues ranked;
        const auto items = sorted_items(from);
        uint64_t end = 0;
        for (const auto& item : items)
        {
            const double value = double_of_code(item.key);
            ranked.steps.push_back({value, value, end += item.count});
        }
        levels_.append<Out>(into, [&](double level) { return value_at(ranked, level); });
    }

private:
    Out value_at(const RankedValues& ranked, double level) const
    {
        if (ranked.count() == 0)
            return std::numeric_limits<Out>::quiet_NaN(); // 0 for integers
        double value = 0;
        if (kRule == WeightRule::Between)
            value = ranked.interpolated(level);
        else if (kRule == WeightRule::Interpolated)
            value = between_centres(ranked, level);
        else if (kRule == WeightRule::Digest)
            value = of_digest(ranked, level);
        else
        {
            const double wanted = level * static_cast<double>(ranked.count());
            for (const auto& step : ranked.steps)
            {
                value = step.low;
                if (static_cast<double>(step.end) >= wanted)
                    break;
            }
        }
        // Decimals were divided by their scale when they were read.
        return static_cast<Out>(Integer<Out> && scale_ != 1 ? std::round(value * scale_) : value);
    }

    static double between_centres(const RankedValues& ranked, double level)
    {
        const auto total = static_cast<double>(ranked.count());
        double before_centre = 0;
        double before_value = 0;
        double begin = 0;
        for (size_t i = 0; i < ranked.steps.size(); ++i)
        {
            const auto end = static_cast<double>(ranked.steps[i].end);
            const double centre = (begin + end) / 2 / total;
            const double value = ranked.steps[i].low;
            if (level <= centre)
            {
                if (i == 0)
                    return value;
                return before_value + (value - before_value) * (level - before_centre) /
                                          (centre - before_centre);
            }
            before_centre = centre;
            before_value = value;
            begin = end;
        }
        return before_value;
    }

    static double of_digest(const RankedValues& ranked, double level)
    {
        const double wanted = level * static_cast<double>(ranked.count());
        double before_centre = 0;
        double before_value = ranked.steps[0].low;
        double before_weight = static_cast<double>(ranked.steps[0].end);
        double begin = 0;
        for (const auto& step : ranked.steps)
        {
            const auto end = static_cast<double>(step.end);
            const double weight = end - begin;
            const double centre = begin + weight * 0.5;
            if (centre >= wanted)
            {
                const double left = before_centre + (before_weight == 1 ? 0.5 : 0);
                const double right = centre - (weight == 1 ? 0.5 : 0);
                if (wanted <= left)
                    return before_value;
                if (wanted >= right)
                    return step.low;
                return before_value +
                       (step.low - before_value) * (wanted - left) / (right - left);
            }
            before_centre = centre;
            before_value = step.low;
            before_weight = weight;
            begin = end;
        }
        return before_value;
    }

    QuantileLevels levels_;
    double scale_;
};

void expect_weight(const std::string& name, const TypePtr& type)
{
    if (!type->is_unsigned() || type->physical() > PhysicalType::UInt64)
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Second argument (weight) for function " + name +
                        " must be unsigned integer, but it has type " + type->name());
}

// quantileExactWeighted: the first value up to which the weights reach level * total.
template <class T>
class QuantileExactWeighted final : public AggregateOf<WeightState, QuantileExactWeighted<T>>
{
public:
    QuantileExactWeighted(const std::string& name, const Types& arguments,
                          const Values& parameters, const QuantileLevels& levels)
        : AggregateOf<WeightState, QuantileExactWeighted>(name, arguments, parameters,
                                                          levels.result_type(arguments[0])),
          levels_(levels)
    {
        dispatch_vector(arguments[1]->physical(),
                        [&](auto tag)
                        {
                            using Weight = typename decltype(tag)::type;
                            if constexpr (std::is_unsigned_v<Weight> && sizeof(Weight) <= 8)
                                weight_at_ = [](const Column& column, size_t row)
                                { return static_cast<uint64_t>(vector_of<Weight>(column)[row]); };
                        });
    }

    void add(WeightState& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        const T value = vector_of<T>(*arguments[0])[row];
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value))
                return;
        if (const uint64_t weight = weight_at_(*arguments[1], row))
            state.weights.add(exact_code(value), weight);
    }
    void merge(WeightState& into, const WeightState& from, Arena&) const
    {
        from.weights.for_each([&](uint64_t code, uint64_t weight)
                              { into.weights.add(code, weight); });
    }
    void write(const WeightState& from, std::string& out) const { write_weights(from, out); }
    void read(WeightState& into, StateReader& in, Arena&) const { read_weights(into, in); }
    void result(WeightState& from, Column& into, Arena&) const
    {
        const auto items = sorted_items(from);
        uint64_t total = 0;
        for (const auto& item : items)
            total += item.count;
        levels_.append<T>(into,
                          [&](double level)
                          {
                              T value = std::numeric_limits<T>::quiet_NaN(); // 0 for integers
                              const double wanted = std::ceil(level * static_cast<double>(total));
                              uint64_t seen = 0;
                              for (const auto& item : items)
                              {
                                  value = value_of_exact_code<T>(item.key);
                                  seen += item.count;
                                  if (static_cast<double>(seen) >= wanted)
                                      break;
                              }
                              return value;
                          });
    }

private:
    QuantileLevels levels_;
    uint64_t (*weight_at_)(const Column&, size_t) = nullptr;
};

AggregateFunctionPtr make_exact_weighted(const std::string& name, const Types& arguments,
                                         const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    const TypePtr& type = arguments[0];
    if (!type->is_number() && !type->is_date_or_time())
        illegal_argument(name, type);
    expect_weight(name, arguments[1]);
    const QuantileLevels levels(name, parameters);
    AggregateFunctionPtr made;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if constexpr (sizeof(T) <= 8)
                            made = std::make_shared<QuantileExactWeighted<T>>(
                                name, arguments, parameters, levels);
                    });
    if (!made)
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Aggregate function " + name + " of type " + type->name() +
                        " is not supported");
    return made;
}

template <WeightRule kRule, bool kWeighted>
AggregateFunctionPtr make_in_place(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_arguments(name, arguments, kWeighted ? 2 : 1);
    const TypePtr& type = arguments[0];
    if (!type->is_number() && !type->is_date_or_time())
        illegal_argument(name, type);
    if (kWeighted)
        expect_weight(name, arguments[1]);
    const QuantileLevels levels(name, parameters);
    const double scale =
        type->is_decimal() ? power_of_ten(type_as<DecimalType>(type).scale()) : 1;
    AggregateFunctionPtr made;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        made = std::make_shared<QuantileWeighted<T, kRule, kWeighted>>(
                            name, arguments, parameters, levels, type, scale);
                    });
    return made;
}

template <class Out, WeightRule kRule, bool kWeighted>
AggregateFunctionPtr make_as(const std::string& name, const Types& arguments,
                             const Values& parameters)
{
    expect_arguments(name, arguments, kWeighted ? 2 : 1);
    const TypePtr& type = arguments[0];
    const bool dates = kRule == WeightRule::Timing &&
                       (type->is(TypeId::Date) || type->is(TypeId::DateTime));
    if (!type->is_integer() && !type->is_float() && !dates)
        illegal_argument(name, type);
    if (kWeighted)
        expect_weight(name, arguments[1]);
    const QuantileLevels levels(name, parameters);
    const TypeId one = std::is_same_v<Out, float> ? TypeId::Float32 : TypeId::Float64;
    return std::make_shared<QuantileWeighted<Out, kRule, kWeighted>>(
        name, arguments, parameters, levels, simple_type(one), 1);
}

// DDSketch (Masson, Rim and Lee, 2019): buckets of constant relative width.
struct DdState
{
    FlatCounts<uint64_t> positive; // by bucket + kBucketBias
    FlatCounts<uint64_t> negative;
    uint64_t zeros = 0;
};

class QuantileDd final : public OverDoubles<DdState, QuantileDd, 1>
{
public:
    QuantileDd(const std::string& name, const Types& arguments, const Values& parameters,
               const QuantileLevels& levels, double accuracy)
        : OverDoubles(name, arguments, parameters,
                      levels.result_type(simple_type(TypeId::Float64))),
          levels_(levels), accuracy_(accuracy),
          log_gamma_(std::log((1 + accuracy) / (1 - accuracy)))
    {
    }

    void add_numbers(DdState& state, const double* values) const
    {
        const double value = values[0];
        if (std::isnan(value) || std::isinf(value))
            return;
        if (value == 0)
            ++state.zeros;
        else
            (value > 0 ? state.positive : state.negative).add(bucket_of(std::abs(value)), 1);
    }
    void merge(DdState& into, const DdState& from, Arena&) const
    {
        into.zeros += from.zeros;
        from.positive.for_each([&](uint64_t bucket, uint64_t count)
                               { into.positive.add(bucket, count); });
        from.negative.for_each([&](uint64_t bucket, uint64_t count)
                               { into.negative.add(bucket, count); });
    }
    void write(const DdState& from, std::string& out) const
    {
        put_count(out, from.zeros);
        for (const auto* side : {&from.positive, &from.negative})
        {
            put_count(out, side->size());
            side->for_each(
                [&](uint64_t bucket, uint64_t count)
                {
                    put_fixed(out, bucket);
                    put_count(out, count);
                });
        }
    }
    void read(DdState& into, StateReader& in, Arena&) const
    {
        into.zeros = in.count();
        for (auto* side : {&into.positive, &into.negative})
            for (size_t left = in.count_of(sizeof(uint64_t) + 1); left > 0; --left)
            {
                const auto bucket = in.fixed<uint64_t>();
                const uint64_t count = in.count();
                if (count == 0)
                    StateReader::corrupted();
                side->add(bucket, count);
            }
    }
    void result(DdState& from, Column& into, Arena&) const
    {
        RankedValues ranked;
        const auto sorted = [](const FlatCounts<uint64_t>& side)
        {
            std::vector<FlatCounts<uint64_t>::Item> items;
            side.for_each([&](uint64_t bucket, uint64_t count) { items.push_back({bucket, count}); });
            std::sort(items.begin(), items.end(),
                      [](const auto& a, const auto& b) { return a.key < b.key; });
            return items;
        };
        uint64_t end = 0;
        const auto step = [&](double value, uint64_t count)
        { ranked.steps.push_back({value, value, end += count}); };
        const auto negative = sorted(from.negative);
        for (auto at = negative.rbegin(); at != negative.rend(); ++at)
            step(-middle_of(at->key), at->count);
        if (from.zeros)
            step(0, from.zeros);
        for (const auto& item : sorted(from.positive))
            step(middle_of(item.key), item.count);
        levels_.append<double>(
            into,
            [&](double level)
            {
                if (end == 0)
                    return std::numeric_limits<double>::quiet_NaN();
                return ranked.at(static_cast<uint64_t>(level * static_cast<double>(end - 1)));
            });
    }

private:
    static constexpr double kBucketBias = 1ull << 40;

    uint64_t bucket_of(double value) const
    {
        return static_cast<uint64_t>(std::ceil(std::log(value) / log_gamma_) + kBucketBias);
    }
    double middle_of(uint64_t bucket) const
    {
        const double power = static_cast<double>(bucket) - kBucketBias;
        return std::exp((power - 1) * log_gamma_) * (1 + accuracy_);
    }

    QuantileLevels levels_;
    double accuracy_;
    double log_gamma_;
};

AggregateFunctionPtr make_dd(const std::string& name, const Types& arguments,
                             const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    if (!arguments[0]->is_integer() && !arguments[0]->is_float())
        illegal_argument(name, arguments[0]);
    if (parameters.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires relative accuracy as its first "
                                                   "parameter");
    const double accuracy = number_parameter(name, parameters[0]);
    if (!(accuracy > 0 && accuracy < 1))
        throw Error(error_codes::PARAMETER_OUT_OF_BOUND,
                    "Aggregate function " + name + " requires relative accuracy between 0 and 1");
    return std::make_shared<QuantileDd>(name, arguments, parameters,
                                        QuantileLevels(name, parameters, 1), accuracy);
}

} // namespace

void register_quantile_weighted(AggregateRegistry& registry)
{
    register_quantile(registry, "ExactWeighted", make_exact_weighted);
    register_quantile(registry, "InterpolatedWeighted",
                      make_in_place<WeightRule::Interpolated, true>);
    register_quantile(registry, "ExactWeightedInterpolated",
                      make_as<double, WeightRule::Between, true>);
    register_quantile(registry, "TimingWeighted", make_as<float, WeightRule::Timing, true>);
    register_quantile(registry, "TDigestWeighted", make_as<float, WeightRule::Digest, true>);
    register_quantile(registry, "BFloat16", make_as<double, WeightRule::BFloat16, false>);
    register_quantile(registry, "BFloat16Weighted", make_as<double, WeightRule::BFloat16, true>);
    register_quantile(registry, "DD", make_dd);
}

} // namespace basalt
