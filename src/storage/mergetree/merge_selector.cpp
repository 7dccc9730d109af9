#include "storage/mergetree/merge_selector.h"

#include "storage/mergetree/part_merger.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

// The least acceptable ratio of the whole to its largest part. A high ratio means that each byte
// is rewritten rarely; it gives way as parts get old or many.
double least_ratio(size_t parts_in_partition, int64_t youngest_age_s, uint64_t bytes)
{
    constexpr double kFresh = 4.0, kOld = 1.15;
    constexpr double kManyParts = 12, kHour_s = 3600;
    const double crowded = std::min(1.0, static_cast<double>(parts_in_partition) / kManyParts);
    // A part of a megabyte is old after minutes, one of 100 GiB after weeks.
    const double size = std::max(1.0, std::log2(static_cast<double>(bytes) / (1 << 20) + 2));
    const double aged =
        std::min(1.0, static_cast<double>(youngest_age_s) / (kHour_s * size * size / 10));
    const double yielding = std::max(crowded * crowded, aged);
    return kFresh + (kOld - kFresh) * yielding;
}

} // namespace

uint64_t merge_working_bytes(uint64_t row_bytes, size_t parts)
{
    return row_bytes * (parts * 2 * kMergeRowsAtOnce + 3 * kPageRows);
}

std::optional<MergeChoice> choose_merge(const std::vector<MergeCandidate>& parts,
                                        uint64_t max_bytes, uint64_t max_memory_bytes)
{
    std::optional<MergeChoice> best;
    for (size_t begin = 0; begin < parts.size(); ++begin)
    {
        uint64_t sum = 0, largest = 0, widest = 0;
        int64_t youngest = INT64_MAX;
        const size_t last = std::min(parts.size(), begin + kMaxMergedParts);
        for (size_t end = begin; end < last; ++end)
        {
            const auto& part = parts[end];
            if (part.run != parts[begin].run)
                break;
            sum += part.bytes;
            largest = std::max(largest, part.bytes);
            youngest = std::min(youngest, part.age_s);
            if (sum > max_bytes)
                break;
            const size_t count = end - begin + 1;
            widest = std::max(widest, part.row_bytes);
            if (count < 2)
                continue;
            if (max_memory_bytes && count > 2 &&
                merge_working_bytes(widest, count) > max_memory_bytes)
                break;
            const double ratio = static_cast<double>(sum) / static_cast<double>(largest);
            if (ratio < least_ratio(parts.size(), youngest, sum))
                continue;
            // A few pages' worth of fixed cost, so that tiny parts are taken many at a time.
            constexpr double kFixedBytes = 1 << 20;
            const double cost =
                (static_cast<double>(sum) + kFixedBytes) / static_cast<double>(count - 1);
            if (!best || cost < best->cost)
                best = MergeChoice{begin, end + 1, cost};
        }
    }
    return best;
}

} // namespace basalt
