#pragma once

#include <cstddef>
#include <cstdint>

namespace basalt
{

using Int128 = __int128;
using UInt128 = unsigned __int128;

} // namespace basalt
