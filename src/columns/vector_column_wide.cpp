#include "columns/vector_column_impl.h"

namespace basalt
{

template class VectorColumn<UInt128>;
template class VectorColumn<UInt256>;
template class VectorColumn<Int128>;
template class VectorColumn<Int256>;
template class VectorColumn<float>;
template class VectorColumn<double>;

} // namespace basalt
