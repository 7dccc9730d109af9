#pragma once

// The aggregate function that a SimpleAggregateFunction(function, T) column is merged with.

#include "functions/aggregate_function.h"

namespace basalt
{

// Of one argument of the stored type. Throws like AggregateRegistry::get.
AggregateFunctionPtr simple_aggregate_of(const SimpleAggregateFunctionType& type);

} // namespace basalt
