#include "functions/simple_aggregate.h"

#include "base/error.h"

namespace basalt
{

AggregateFunctionPtr simple_aggregate_of(const SimpleAggregateFunctionType& type)
{
    aggregate_functions(); // names of types resolve from here on
    const TypePtr states = type_from_name("AggregateFunction(" + type.function_text() + ", " +
                                          remove_low_cardinality(type.nested())->name() + ")");
    auto function = std::dynamic_pointer_cast<const AggregateFunction>(
        type_as<AggregateFunctionType>(states).ops());
    BASALT_ASSERT(function);
    return function;
}

} // namespace basalt
