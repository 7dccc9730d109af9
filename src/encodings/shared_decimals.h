#pragma once

// Floats that are small whole numbers divided by a power of ten are decoded as codes into one
// dictionary for all pages of a type and scale, so that what is computed for a value is computed
// once and values can be counted by code.

#include "columns/column.h"

namespace basalt::inline encodings
{

inline constexpr uint32_t kSharedDecimals = 65536;
inline constexpr size_t kMaxSharedScale = 3;

// Entry i is T(i / 10^scale). T: float or double.
template <class T> ColumnPtr shared_decimals(size_t scale);

// The column's values, divided anew, which is quicker than fetching them; null when its dictionary
// is none of these.
ColumnPtr flatten_shared_decimals(const DictionaryColumn& column);

} // namespace basalt::encodings
