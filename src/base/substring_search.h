#pragma once

// Substring search, made for one needle over many haystacks. Compares two rare bytes of the needle
// at their distance, 32 positions at a time (AVX2 when the processor has it, else SSE2), and looks
// closer only where both agree. After W. Muła, "SIMD-friendly algorithms for substring searching".
// Thread-safe after construction.

#include "base/int_types.h"

#include <cstring>
#include <string>
#include <string_view>

namespace basalt
{

class SubstringSearcher
{
public:
    // ascii_case_insensitive: the 26 letters match in both cases; other bytes exactly.
    explicit SubstringSearcher(std::string_view needle, bool ascii_case_insensitive = false);

    const std::string& needle() const { return needle_; } // folded to lower case when insensitive
    bool ascii_case_insensitive() const { return fold_; }

    // The first occurrence in [begin, end), or end. An empty needle is found at begin.
    const char* find(const char* begin, const char* end) const { return find_(*this, begin, end); }
    size_t find(std::string_view text, size_t from = 0) const
    {
        const char* end = text.data() + text.size();
        const char* hit = find(text.data() + from, end);
        return hit == end && !needle_.empty() ? text.npos
                                              : static_cast<size_t>(hit - text.data());
    }
    bool in(std::string_view text) const { return find(text) != text.npos; }

    // The slow twin of find().
    const char* find_plain(const char* begin, const char* end) const;

    // hits[i] = 1 when row i, chars[offsets[i-1] … offsets[i]), holds the needle, else 0. One
    // search over all the bytes; rows end where they end.
    void mark_rows(const char* chars, const uint64_t* offsets, size_t rows, uint8_t* hits) const;

    // Calls f(row, position in chars) for each occurrence that lies within a row, in order;
    // f returns the position to go on from (after the occurrence, or the end of the row).
    template <class F>
    void for_each(const char* chars, const uint64_t* offsets, size_t rows, F&& f) const
    {
        if (rows == 0)
            return;
        const char* const end = chars + offsets[rows - 1];
        size_t row = 0;
        for (const char* at = chars;;)
        {
            const char* hit = find(at, end);
            if (hit == end)
                return;
            const auto position = static_cast<uint64_t>(hit - chars);
            while (offsets[row] <= position)
                ++row;
            if (position + needle_.size() <= offsets[row])
                at = chars + f(row, position);
            else
                at = hit + 1;
        }
    }

    // Whether the needle stands at `at` (needle().size() readable bytes).
    bool matches_at(const char* at) const
    {
        return fold_ ? matches_folded(at)
                     : std::memcmp(at, needle_.data(), needle_.size()) == 0;
    }

private:
    bool matches_folded(const char* at) const;
    static const char* find_avx2(const SubstringSearcher& self, const char* begin,
                                 const char* end);
    static const char* find_sse2(const SubstringSearcher& self, const char* begin,
                                 const char* end);

    std::string needle_;
    bool fold_;
    // The two probed positions in the needle, probe_a_ <= probe_b_, and their bytes in both cases.
    size_t probe_a_ = 0;
    size_t probe_b_ = 0;
    char a_[2] = {0, 0};
    char b_[2] = {0, 0};
    const char* (*find_)(const SubstringSearcher&, const char*, const char*);
};

} // namespace basalt
