#pragma once

// Stretches of neighbouring rows that have the same key.

#include "columns/sort.h"

namespace basalt
{

// Numbers of the rows at which a run begins; the first is 0. At least one row.
RowIndexes key_run_starts(const Block& block, const SortKeys& keys);

} // namespace basalt
