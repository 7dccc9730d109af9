#pragma once

// Conditions as bytes: what WHERE, if and and/or look at.

#include "columns/column.h"

namespace basalt
{

// 0 false, 1 true, 2 NULL.
using TernaryMask = PodVector<uint8_t>;
inline constexpr uint8_t kTernaryNull = 2;

// Any form, any numeric type, possibly Nullable or Nothing. False when the type is no condition.
bool column_to_ternary(const Column& column, TernaryMask& mask);

} // namespace basalt
