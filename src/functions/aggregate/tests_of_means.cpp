// studentTTest, welchTTest, meanZTest, mannWhitneyUTest, rankCorr, analysisOfVariance: statistical
// tests over (value, number of the sample). Distributions are Boost's.

#include "functions/aggregate/over_doubles.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
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
using Normal = boost::math::normal_distribution<double, Quiet>;
using Student = boost::math::students_t_distribution<double, Quiet>;
using Fisher = boost::math::fisher_f_distribution<double, Quiet>;

double beyond_normal(double z)
{
    return boost::math::cdf(boost::math::complement(Normal(), z));
}

// A tuple of numbers as the result: the statistic, its p-value and perhaps an interval.
TypePtr result_tuple(const std::string& statistic, bool interval)
{
    std::vector<std::string> names{statistic, "p_value"};
    if (interval)
        names.insert(names.end(), {"confidence_interval_low", "confidence_interval_high"});
    return std::make_shared<TupleType>(Types(names.size(), simple_type(TypeId::Float64)),
                                       std::move(names));
}

void append_tuple(Column& into, std::initializer_list<double> values)
{
    auto& tuple = column_as<TupleColumn>(into);
    size_t i = 0;
    for (const double value : values)
        vector_of<double>(tuple.mutable_element(i++)).push_back(value);
    tuple.set_rows(tuple.element(0)->size());
}

struct Sums
{
    double count = 0;
    double sum = 0;
    double squares = 0;

    void add(double value)
    {
        ++count;
        sum += value;
        squares += value * value;
    }
    void add(const Sums& other)
    {
        count += other.count;
        sum += other.sum;
        squares += other.squares;
    }
    double mean() const { return sum / count; }
    double variance() const { return (squares - sum * mean()) / (count - 1); }
};

struct TwoSamples
{
    Sums x;
    Sums y;
};

enum class MeanTest : uint8_t
{
    Student,
    Welch,
    Z,
};

struct TestParameters
{
    double variance_x = 0; // of the Z test
    double variance_y = 0;
    double confidence = 0; // 0: no interval asked for
};

template <MeanTest kTest>
class OfMeans final : public OverDoubles<TwoSamples, OfMeans<kTest>, 2>
{
public:
    OfMeans(const std::string& name, const Types& arguments, const Values& parameters,
            const TestParameters& test)
        : OverDoubles<TwoSamples, OfMeans, 2>(name, arguments, parameters,
                                              result_tuple(kTest == MeanTest::Z ? "z_statistic" : "t_statistic",
                                                           test.confidence > 0)),
          test_(test)
    {
    }
    void add_numbers(TwoSamples& state, const double* values) const
    {
        (values[1] != 0 ? state.y : state.x).add(values[0]);
    }
    void merge(TwoSamples& into, const TwoSamples& from, Arena&) const
    {
        into.x.add(from.x);
        into.y.add(from.y);
    }
    void write(const TwoSamples& from, std::string& out) const { put_fixed(out, from); }
    void read(TwoSamples& into, StateReader& in, Arena&) const { into = in.fixed<TwoSamples>(); }
    void result(TwoSamples& from, Column& into, Arena&) const
    {
        const Sums& x = from.x;
        const Sums& y = from.y;
        const double difference = x.mean() - y.mean();
        double error = NAN;
        double freedom = NAN;
        const bool enough = kTest == MeanTest::Z ? x.count > 0 && y.count > 0
                                                 : x.count > 1 && y.count > 1;
        if (enough && kTest == MeanTest::Z)
            error = std::sqrt(test_.variance_x / x.count + test_.variance_y / y.count);
        else if (enough && kTest == MeanTest::Student)
        {
            freedom = x.count + y.count - 2;
            const double pooled =
                (x.variance() * (x.count - 1) + y.variance() * (y.count - 1)) / freedom;
            error = std::sqrt(pooled * (1 / x.count + 1 / y.count));
        }
        else if (enough)
        {
            const double of_x = x.variance() / x.count;
            const double of_y = y.variance() / y.count;
            error = std::sqrt(of_x + of_y);
            freedom = (of_x + of_y) * (of_x + of_y) /
                      (of_x * of_x / (x.count - 1) + of_y * of_y / (y.count - 1));
        }
        const double statistic = difference / error;
        double p = NAN;
        double reach = NAN;
        if (std::isfinite(statistic) && kTest == MeanTest::Z)
        {
            p = 2 * beyond_normal(std::fabs(statistic));
            if (test_.confidence > 0)
                reach = error * boost::math::quantile(boost::math::complement(
                                    Normal(),
                                    (1 - test_.confidence) / 2));
        }
        else if (std::isfinite(statistic) && freedom > 0)
        {
            const Student student(freedom);
            p = 2 * boost::math::cdf(student, -std::fabs(statistic));
            // ClickHouse's interval has the error of unequal variances in both tests.
            const double apart =
                std::sqrt(x.variance() / x.count + y.variance() / y.count);
            if (test_.confidence > 0)
                reach = apart * boost::math::quantile(boost::math::complement(
                                    student, (1 - test_.confidence) / 2));
        }
        if (!std::isnan(p))
            p = std::min(1.0, std::max(0.0, p));
        if (test_.confidence > 0)
            append_tuple(into, {statistic, p, difference - reach, difference + reach});
        else
            append_tuple(into, {statistic, p});
    }

private:
    TestParameters test_;
};

double confidence_of(const std::string& name, const Value& value)
{
    const double level = number_parameter(name, value);
    if (!(level > 0 && level < 1))
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Confidence level of aggregate function " + name + " must be between 0 and 1");
    return level;
}

template <MeanTest kTest>
AggregateFunctionPtr make_means(const std::string& name, const Types& arguments,
                                const Values& parameters)
{
    expect_numbers(name, arguments, 2, true, false);
    TestParameters test;
    if (kTest == MeanTest::Z)
    {
        if (parameters.size() != 3)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Aggregate function " + name + " requires three parameters.");
        test.variance_x = number_parameter(name, parameters[0]);
        test.variance_y = number_parameter(name, parameters[1]);
        test.confidence = confidence_of(name, parameters[2]);
        if (!(test.variance_x >= 0 && test.variance_y >= 0))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Population variance parameters of aggregate function " + name +
                            " must be larger than or equal to 0");
    }
    else if (parameters.size() > 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires zero or one parameter.");
    else if (parameters.size() == 1)
        test.confidence = confidence_of(name, parameters[0]);
    return std::make_shared<OfMeans<kTest>>(name, arguments, parameters, test);
}

struct SampleValues
{
    std::vector<double> x;
    std::vector<double> y;
};

// Ranks from 1; equal values share the mean of their ranks. Gives the sum of t^3 - t over the
// sizes t of the ties.
double rank(const std::vector<double>& values, std::vector<double>& ranks)
{
    std::vector<size_t> order(values.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return values[a] < values[b]; });
    ranks.resize(values.size());
    double ties = 0;
    for (size_t i = 0; i < order.size();)
    {
        size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]])
            ++end;
        const auto tied = static_cast<double>(end - i);
        const double shared = (static_cast<double>(i) + static_cast<double>(end) + 1) / 2;
        for (; i < end; ++i)
            ranks[order[i]] = shared;
        ties += tied * tied * tied - tied;
    }
    return ties;
}

enum class RankKind : uint8_t
{
    MannWhitney,
    Spearman,
};

enum class Alternative : uint8_t
{
    TwoSided,
    Less,
    Greater,
};

template <RankKind kKind>
class OfRanks final : public OverDoubles<SampleValues, OfRanks<kKind>, 2>
{
public:
    OfRanks(const std::string& name, const Types& arguments, const Values& parameters,
            Alternative alternative, bool continuity)
        : OverDoubles<SampleValues, OfRanks, 2>(name, arguments, parameters,
                                                kKind == RankKind::Spearman
                                                    ? simple_type(TypeId::Float64)
                                                    : result_tuple("u_statistic", false)),
          alternative_(alternative), continuity_(continuity)
    {
    }
    void add_numbers(SampleValues& state, const double* values) const
    {
        // What has no rank is left out.
        if (std::isnan(values[0]) || std::isnan(values[1]))
            return;
        if (kKind == RankKind::Spearman)
        {
            state.x.push_back(values[0]);
            state.y.push_back(values[1]);
        }
        else
            (values[1] != 0 ? state.y : state.x).push_back(values[0]);
    }
    void merge(SampleValues& into, const SampleValues& from, Arena&) const
    {
        into.x.insert(into.x.end(), from.x.begin(), from.x.end());
        into.y.insert(into.y.end(), from.y.begin(), from.y.end());
    }
    void write(const SampleValues& from, std::string& out) const
    {
        for (const auto* side : {&from.x, &from.y})
        {
            put_count(out, side->size());
            for (const double value : *side)
                put_fixed(out, value);
        }
    }
    void read(SampleValues& into, StateReader& in, Arena&) const
    {
        for (auto* side : {&into.x, &into.y})
        {
            side->clear();
            for (size_t left = in.count_of(sizeof(double)); left > 0; --left)
            {
                side->push_back(in.fixed<double>());
                if (std::isnan(side->back()))
                    StateReader::corrupted();
            }
        }
        if (kKind == RankKind::Spearman && into.x.size() != into.y.size())
            StateReader::corrupted();
    }
    void result(SampleValues& from, Column& into, Arena&) const
    {
        if (kKind == RankKind::Spearman)
            vector_of<double>(into).push_back(spearman(from));
        else
            mann_whitney(from, into);
    }

private:
    static double spearman(const SampleValues& from)
    {
        const auto n = static_cast<double>(from.x.size());
        if (n < 2)
            return NAN;
        std::vector<double> x;
        std::vector<double> y;
        rank(from.x, x);
        rank(from.y, y);
        double squares = 0;
        for (size_t i = 0; i < x.size(); ++i)
            squares += (x[i] - y[i]) * (x[i] - y[i]);
        return 1 - 6 * squares / (n * (n * n - 1));
    }

    void mann_whitney(const SampleValues& from, Column& into) const
    {
        const auto n1 = static_cast<double>(from.x.size());
        const auto n2 = static_cast<double>(from.y.size());
        std::vector<double> both = from.x;
        both.insert(both.end(), from.y.begin(), from.y.end());
        std::vector<double> ranks;
        const double ties = rank(both, ranks);
        const double n = n1 + n2;
        const double tie_correction = 1 - ties / (n * n * n - n);
        double rank_sum = 0;
        for (size_t i = 0; i < from.x.size(); ++i)
            rank_sum += ranks[i];
        const double u1 = n1 * n2 + n1 * (n1 + 1) / 2 - rank_sum;
        const double u2 = n1 * n2 - u1;
        const double middle = n1 * n2 / 2 + (continuity_ ? 0.5 : 0);
        const double spread = std::sqrt(tie_correction * n1 * n2 * (n + 1) / 12.0);
        const double u = alternative_ == Alternative::Greater ? u2
                         : alternative_ == Alternative::Less  ? u1
                                                              : std::max(u1, u2);
        double z = (u - middle) / spread;
        if (alternative_ == Alternative::TwoSided)
            z = std::fabs(z);
        double p = NAN;
        if (std::isfinite(z))
            p = alternative_ == Alternative::TwoSided ? 2 * beyond_normal(z) : beyond_normal(z);
        append_tuple(into, {u2, p});
    }

    Alternative alternative_;
    bool continuity_;
};

AggregateFunctionPtr make_mann_whitney(const std::string& name, const Types& arguments,
                                       const Values& parameters)
{
    expect_numbers(name, arguments, 2, false, false);
    if (parameters.size() > 2)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " require two parameter or less");
    Alternative alternative = Alternative::TwoSided;
    if (!parameters.empty())
    {
        const auto* text = parameters[0].get_if<std::string>();
        if (!text)
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Aggregate function " + name +
                            " require first parameter to be a String");
        if (*text == "less")
            alternative = Alternative::Less;
        else if (*text == "greater")
            alternative = Alternative::Greater;
        else if (*text != "two-sided")
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Unknown parameter in aggregate function " + name +
                            ". It must be one of: 'two-sided', 'less', 'greater'");
    }
    const bool continuity =
        parameters.size() < 2 || unsigned_parameter(name, parameters[1]) != 0;
    return std::make_shared<OfRanks<RankKind::MannWhitney>>(name, arguments, parameters,
                                                            alternative, continuity);
}

AggregateFunctionPtr make_spearman(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 2, false, false);
    return std::make_shared<OfRanks<RankKind::Spearman>>(name, arguments, parameters,
                                                         Alternative::TwoSided, false);
}

// Most groups of analysisOfVariance.
constexpr uint64_t kMaxVarianceGroups = 1 << 16;

struct GroupSums
{
    std::vector<Sums> groups;
};

class Variance final : public OverDoubles<GroupSums, Variance, 2>
{
public:
    using OverDoubles::OverDoubles;

    void add_numbers(GroupSums& state, const double* values) const
    {
        if (!(values[1] >= 0 && values[1] < static_cast<double>(kMaxVarianceGroups)))
            throw Error(error_codes::BAD_ARGUMENTS,
                        "The number of a group of analysisOfVariance must be below " +
                            std::to_string(kMaxVarianceGroups));
        const auto group = static_cast<size_t>(values[1]);
        if (group >= state.groups.size())
            state.groups.resize(group + 1);
        state.groups[group].add(values[0]);
    }
    void merge(GroupSums& into, const GroupSums& from, Arena&) const
    {
        if (from.groups.size() > into.groups.size())
            into.groups.resize(from.groups.size());
        for (size_t i = 0; i < from.groups.size(); ++i)
            into.groups[i].add(from.groups[i]);
    }
    void write(const GroupSums& from, std::string& out) const
    {
        put_count(out, from.groups.size());
        for (const Sums& group : from.groups)
            put_fixed(out, group);
    }
    void read(GroupSums& into, StateReader& in, Arena&) const
    {
        into.groups.clear();
        const size_t count = in.count_of(sizeof(Sums));
        if (count > kMaxVarianceGroups)
            StateReader::corrupted();
        for (size_t i = 0; i < count; ++i)
            into.groups.push_back(in.fixed<Sums>());
    }
    void result(GroupSums& from, Column& into, Arena&) const
    {
        double all = 0;
        double sum = 0;
        for (const Sums& group : from.groups)
        {
            all += group.count;
            sum += group.sum;
        }
        double between = 0;
        double within = 0;
        for (const Sums& group : from.groups)
        {
            if (group.count == 0)
                continue;
            const double apart = group.mean() - sum / all;
            between += apart * apart * group.count;
            within += group.squares - group.mean() * group.sum;
        }
        const auto groups = static_cast<double>(from.groups.size());
        const double freedom_between = groups - 1;
        const double freedom_within = all - groups;
        const double f = (between * freedom_within) / (within * freedom_between);
        double p = NAN;
        if (std::isfinite(f) && freedom_between > 0 && freedom_within > 0)
            p = boost::math::cdf(boost::math::complement(
                Fisher(freedom_between, freedom_within), f));
        append_tuple(into, {f, p});
    }
};

AggregateFunctionPtr make_variance(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 2);
    if (!arguments[0]->is_number())
        illegal_argument(name, arguments[0]);
    if (!arguments[1]->is_unsigned())
        illegal_argument(name, arguments[1]);
    return std::make_shared<Variance>(name, arguments, parameters,
                                      result_tuple("f_statistic", false));
}

} // namespace

void register_tests_of_means(AggregateRegistry& registry)
{
    registry.add("studentTTest", make_means<MeanTest::Student>);
    registry.add("welchTTest", make_means<MeanTest::Welch>);
    registry.add("meanZTest", make_means<MeanTest::Z>);
    registry.add("mannWhitneyUTest", make_mann_whitney);
    registry.add("rankCorr", make_spearman);
    registry.add("analysisOfVariance", make_variance, {.case_insensitive = false});
    registry.add_alias("anova", "analysisOfVariance", true);
}

} // namespace basalt
