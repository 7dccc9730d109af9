#include "columns/absent_value.h"

#include "columns/date_text.h"

namespace basalt
{

Value absent_value(const DataType& type)
{
    if (type.is(TypeId::Date32))
        return int64_t{kMinDate32};
    const auto* tuple = dynamic_cast<const TupleType*>(&type);
    if (!tuple)
        return type.default_value();
    TupleValue value;
    for (const TypePtr& element : tuple->elements())
        value.items.push_back(absent_value(*element));
    return value;
}

} // namespace basalt
