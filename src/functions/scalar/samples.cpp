// minSampleSizeConversion, minSampleSizeContinuous, proportionsZTest: numbers of A/B tests.

#include "functions/scalar/column_rows.h"

#include <boost/math/distributions/normal.hpp>
#include <fmt/core.h>

#include <cmath>

namespace basalt
{
namespace
{

// Nothing is thrown: what cannot be computed is NaN.
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;
const boost::math::normal_distribution<double, Quiet> kNormal;

double normal_quantile(double level)
{
    return boost::math::quantile(kNormal, level);
}

TypePtr named_doubles(std::vector<std::string> names)
{
    Types types(names.size(), simple_type(TypeId::Float64));
    return std::make_shared<TupleType>(std::move(types), std::move(names));
}

TypePtr size_type(const TypeCall&)
{
    return named_doubles(
        {"minimum_sample_size", "detect_range_lower", "detect_range_upper"});
}

// A tuple column of f(row, out), which fills `out`.
template <size_t kSize, class F> ColumnPtr map_tuples(size_t rows, F&& f)
{
    std::vector<std::shared_ptr<VectorColumn<double>>> columns;
    for (size_t k = 0; k < kSize; ++k)
        columns.push_back(std::make_shared<VectorColumn<double>>(rows));
    double out[kSize];
    for (size_t i = 0; i < rows; ++i)
    {
        f(i, out);
        for (size_t k = 0; k < kSize; ++k)
            columns[k]->data()[i] = out[k];
    }
    return TupleColumn::make(Columns(columns.begin(), columns.end()), rows);
}

void fill_nan(double* out, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        out[k] = NAN;
}

ColumnPtr run_conversion(const Call& call)
{
    const DoubleRows baselines(call[0]);
    const DoubleRows effects(call[1]);
    const DoubleRows powers(call[2]);
    const DoubleRows alphas(call[3]);
    return map_tuples<3>(
        call.rows,
        [&](size_t i, double* out)
        {
            const double p1 = baselines[i];
            const double p2 = p1 + effects[i];
            if (!(p1 > 0 && p1 < 1 && p2 > 0 && p2 < 1 && powers[i] > 0 && powers[i] < 1 &&
                  alphas[i] > 0 && alphas[i] < 1 && effects[i] != 0))
                return fill_nan(out, 3);
            const double q1 = 1 - p1;
            const double q2 = 1 - p2;
            const double mean = (p1 + p2) / 2;
            const double root = normal_quantile(1 - alphas[i] / 2) *
                                    std::sqrt(2 * mean * (1 - mean)) +
                                normal_quantile(powers[i]) * std::sqrt(p1 * q1 + p2 * q2);
            out[0] = root * root / (effects[i] * effects[i]);
            out[1] = p1 - effects[i];
            out[2] = p1 + effects[i];
        });
}

ColumnPtr run_continuous(const Call& call)
{
    const DoubleRows baselines(call[0]);
    const DoubleRows deviations(call[1]);
    const DoubleRows effects(call[2]);
    const DoubleRows powers(call[3]);
    const DoubleRows alphas(call[4]);
    return map_tuples<3>(
        call.rows,
        [&](size_t i, double* out)
        {
            const double delta = baselines[i] * effects[i];
            if (!(deviations[i] > 0 && powers[i] > 0 && powers[i] < 1 && alphas[i] > 0 &&
                  alphas[i] < 1 && delta != 0))
                return fill_nan(out, 3);
            const double sum =
                normal_quantile(1 - alphas[i] / 2) + normal_quantile(powers[i]);
            const double ratio = sum * deviations[i] / delta;
            out[0] = 2 * (ratio * ratio);
            out[1] = baselines[i] * (1 - effects[i]);
            out[2] = baselines[i] * (1 + effects[i]);
        });
}

TypePtr z_type(const TypeCall& call)
{
    const std::string kind = constant_text(call.name, call.arguments, 5);
    if (kind != "pooled" && kind != "unpooled")
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("The sixth argument of function {} must be 'pooled' or "
                                "'unpooled', not '{}'",
                                call.name, kind));
    return named_doubles(
        {"z_statistic", "p_value", "confidence_interval_low", "confidence_interval_high"});
}

// successes x, successes y, trials x, trials y, confidence level, kind of variance
ColumnPtr run_z(const Call& call)
{
    const DoubleRows successes_x(call[0]);
    const DoubleRows successes_y(call[1]);
    const DoubleRows trials_x(call[2]);
    const DoubleRows trials_y(call[3]);
    const DoubleRows levels(call[4]);
    const bool pooled = constant_text(call.name, call.arguments, 5) == "pooled";
    return map_tuples<4>(
        call.rows,
        [&](size_t i, double* out)
        {
            const double level = levels[i];
            if (!(level > 0 && level < 1) || trials_x[i] == 0 || trials_y[i] == 0)
                return fill_nan(out, 4);
            const double x = successes_x[i] / trials_x[i];
            const double y = successes_y[i] / trials_y[i];
            const double apart = x - y;
            const double unpooled_error =
                std::sqrt(x * (1 - x) / trials_x[i] + y * (1 - y) / trials_y[i]);
            double error = unpooled_error;
            if (pooled)
            {
                const double mean =
                    (successes_x[i] + successes_y[i]) / (trials_x[i] + trials_y[i]);
                error = std::sqrt(mean * (1 - mean) * (1 / trials_x[i] + 1 / trials_y[i]));
            }
            const double z = apart / error;
            if (!std::isfinite(z))
                return fill_nan(out, 4);
            const double reach =
                normal_quantile(1 - (1 - level) / 2) * unpooled_error;
            out[0] = z;
            out[1] = 2 * boost::math::cdf(boost::math::complement(kNormal, std::fabs(z)));
            out[2] = apart - reach;
            out[3] = apart + reach;
        });
}

constexpr FunctionSpec kConversion{"minSampleSizeConversion", "n n n n", size_type,
                                   run_conversion};
constexpr FunctionSpec kContinuous{"minSampleSizeContinuous", "n n n n n", size_type,
                                   run_continuous, 0, "minSampleSizeContinous"};
constexpr FunctionSpec kProportions{"proportionsZTest", "i i i i f s!", z_type, run_z};

} // namespace

void register_samples(ScalarRegistry& registry)
{
    add_all<kConversion, kContinuous, kProportions>(registry);
}

} // namespace basalt
