#include "functions/elementwise.h"

namespace basalt
{

Argument tuple_element(const Argument& argument, size_t element)
{
    if (!argument.type->is(TypeId::Tuple))
        return argument;
    const TypePtr& type = type_as<TupleType>(argument.type).elements()[element];
    if (!argument.column)
        return {nullptr, type};
    if (is_constant(*argument.column))
    {
        const auto& one = column_as<ConstantColumn>(argument.column).nested();
        return {std::make_shared<ConstantColumn>(column_as<TupleColumn>(one).element(element),
                                                 argument.column->size()),
                type};
    }
    return {column_as<TupleColumn>(argument.column).element(element), type};
}

} // namespace basalt
