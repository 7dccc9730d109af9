#pragma once

#include "encodings/page.h"

namespace basalt::inline encodings
{

// Decides a predicate for each value of a small flat column: a dictionary, or the value of a
// constant page. False when it cannot. NULL gives 0.
bool evaluate_values(const PagePredicate& predicate, const Column& values, uint8_t* mask);

} // namespace basalt::encodings
