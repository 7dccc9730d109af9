#pragma once

// Loops over rows that belong to few groups: sums, counts and extremes are kept in an array and
// given to the states once per block. An addition waits for the one before it to the same place, so
// that rows take turns between several arrays when groups have many rows.

#include "base/pod_vector.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

namespace basalt
{

inline constexpr size_t kMostLanedGroups = 1024; // lanes of more do not stay in the first cache
inline constexpr size_t kMostWidelyLanedGroups = 128;

// Whether rows should take turns. Otherwise values of a group are added one after another.
inline bool use_lanes(size_t rows, size_t groups)
{
    return groups <= kMostLanedGroups && rows >= 64 * groups;
}

template <class R> struct SumAndCount
{
    R sum;
    uint64_t count;
};

template <size_t kLanes, bool kCount, class R, class T>
void sum_in_lanes(std::span<const uint16_t> codes, const T* from, size_t groups, PodVector<R>& sums,
                  PodVector<uint64_t>& counts)
{
    using Place = SumAndCount<R>;
    thread_local PodVector<Place> lanes;
    lanes.assign(groups * kLanes, Place{R(0), 0});
    Place* places = lanes.data();
    const uint16_t* code = codes.data();
    const size_t rows = codes.size();
    const auto add = [&](size_t i, size_t lane)
    {
        Place& place = places[code[i] * kLanes + lane];
        place.sum += static_cast<R>(from[i]);
        if (kCount)
            ++place.count;
    };
    size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane)
            add(i + lane, lane);
    for (; i < rows; ++i)
        add(i, 0);
    for (size_t g = 0; g < groups; ++g)
        for (size_t lane = 0; lane < kLanes; ++lane)
        {
            sums[g] += places[g * kLanes + lane].sum;
            if (kCount)
                counts[g] += places[g * kLanes + lane].count;
        }
}

// sums[g] and, when wanted, counts[g] of the rows whose code is g. Floats of a group are added in
// the order of rows, or in that of lanes: it depends on the block alone.
template <class R, class T, bool kCount>
void sum_grouped(std::span<const uint16_t> codes, const T* from, size_t groups, PodVector<R>& sums,
                 PodVector<uint64_t>& counts)
{
    const size_t rows = codes.size();
    sums.assign(groups, R(0));
    if (kCount)
        counts.assign(groups, 0);
    if (!use_lanes(rows, groups))
        for (size_t i = 0; i < rows; ++i)
        {
            sums[codes[i]] += static_cast<R>(from[i]);
            if (kCount)
                ++counts[codes[i]];
        }
    else if (groups <= kMostWidelyLanedGroups && !std::is_same_v<T, double>) // they round at each lane
        sum_in_lanes<8, kCount>(codes, from, groups, sums, counts);
    else
        sum_in_lanes<4, kCount>(codes, from, groups, sums, counts);
}

template <size_t kLanes>
void count_in_lanes(const uint16_t* code, size_t rows, size_t groups, PodVector<uint64_t>& counts)
{
    thread_local PodVector<uint32_t> lanes;
    for (size_t i = 0; i < rows;)
    {
        // So many that no 32-bit count overflows.
        const size_t end = i + std::min(rows - i, size_t{1} << 30);
        lanes.assign(groups * kLanes, 0);
        uint32_t* places = lanes.data();
        for (; i + kLanes <= end; i += kLanes)
            for (size_t lane = 0; lane < kLanes; ++lane)
                ++places[code[i + lane] * kLanes + lane];
        for (; i < end; ++i)
            ++places[code[i] * kLanes];
        for (size_t g = 0; g < groups; ++g)
            for (size_t lane = 0; lane < kLanes; ++lane)
                counts[g] += places[g * kLanes + lane];
    }
}

// The number of rows of each group.
inline void count_grouped(std::span<const uint16_t> codes, size_t groups,
                          PodVector<uint64_t>& counts)
{
    const size_t rows = codes.size();
    counts.assign(groups, 0);
    if (!use_lanes(rows, groups))
        for (const uint16_t code : codes)
            ++counts[code];
    else if (groups <= kMostWidelyLanedGroups)
        count_in_lanes<8>(codes.data(), rows, groups, counts);
    else
        count_in_lanes<4>(codes.data(), rows, groups, counts);
}

// The least or greatest value of each group; NaN only where a group has nothing else. `best` begins
// with a value of each group.
template <bool kMax, class T>
void extremes_grouped(std::span<const uint16_t> codes, const T* from, PodVector<T>& best)
{
    T* out = best.data();
    const size_t rows = codes.size();
    const auto take_row = [&](size_t i)
    {
        const T value = from[i];
        T& held = out[codes[i]];
        bool better = kMax ? held < value : value < held;
        if constexpr (std::is_floating_point_v<T>)
            better |= std::isnan(held);
        if (better)
            held = value;
    };
    size_t i = 0;
    if constexpr (std::is_arithmetic_v<T>)
    {
        // Most rows are no extreme once the first ones were seen: a stretch in which no value is
        // beyond the nearest of what the groups hold changes nothing.
        constexpr size_t kStretch = 32;
        const size_t groups = best.size();
        const auto nearest = [&]
        {
            T value = out[0];
            for (size_t g = 1; g < groups; ++g)
                value = kMax ? std::min(value, out[g]) : std::max(value, out[g]);
            return value;
        };
        bool worth_it = groups > 0 && rows >= 64 * groups;
        if constexpr (std::is_floating_point_v<T>)
            for (size_t g = 0; g < groups; ++g)
                worth_it &= !std::isnan(out[g]);
        T limit = worth_it ? nearest() : T(0);
        size_t passed = 0, looked_at = 0;
        for (; worth_it && i + kStretch <= rows; i += kStretch)
        {
            bool beyond = false;
            for (size_t k = 0; k < kStretch; ++k)
                beyond |= kMax ? limit < from[i + k] : from[i + k] < limit;
            ++passed;
            if (!beyond)
                continue;
            for (size_t k = i; k < i + kStretch; ++k)
                take_row(k);
            limit = nearest();
            worth_it = ++looked_at * 2 < passed + 64;
        }
    }
    for (; i < rows; ++i)
        take_row(i);
}

} // namespace basalt
