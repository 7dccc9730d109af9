#pragma once

// What the processor can do beyond the x86-64-v2 that everything is compiled for. Functions with
// a target attribute are called only after asking.

namespace basalt::inline encodings
{

inline bool has_avx2()
{
    static const bool value = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    return value;
}

} // namespace basalt::encodings
