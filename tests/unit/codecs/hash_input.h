#pragma once

#include "codecs/hash.h"

#include <string>

namespace basalt
{

// The text whose hashes of every prefix from 0 to 300 bytes were taken from ClickHouse 26.7:
// byte i is (i * 131 + (i >> 8) + 7) % 256.
inline std::string hash_input()
{
    std::string text(300, '\0');
    for (size_t i = 0; i < text.size(); ++i)
        text[i] = static_cast<char>(i * 131 + (i >> 8) + 7);
    return text;
}

// Folds hashes of all prefixes into one number: f = f * 0x9E3779B97F4A7C15 + hash, modulo 2^64,
// 128-bit hashes as low, then high.
template <typename F> uint64_t fold_prefixes(F hash)
{
    constexpr uint64_t kMul = 0x9E3779B97F4A7C15ull;
    const std::string text = hash_input();
    uint64_t fold = 0;
    for (size_t size = 0; size <= text.size(); ++size)
    {
        // A copy of exact size lets sanitizers see a read past the end.
        const std::string prefix = text.substr(0, size);
        const auto value = hash(prefix.data(), prefix.size());
        if constexpr (std::is_same_v<decltype(value), const Hash128>)
            fold = (fold * kMul + value.low) * kMul + value.high;
        else
            fold = fold * kMul + static_cast<uint64_t>(value);
    }
    return fold;
}

} // namespace basalt
