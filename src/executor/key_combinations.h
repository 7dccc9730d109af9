#pragma once

// Numbers rows by the combination of their keys when a block has few combinations: keys that are
// dictionary codes, constants, single bytes or numbers with long runs. An array takes the place
// of the hash table; the table of groups is asked once for each combination.

#include "columns/column.h"

namespace basalt
{

// Places of the array, at most: the product of what the keys of a block may be.
inline constexpr size_t kMaxCombinations = size_t{1} << 14;

struct RowCombinations
{
    PodVector<uint16_t> codes; // by row, below `numbers`
    size_t numbers = 0;        // some may be of no row
    // The numbers that rows have, with the first row of each. Two of them may have the same keys
    // (a value that comes in several runs, a dictionary with equal entries).
    PodVector<uint16_t> used;
    RowIndexes first_rows;
    PodVector<uint64_t> counts; // rows of each number; empty when they were not counted
};

// False, and nothing is promised of the result, when the keys are of other kinds or may have too
// many combinations. One thread.
bool number_combinations(const Columns& keys, size_t rows, RowCombinations& result);

} // namespace basalt
