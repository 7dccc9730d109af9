#pragma once

// Conversion of columns between types, as CAST does it.

#include "columns/serialization.h"
#include "functions/function.h"

namespace basalt
{

// The column as `to`. Any form in; flat, constant or dictionary out. Throws as CAST does
// (CANNOT_PARSE_TEXT, CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, CANNOT_CONVERT_TYPE …).
ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                      const QueryContext& context);

struct CastOptions
{
    bool accurate = false;     // refuse values that change
    bool or_null = false;      // what cannot be converted becomes NULL; `to` is then Nullable
    bool text_or_null = true;  // CAST: text that cannot be parsed becomes NULL in a Nullable type
};
ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                      const CastOptions& options, const QueryContext& context);

// How texts are written and read in this query.
TextOptions text_options(const QueryContext& context);

} // namespace basalt
