#pragma once

// What queries took, and whether two servers differ. Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace basalt::benchmark
{

// Latencies kept for percentiles; of more, a uniform sample of this size.
inline constexpr size_t kMaxSamples = 1 << 20;

class Latencies
{
public:
    void add(double seconds);
    void clear();
    uint64_t count() const { return count_; }
    double sum() const { return sum_; }
    double mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }
    double variance() const; // of the sample; 0 for fewer than two
    // level: 0 to 100. Between two samples the value is interpolated.
    double percentile(double level) const;

private:
    mutable std::vector<double> samples_;
    mutable bool sorted_ = true;
    uint64_t count_ = 0;
    double sum_ = 0;
    double mean_ = 0, squares_ = 0; // Welford's
    std::minstd_rand random_;
};

// Student's t that the distribution exceeds on both sides together with probability
// 1 - confidence.
double student_critical_value(double confidence, double degrees_of_freedom);

struct Comparison
{
    bool proven = false;         // the means differ
    double difference_s = 0;     // between the means
    double margin_s = 0;         // half of the interval of confidence around it
};
// Two-sample test with pooled variance. Needs at least two samples of each.
Comparison compare(const Latencies& left, const Latencies& right, double confidence);

} // namespace basalt::benchmark
