#pragma once

// The loops of convert_numbers, split over several files to keep each quick to compile.

#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

template <class From> ColumnPtr convert_from(const Column& column, PhysicalType to)
{
    const auto& data = column_as<VectorColumn<From>>(column).data();
    ColumnPtr result;
    dispatch_vector(to,
                    [&]<class Tag>(Tag)
                    {
                        using To = typename Tag::type;
                        const size_t rows = data.size();
                        auto out = std::make_shared<VectorColumn<To>>(rows);
                        To* const values = out->data().data();
                        const From* const from = data.data();
                        for (size_t i = 0; i < rows; ++i)
                            values[i] = numeric_cast<To>(from[i]);
                        result = out;
                    });
    return result;
}

extern template ColumnPtr convert_from<uint8_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<uint16_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<uint32_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<uint64_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<UInt128>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<UInt256>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<int8_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<int16_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<int32_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<int64_t>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<Int128>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<Int256>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<float>(const Column&, PhysicalType);
extern template ColumnPtr convert_from<double>(const Column&, PhysicalType);

} // namespace basalt
