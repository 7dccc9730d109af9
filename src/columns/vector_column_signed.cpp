#include "columns/vector_column_impl.h"

namespace basalt
{

template class VectorColumn<int8_t>;
template class VectorColumn<int16_t>;
template class VectorColumn<int32_t>;
template class VectorColumn<int64_t>;

} // namespace basalt
