#include "functions/numeric_convert_impl.h"

namespace basalt
{

template ColumnPtr convert_from<uint8_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<uint16_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<uint32_t>(const Column&, PhysicalType);
template ColumnPtr convert_from<uint64_t>(const Column&, PhysicalType);

} // namespace basalt
