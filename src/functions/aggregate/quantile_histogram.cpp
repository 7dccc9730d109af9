// quantilePrometheusHistogram(level)(upper bound, cumulative count): by line within the bucket, as
// PromQL's histogram_quantile.

#include "functions/aggregate/over_doubles.h"
#include "functions/aggregate/quantile_levels.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace basalt
{

namespace
{

struct Buckets
{
    std::map<double, double> counts; // by upper bound
};

class PrometheusHistogram final : public OverDoubles<Buckets, PrometheusHistogram, 2>
{
public:
    PrometheusHistogram(const std::string& name, const Types& arguments, const Values& parameters,
                        const QuantileLevels& levels)
        : OverDoubles(name, arguments, parameters,
                      levels.result_type(simple_type(TypeId::Float64))),
          levels_(levels)
    {
    }
    void add_numbers(Buckets& state, const double* values) const
    {
        if (!std::isnan(values[0]))
            state.counts[values[0]] += values[1];
    }
    void merge(Buckets& into, const Buckets& from, Arena&) const
    {
        for (const auto& [bound, count] : from.counts)
            into.counts[bound] += count;
    }
    void write(const Buckets& from, std::string& out) const
    {
        put_count(out, from.counts.size());
        for (const auto& [bound, count] : from.counts)
        {
            put_fixed(out, bound);
            put_fixed(out, count);
        }
    }
    void read(Buckets& into, StateReader& in, Arena&) const
    {
        into.counts.clear();
        for (size_t left = in.count_of(2 * sizeof(double)); left > 0; --left)
        {
            const auto bound = in.fixed<double>();
            const auto count = in.fixed<double>();
            if (std::isnan(bound))
                StateReader::corrupted();
            into.counts[bound] += count;
        }
    }
    void result(Buckets& from, Column& into, Arena&) const
    {
        levels_.append<double>(into, [&](double level) { return value_at(from, level); });
    }

private:
    static double value_at(const Buckets& state, double level)
    {
        // Without a bucket of everything the total is unknown.
        if (state.counts.size() < 2 || !std::isinf(state.counts.rbegin()->first))
            return NAN;
        const double total = state.counts.rbegin()->second;
        if (total == 0)
            return NAN;
        const double rank = level * total;
        double before_bound = 0;
        double before_count = 0;
        bool first = true;
        for (const auto& [bound, count] : state.counts)
        {
            if (count >= rank)
            {
                if (std::isinf(bound))
                    return before_bound;
                if (first && bound <= 0)
                    return bound;
                return before_bound +
                       (bound - before_bound) * (rank - before_count) / (count - before_count);
            }
            before_bound = bound;
            before_count = count;
            first = false;
        }
        return before_bound;
    }

    QuantileLevels levels_;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    if (!arguments[0]->is_float())
        illegal_argument(name, arguments[0]);
    if (!arguments[1]->is_unsigned() && !arguments[1]->is_float())
        illegal_argument(name, arguments[1]);
    return std::make_shared<PrometheusHistogram>(name, arguments, parameters,
                                                 QuantileLevels(name, parameters));
}

} // namespace

void register_quantile_histogram(AggregateRegistry& registry)
{
    register_quantile(registry, "PrometheusHistogram", make);
}

} // namespace basalt
