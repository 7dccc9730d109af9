#pragma once

#include "base/error.h"

#include <string>

namespace basalt
{

// Code of the Error that a call throws, 0 if none.
template <typename F> int error_code_of(F f)
{
    try
    {
        f();
    }
    catch (const Error& error)
    {
        return error.code();
    }
    return 0;
}

// Bytes without an obvious period.
inline std::string pattern(size_t n)
{
    std::string s(n, 0);
    for (size_t i = 0; i < n; ++i)
        s[i] = static_cast<char>((i * 131 + (i >> 8)) & 0xFF);
    return s;
}

} // namespace basalt
