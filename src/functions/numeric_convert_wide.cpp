#include "functions/numeric_convert_impl.h"

namespace basalt
{

template ColumnPtr convert_from<UInt128>(const Column&, PhysicalType);
template ColumnPtr convert_from<UInt256>(const Column&, PhysicalType);
template ColumnPtr convert_from<Int128>(const Column&, PhysicalType);
template ColumnPtr convert_from<Int256>(const Column&, PhysicalType);
template ColumnPtr convert_from<float>(const Column&, PhysicalType);
template ColumnPtr convert_from<double>(const Column&, PhysicalType);

} // namespace basalt
