#pragma once

#include <cstddef>
#include <cstdint>

namespace basalt
{

// Only on processors with AVX2.
uint64_t xxh3_64_avx2(const char* data, size_t size);

} // namespace basalt
