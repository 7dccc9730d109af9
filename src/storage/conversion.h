#pragma once

// From the type that rows were stored with to the type that the column has now.

#include "functions/expression.h"

namespace basalt
{

// Values of both types look the same in a column: LowCardinality or not, DateTime of another
// zone, SimpleAggregateFunction of the type.
bool same_layout(const TypePtr& from, const TypePtr& to);

// CAST(input, to). A NULL where `to` has none becomes default_expression, if that is a constant.
ExpressionPtr conversion_of(const std::string& input, const TypePtr& from, const TypePtr& to,
                            const ExpressionPtr& default_expression, const QueryContext& context);

} // namespace basalt
