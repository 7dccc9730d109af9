#pragma once

// Arguments of filters whose size the user gives: bytes, hash functions, seed. The seed chooses
// nothing here: the hash is fixed.

#include "storage/skip_index/sliced_filter.h"

namespace basalt
{

inline constexpr uint64_t kMaxGivenFilterBytes = 16 << 20;

// All are unsigned integers, and the type is one of texts. Throws BAD_ARGUMENTS.
void check_filter_arguments(const IndexDescription& index);
// The geometry that arguments `first` and `first` + 1 give.
FilterGeometry geometry_given(const IndexDescription& index, size_t first);

} // namespace basalt
