#include "base/substring_search.h"

#include <immintrin.h>

#include <bit>

namespace basalt
{
namespace
{

char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

char unfold(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c;
}

// How often a byte stands in log text, roughly: higher is more common.
int commonness(char c)
{
    const char lower = fold(c);
    if (lower == ' ' || lower == 'e')
        return 9;
    if (std::string_view("taoinsr").find(lower) != std::string_view::npos)
        return 8;
    if (std::string_view("dlcmupg").find(lower) != std::string_view::npos)
        return 6;
    if (lower >= '0' && lower <= '9')
        return 7;
    if (lower >= 'a' && lower <= 'z')
        return 4;
    if (std::string_view("-_.:/=,\"").find(lower) != std::string_view::npos)
        return 5;
    return c < 0 ? 3 : 2;
}

} // namespace

SubstringSearcher::SubstringSearcher(std::string_view needle, bool ascii_case_insensitive)
    : needle_(needle), fold_(ascii_case_insensitive)
{
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    find_ = has_avx2 ? find_avx2 : find_sse2;
    if (fold_)
        for (char& c : needle_)
            c = fold(c);
    if (needle_.empty())
        return;
    size_t rarest = 0;
    for (size_t i = 1; i < needle_.size(); ++i)
        if (commonness(needle_[i]) < commonness(needle_[rarest]))
            rarest = i;
    size_t second = rarest == 0 ? needle_.size() - 1 : 0;
    for (size_t i = 0; i < needle_.size(); ++i)
        if (i != rarest && needle_[i] != needle_[rarest] &&
            commonness(needle_[i]) < commonness(needle_[second]))
            second = i;
    probe_a_ = std::min(rarest, second);
    probe_b_ = std::max(rarest, second);
    a_[0] = needle_[probe_a_];
    a_[1] = fold_ ? unfold(a_[0]) : a_[0];
    b_[0] = needle_[probe_b_];
    b_[1] = fold_ ? unfold(b_[0]) : b_[0];
}

bool SubstringSearcher::matches_folded(const char* at) const
{
    for (size_t i = 0; i < needle_.size(); ++i)
        if (fold(at[i]) != needle_[i])
            return false;
    return true;
}

const char* SubstringSearcher::find_plain(const char* begin, const char* end) const
{
    const size_t n = needle_.size();
    if (n == 0)
        return begin;
    if (static_cast<size_t>(end - begin) < n)
        return end;
    const char* const last = end - n;
    for (const char* at = begin; at <= last; ++at)
    {
        if (!fold_)
        {
            at = static_cast<const char*>(
                std::memchr(at, needle_[0], static_cast<size_t>(last - at) + 1));
            if (!at)
                return end;
        }
        if (matches_at(at))
            return at;
    }
    return end;
}

__attribute__((target("avx2"))) const char*
SubstringSearcher::find_avx2(const SubstringSearcher& self, const char* begin, const char* end)
{
    const size_t n = self.needle_.size();
    const char* at = begin;
    if (n == 0)
        return begin;
    // Loads reach at + probe_b_ + 32 <= at + n + 31.
    const __m256i a0 = _mm256_set1_epi8(self.a_[0]);
    const __m256i b0 = _mm256_set1_epi8(self.b_[0]);
    const __m256i a1 = _mm256_set1_epi8(self.a_[1]);
    const __m256i b1 = _mm256_set1_epi8(self.b_[1]);
    const bool fold = self.fold_;
    while (static_cast<size_t>(end - at) >= n + 31)
    {
        const __m256i x =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + self.probe_a_));
        const __m256i y =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + self.probe_b_));
        __m256i ea = _mm256_cmpeq_epi8(x, a0);
        __m256i eb = _mm256_cmpeq_epi8(y, b0);
        if (fold)
        {
            ea = _mm256_or_si256(ea, _mm256_cmpeq_epi8(x, a1));
            eb = _mm256_or_si256(eb, _mm256_cmpeq_epi8(y, b1));
        }
        auto bits = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_and_si256(ea, eb)));
        while (bits != 0)
        {
            const char* candidate = at + std::countr_zero(bits);
            if (self.matches_at(candidate))
                return candidate;
            bits &= bits - 1;
        }
        at += 32;
    }
    return find_sse2(self, at, end);
}

const char* SubstringSearcher::find_sse2(const SubstringSearcher& self, const char* begin,
                                         const char* end)
{
    const size_t n = self.needle_.size();
    const char* at = begin;
    if (n == 0)
        return begin;
    const __m128i a0 = _mm_set1_epi8(self.a_[0]);
    const __m128i b0 = _mm_set1_epi8(self.b_[0]);
    const __m128i a1 = _mm_set1_epi8(self.a_[1]);
    const __m128i b1 = _mm_set1_epi8(self.b_[1]);
    const bool fold = self.fold_;
    while (static_cast<size_t>(end - at) >= n + 15)
    {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + self.probe_a_));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + self.probe_b_));
        __m128i ea = _mm_cmpeq_epi8(x, a0);
        __m128i eb = _mm_cmpeq_epi8(y, b0);
        if (fold)
        {
            ea = _mm_or_si128(ea, _mm_cmpeq_epi8(x, a1));
            eb = _mm_or_si128(eb, _mm_cmpeq_epi8(y, b1));
        }
        auto bits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_and_si128(ea, eb)));
        while (bits != 0)
        {
            const char* candidate = at + std::countr_zero(bits);
            if (self.matches_at(candidate))
                return candidate;
            bits &= bits - 1;
        }
        at += 16;
    }
    return self.find_plain(at, end);
}

void SubstringSearcher::mark_rows(const char* chars, const uint64_t* offsets, size_t rows,
                                  uint8_t* hits) const
{
    if (rows == 0)
        return;
    if (needle_.empty())
    {
        std::memset(hits, 1, rows);
        return;
    }
    std::memset(hits, 0, rows);
    for_each(chars, offsets, rows,
             [&](size_t row, uint64_t)
             {
                 hits[row] = 1;
                 return offsets[row];
             });
}

} // namespace basalt
