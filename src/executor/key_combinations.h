#pragma once

// Numbers rows by the combination of their keys when a block has few combinations: keys that are
// dictionary codes, constants, single bytes or numbers with long runs. An array takes the place
// of the hash table; the table of groups is asked once for each combination.

#include "columns/column.h"

namespace basalt
{

// Places of the array, at most: the product of what the keys of a block may be.
inline constexpr size_t kMaxCombinations = size_t{1} << 14;

// codes[i]: the combination of row i, numbered 0, 1, 2, … by first sight. first_rows: the first row
// of each. Two combinations may have the same keys (a value that comes in several runs, a
// dictionary with equal entries). False, and nothing is promised of codes and first_rows, when the
// keys are of other kinds or may have too many combinations. One thread.
bool number_combinations(const Columns& keys, size_t rows, PodVector<uint16_t>& codes,
                         RowIndexes& first_rows);

} // namespace basalt
