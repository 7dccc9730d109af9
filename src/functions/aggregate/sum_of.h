#pragma once

// Sums of vectors. Floats in eight lanes, so that the compiler can use vector registers.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/grouped.h"

#include <cmath>

namespace basalt
{

inline constexpr size_t kSumLanes = 8;

// What sums of T are kept in: 64 bits, or the type itself when it is wider.
template <class T>
using WideSum = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<(sizeof(T) > 8), T,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

// A sum in a state.
template <class R> struct Total
{
    R sum = R(0);

    void add(R value) { sum += value; }
    void merge(const Total& other) { sum += other.sum; }
    R value() const { return sum; }
};

// Sums of blocks come in any order, so what rounding takes away is kept beside the sum (Knuth's
// two-sum): about 100 bits, of which the order touches the last ones only.
template <> struct Total<double>
{
    double sum = 0;
    double rest = 0;

    void add(double value)
    {
        const double next = sum + value;
        const double added = next - sum;
        rest += (sum - (next - added)) + (value - added);
        sum = next;
    }
    void merge(const Total& other)
    {
        add(other.sum);
        rest += other.rest;
    }
    double value() const { return std::isfinite(sum) ? sum + rest : sum; }
};

template <class R, class T> inline R sum_of(const T* from, size_t count)
{
    R sum = R(0);
    size_t i = 0;
    if constexpr (std::is_floating_point_v<R>)
    {
        R lanes[kSumLanes] = {};
        for (; i + kSumLanes <= count; i += kSumLanes)
            for (size_t lane = 0; lane < kSumLanes; ++lane)
                lanes[lane] += static_cast<R>(from[i + lane]);
        for (const R lane : lanes)
            sum += lane;
    }
    for (; i < count; ++i)
        sum += static_cast<R>(from[i]);
    return sum;
}

template <class R, class T>
inline R sum_of_masked(const T* from, const uint8_t* mask, size_t count)
{
    R sum = R(0);
    if constexpr (std::is_integral_v<R>)
        for (size_t i = 0; i < count; ++i)
            sum += mask[i] ? static_cast<R>(from[i]) : R(0);
    else if constexpr (std::is_floating_point_v<R>)
    {
        R lanes[kSumLanes] = {};
        size_t i = 0;
        for (; i + kSumLanes <= count; i += kSumLanes)
            for (size_t lane = 0; lane < kSumLanes; ++lane)
                lanes[lane] += mask[i + lane] ? static_cast<R>(from[i + lane]) : R(0);
        for (const R lane : lanes)
            sum += lane;
        for (; i < count; ++i)
            sum += mask[i] ? static_cast<R>(from[i]) : R(0);
    }
    else
        for (size_t i = 0; i < count; ++i)
            if (mask[i])
                sum += static_cast<R>(from[i]);
    return sum;
}

} // namespace basalt
