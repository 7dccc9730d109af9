#pragma once

// Which neighbouring parts of a partition are worth merging.

#include "base/int_types.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace basalt
{

inline constexpr size_t kMaxMergedParts = 16;

struct MergeCandidate
{
    uint64_t bytes = 0;
    int64_t age_s = 0;
    // Parts of one run may be merged: nothing stands between them and none is busy.
    size_t run = 0;
    uint64_t row_bytes = 0; // of one row, decoded
};

// What the columns of rows of this size take while `parts` parts are merged: what is read of each,
// and pages being filled, encoded and written.
uint64_t merge_working_bytes(uint64_t row_bytes, size_t parts);

struct MergeChoice
{
    size_t begin = 0, end = 0; // of the candidates
    double cost = 0;           // bytes to rewrite for each part that disappears
};

// parts: of one partition in order of block numbers. Nothing when waiting is better: the parts
// are too unequal, given their age and number.
// max_memory_bytes: of merge_working_bytes(); two parts may always be merged. 0: no limit.
std::optional<MergeChoice> choose_merge(const std::vector<MergeCandidate>& parts,
                                        uint64_t max_bytes, uint64_t max_memory_bytes = 0);

} // namespace basalt
