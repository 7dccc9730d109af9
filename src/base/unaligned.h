#pragma once

// Values to and from memory of any alignment. All formats of ours are little-endian, and so is
// every machine we run on.

#include "base/int_types.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace basalt
{

static_assert(std::endian::native == std::endian::little);

template <typename T>
inline T load(const void* from)
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <typename T>
inline void store(void* to, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof(T));
}

} // namespace basalt
