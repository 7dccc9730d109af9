#include "functions/numeric_convert_impl.h"

namespace basalt
{

ColumnPtr convert_numbers(const ColumnPtr& column, PhysicalType from, PhysicalType to)
{
    if (from == to)
        return column;
    if (is_constant(*column))
        return std::make_shared<ConstantColumn>(
            convert_numbers(column_as<ConstantColumn>(column).nested(), from, to),
            column->size());
    ColumnPtr result;
    dispatch_vector(from, [&]<class Tag>(Tag)
                    { result = convert_from<typename Tag::type>(*column, to); });
    return result;
}

bool is_vector_physical(PhysicalType physical)
{
    return physical <= PhysicalType::Float64;
}

} // namespace basalt
