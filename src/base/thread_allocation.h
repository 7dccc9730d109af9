#pragma once

// Heap bytes of the calling thread, for charging what containers of others' states take.

#include "base/int_types.h"

namespace basalt
{

// Bytes that this thread has allocated minus those it has freed, since its start. Only differences
// over a stretch of one thread mean something. Always 0 without jemalloc (sanitizer builds).
int64_t thread_heap_bytes();

} // namespace basalt
