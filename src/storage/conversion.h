#pragma once

// From the type that rows were stored with to the type that the column has now.

#include "functions/expression.h"

namespace basalt
{

// Values of both types look the same in a column: LowCardinality or not, DateTime of another
// zone, SimpleAggregateFunction of the type.
bool same_layout(const TypePtr& from, const TypePtr& to);

// CAST(input, to).
ExpressionPtr conversion_of(const std::string& input, const TypePtr& from, const TypePtr& to,
                            const QueryContext& context);

} // namespace basalt
