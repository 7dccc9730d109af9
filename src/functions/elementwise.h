#pragma once

// Parts of composite arguments as arguments of their own.

#include "functions/function.h"

namespace basalt
{

// Element i of a tuple argument (flat or constant); any other argument as it is.
Argument tuple_element(const Argument& argument, size_t element);

} // namespace basalt
