#include "functions/numeric_convert_impl.h"

namespace basalt
{

template ColumnPtr convert_from<int8_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<int16_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<int32_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<int64_t>(const Column&, PhysicalType);

} // namespace basalt
