#pragma once

// Values as self-delimiting bytes; layout in docs/format/part.md, "Values".

#include "columns/value.h"

#include <string>
#include <string_view>

namespace basalt
{

void append_value(std::string& out, const Value& value);
// Throws CORRUPTED_DATA.
Value take_value(std::string_view& bytes);

} // namespace basalt
