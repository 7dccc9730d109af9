#pragma once

// Paths of the real file system as the kernel sees them.

#include <string>

namespace basalt
{

// Absolute, without links, "." and ".."; parts at the end that do not exist stay as they are written
// (then ".." among them is refused: BAD_ARGUMENTS). Throws CANNOT_STAT for what cannot be looked at.
std::string real_path(const std::string& path);

} // namespace basalt
