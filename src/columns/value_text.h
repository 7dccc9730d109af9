#pragma once

// Pieces of Value::to_text that type names need too.

#include "columns/value.h"

#include <string>
#include <string_view>

namespace basalt
{

// The text between quotes with C-like escapes.
std::string quoted_text(std::string_view text, char quote);
// The shortest digits that read back as the same double: 0.1, 10000000000, 1e21, nan, inf.
std::string float_text(double value);
// Digits with the point at the scale, without zeros at the end.
std::string decimal_text(const DecimalValue& value);

} // namespace basalt
