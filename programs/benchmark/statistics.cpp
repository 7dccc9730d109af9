#include "programs/benchmark/statistics.h"

#include <algorithm>
#include <cmath>

namespace basalt::benchmark
{

void Latencies::add(double seconds)
{
    ++count_;
    sum_ += seconds;
    const double delta = seconds - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (seconds - mean_);
    if (samples_.size() < kMaxSamples)
        samples_.push_back(seconds);
    else
    {
        const uint64_t at = std::uniform_int_distribution<uint64_t>(0, count_ - 1)(random_);
        if (at >= kMaxSamples)
            return;
        samples_[at] = seconds;
    }
    sorted_ = false;
}

void Latencies::clear()
{
    samples_.clear();
    count_ = 0;
    sum_ = mean_ = squares_ = 0;
    sorted_ = true;
}

double Latencies::variance() const
{
    return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
}

double Latencies::percentile(double level) const
{
    if (samples_.empty())
        return 0;
    if (!sorted_)
        std::sort(samples_.begin(), samples_.end());
    sorted_ = true;
    const double at = level / 100 * static_cast<double>(samples_.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, samples_.size() - 1);
    const double share = at - static_cast<double>(below);
    return samples_[below] + (samples_[above] - samples_[below]) * share;
}

namespace
{

// The regularised incomplete beta function, by its continued fraction (Lentz).
double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - incomplete_beta(b, a, 1 - x);
    constexpr double kTiny = 1e-300, kPrecision = 1e-13;
    constexpr int kMaxSteps = 10000;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                  a * std::log(x) + b * std::log1p(-x)) /
                         a;
    double c = 1, d = 1 / std::max(std::abs(1 - (a + b) * x / (a + 1)), kTiny);
    double value = d;
    for (int m = 1; m < kMaxSteps; ++m)
    {
        double step = 1;
        for (const bool odd : {false, true})
        {
            const double term =
                odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                    : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (std::abs(d) < kTiny ? kTiny : d);
            c = std::abs(c) < kTiny ? kTiny : c;
            step = c * d;
            value *= step;
        }
        if (std::abs(step - 1) < kPrecision)
            break;
    }
    return front * value;
}

} // namespace

double student_critical_value(double confidence, double degrees_of_freedom)
{
    const auto outside = [&](double t)
    {
        return incomplete_beta(degrees_of_freedom / 2, 0.5,
                               degrees_of_freedom / (degrees_of_freedom + t * t));
    };
    double low = 0, high = 1;
    while (outside(high) > 1 - confidence && high < 1e9)
        high *= 2;
    constexpr int kHalvings = 100;
    for (int i = 0; i < kHalvings; ++i)
    {
        const double middle = (low + high) / 2;
        (outside(middle) > 1 - confidence ? low : high) = middle;
    }
    return high;
}

Comparison compare(const Latencies& left, const Latencies& right, double confidence)
{
    Comparison result;
    if (left.count() < 2 || right.count() < 2)
        return result;
    const auto n = static_cast<double>(left.count()), m = static_cast<double>(right.count());
    const double freedom = n + m - 2;
    const double pooled = ((n - 1) * left.variance() + (m - 1) * right.variance()) / freedom;
    result.difference_s = left.mean() - right.mean();
    result.margin_s =
        student_critical_value(confidence, freedom) * std::sqrt(pooled * (1 / n + 1 / m));
    result.proven = std::abs(result.difference_s) > result.margin_s;
    return result;
}

} // namespace basalt::benchmark
