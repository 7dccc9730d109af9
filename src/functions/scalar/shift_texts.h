#pragma once

// bitShiftLeft and bitShiftRight of texts, whose bytes count as one big-endian number. A String
// grows and shrinks with it; a FixedString keeps its width.

#include "functions/function.h"

namespace basalt
{

// counts: integers. Throws ARGUMENT_OUT_OF_BOUND for a negative one.
ColumnPtr shift_texts(bool to_left, const Argument& texts, const Argument& counts, size_t rows);

} // namespace basalt
