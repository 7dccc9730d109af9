#pragma once

// What stands in a row for a column that the row's INSERT left out, or that was added later.

#include "columns/type.h"

namespace basalt
{

// default_value(), but the first day that there is for Date32, also within tuples.
Value absent_value(const DataType& type);

} // namespace basalt
