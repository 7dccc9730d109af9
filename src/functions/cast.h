#pragma once

// Conversion of columns between types, as CAST does it.

#include "functions/function.h"

namespace basalt
{

// The column as `to`. Any form in; flat, constant or dictionary out. Throws as CAST does
// (CANNOT_PARSE_TEXT, CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, TYPE_MISMATCH …).
ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                      const QueryContext& context);

} // namespace basalt
