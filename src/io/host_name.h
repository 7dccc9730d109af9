#pragma once

#include <string>

namespace basalt
{

// The machine's name as the kernel knows it, asked once. Empty when it has none. Thread-safe.
const std::string& host_name();

} // namespace basalt
