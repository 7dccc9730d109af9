#pragma once

// Whether a conversion keeps the order of values, for key pruning.

#include "functions/function.h"

namespace basalt
{

// On [left, right] of `from` (values as its column holds them; Null for an open end).
ScalarFunction::Monotonicity cast_monotonicity(const TypePtr& from, const TypePtr& to,
                                               const Value& left, const Value& right);

} // namespace basalt
