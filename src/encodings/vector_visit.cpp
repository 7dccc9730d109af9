#include "encodings/vector_visit.h"

namespace basalt::inline encodings
{

namespace
{

struct Values
{
    const char* data = nullptr;
    size_t width = 0;
};

template <class T> bool look(const Column& column, Values& values)
{
    const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column);
    if (!vector)
        return false;
    values = {reinterpret_cast<const char*>(vector->data().data()), sizeof(T)};
    return true;
}

template <class... T> Values look_among(const Column& column)
{
    Values values;
    (look<T>(column, values) || ...);
    BASALT_ASSERT(values.width != 0);
    return values;
}

Values values_of(const Column& column)
{
    return look_among<uint8_t, uint16_t, uint32_t, uint64_t, UInt128, UInt256, int8_t, int16_t,
                      int32_t, int64_t, Int128, Int256, float, double>(column);
}

} // namespace

size_t vector_width(const Column& column)
{
    return values_of(column).width;
}

const char* fixed_width_data(const Column& column)
{
    if (column.form() == ColumnForm::FixedString)
        return column_as<FixedStringColumn>(column).chars().data();
    return values_of(column).data;
}

} // namespace basalt::encodings
