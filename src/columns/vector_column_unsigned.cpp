#include "columns/vector_column_impl.h"

namespace basalt
{

template class VectorColumn<uint8_t>;
template class VectorColumn<uint16_t>;
template class VectorColumn<uint32_t>;
template class VectorColumn<uint64_t>;

} // namespace basalt
