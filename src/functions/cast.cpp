#include "functions/cast.h"

#include "base/error.h"
#include "functions/scalar_registry.h"

namespace basalt
{

ColumnPtr cast_column(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                      const QueryContext& context)
{
    const TypePtr plain_from = remove_low_cardinality(from);
    const TypePtr plain_to = remove_low_cardinality(to);
    if (same_type(plain_from, plain_to))
        return column;
    const auto function = scalar_functions().get("_CAST", context);
    const ColumnPtr name = make_constant(simple_type(TypeId::String), to->name(), column->size());
    return call_function(*function,
                         {{column, from}, {name, simple_type(TypeId::String)}}, to,
                         column->size(), context);
}

} // namespace basalt
