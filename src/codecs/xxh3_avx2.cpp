// XXH3-64 of long inputs with AVX2: the same numbers as the library's, which Debian builds for
// SSE2. Called only where the processor has it.

#ifdef __clang__
#include <immintrin.h>
#include <stdint.h>
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#include <immintrin.h>
#endif

#define XXH_INLINE_ALL
#define XXH_VECTOR 2 // XXH_AVX2
#include <xxhash.h>

#include "codecs/xxh3_avx2.h"

namespace basalt
{

uint64_t xxh3_64_avx2(const char* data, size_t size)
{
    return XXH3_64bits(data, size);
}

} // namespace basalt

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
