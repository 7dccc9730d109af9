#pragma once

// Bump allocator: many small allocations that live and die together. One thread.

#include "base/int_types.h"

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace basalt
{

class Arena
{
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena()
    {
        for (char* chunk : chunks_)
            ::free(chunk);
    }

    char* allocate(size_t bytes, size_t alignment = 8)
    {
        size_t at = (used_ + alignment - 1) & ~(alignment - 1);
        if (at + bytes > capacity_ || chunks_.empty()) [[unlikely]]
        {
            new_chunk(bytes + alignment);
            at = 0;
        }
        used_ = at + bytes;
        return chunks_.back() + at;
    }

    std::string_view copy(std::string_view text)
    {
        char* to = allocate(text.size(), 1);
        std::memcpy(to, text.data(), text.size());
        return {to, text.size()};
    }

    size_t allocated_bytes() const { return allocated_; }

private:
    void new_chunk(size_t at_least)
    {
        size_t bytes = chunks_.empty() ? 4096 : capacity_ * 2;
        if (bytes > kMaxChunkBytes)
            bytes = kMaxChunkBytes;
        if (bytes < at_least)
            bytes = at_least;
        char* chunk = static_cast<char*>(std::aligned_alloc(64, (bytes + 63) & ~size_t{63}));
        if (!chunk)
            std::abort();
        chunks_.push_back(chunk);
        capacity_ = bytes;
        allocated_ += bytes;
        used_ = 0;
    }

    static constexpr size_t kMaxChunkBytes = size_t{16} << 20;
    std::vector<char*> chunks_;
    size_t used_ = 0;
    size_t capacity_ = 0;
    size_t allocated_ = 0;
};

} // namespace basalt
