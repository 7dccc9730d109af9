#pragma once

// Loops over rows that belong to few groups: sums, counts and extremes are kept in an array and
// given to the states once per block. An addition waits for the one before it to the same place, so
// that rows take turns between several arrays when groups have many rows.

#include "base/pod_vector.h"

#include <cmath>
#include <span>
#include <type_traits>

namespace basalt
{

inline constexpr size_t kGroupLanes = 4;
inline constexpr size_t kMostLanedGroups = 1024; // lanes of more do not stay in the first cache

// Whether rows should take turns. Otherwise values of a group are added one after another.
inline bool use_lanes(size_t rows, size_t groups)
{
    return groups <= kMostLanedGroups && rows >= 64 * groups;
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
    struct Place
    {
        R sum;
        uint64_t count;
    };
    if (!use_lanes(rows, groups))
    {
        for (size_t i = 0; i < rows; ++i)
        {
            sums[codes[i]] += static_cast<R>(from[i]);
            if (kCount)
                ++counts[codes[i]];
        }
        return;
    }
    thread_local PodVector<Place> lanes;
    lanes.assign(groups * kGroupLanes, Place{R(0), 0});
    Place* places = lanes.data();
    const uint16_t* code = codes.data();
    size_t i = 0;
    for (; i + kGroupLanes <= rows; i += kGroupLanes)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
        {
            Place& place = places[code[i + lane] * kGroupLanes + lane];
            place.sum += static_cast<R>(from[i + lane]);
            if (kCount)
                ++place.count;
        }
    for (; i < rows; ++i)
    {
        places[code[i] * kGroupLanes].sum += static_cast<R>(from[i]);
        if (kCount)
            ++places[code[i] * kGroupLanes].count;
    }
    for (size_t g = 0; g < groups; ++g)
        for (size_t lane = 0; lane < kGroupLanes; ++lane)
        {
            sums[g] += places[g * kGroupLanes + lane].sum;
            if (kCount)
                counts[g] += places[g * kGroupLanes + lane].count;
        }
}

// The number of rows of each group.
inline void count_grouped(std::span<const uint16_t> codes, size_t groups,
                          PodVector<uint64_t>& counts)
{
    const size_t rows = codes.size();
    counts.assign(groups, 0);
    const uint16_t* code = codes.data();
    size_t i = 0;
    if (use_lanes(rows, groups))
    {
        thread_local PodVector<uint32_t> lanes;
        for (; i < rows;)
        {
            // So many that no 32-bit count overflows.
            const size_t end = i + std::min(rows - i, size_t{1} << 30);
            lanes.assign(groups * kGroupLanes, 0);
            uint32_t* first = lanes.data();
            uint32_t* second = first + groups;
            uint32_t* third = second + groups;
            uint32_t* fourth = third + groups;
            for (; i + kGroupLanes <= end; i += kGroupLanes)
            {
                ++first[code[i]];
                ++second[code[i + 1]];
                ++third[code[i + 2]];
                ++fourth[code[i + 3]];
            }
            for (; i < end; ++i)
                ++first[code[i]];
            for (size_t g = 0; g < groups; ++g)
                counts[g] += uint64_t{first[g]} + second[g] + third[g] + fourth[g];
        }
        return;
    }
    for (; i < rows; ++i)
        ++counts[code[i]];
}

// The least or greatest value of each group; NaN only where a group has nothing else. `best` begins
// with a value of each group.
template <bool kMax, class T>
void extremes_grouped(std::span<const uint16_t> codes, const T* from, PodVector<T>& best)
{
    T* out = best.data();
    for (size_t i = 0; i < codes.size(); ++i)
    {
        const T value = from[i];
        T& held = out[codes[i]];
        bool better = kMax ? held < value : value < held;
        if constexpr (std::is_floating_point_v<T>)
            better |= std::isnan(held);
        if (better)
            held = value;
    }
}

} // namespace basalt
