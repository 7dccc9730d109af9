#pragma once

// What the concrete columns share: looking through constant and dictionary sources, walking masks
// 64 rows at a time, copying short strings. Of this room only.

#include "base/hash.h"
#include "columns/column.h"

#include <emmintrin.h>

namespace basalt
{

// The flat column under a source and the row in it.
inline const Column& flat_source(const Column& source, size_t& row)
{
    if (source.form() == ColumnForm::Constant)
    {
        row = 0;
        return *static_cast<const ConstantColumn&>(source).nested();
    }
    if (source.form() == ColumnForm::Dictionary)
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(source);
        row = dictionary.codes()[row];
        return *dictionary.dictionary();
    }
    return source;
}

// Handles append_range from a constant or dictionary source; false when the source is flat.
inline bool append_range_of_form(Column& to, const Column& source, size_t begin, size_t count)
{
    if (source.form() == ColumnForm::Constant)
    {
        if (count)
            to.append_repeated(*static_cast<const ConstantColumn&>(source).nested(), 0, count);
        return true;
    }
    if (source.form() == ColumnForm::Dictionary)
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(source);
        const Column& values = *dictionary.dictionary();
        const uint32_t* codes = dictionary.codes().data() + begin;
        for (size_t i = 0; i < count; ++i)
            to.append_from(values, codes[i]);
        return true;
    }
    return false;
}

// Bit i is set when byte i of the 64 is not zero.
inline uint64_t mask_bits_64(const uint8_t* bytes)
{
    const __m128i zero = _mm_setzero_si128();
    uint64_t zeros = 0;
    for (int i = 0; i < 4; ++i)
    {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
        zeros |= static_cast<uint64_t>(
                     static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, zero))))
                 << (16 * i);
    }
    return ~zeros;
}

// The bits of the up to 64 rows of the mask from `begin`. Reads into the mask's padding.
inline uint64_t mask_bits_from(const Mask& mask, size_t begin)
{
    const uint64_t bits = mask_bits_64(mask.data() + begin);
    const size_t left = mask.size() - begin;
    return left >= 64 ? bits : bits & ((uint64_t{1} << left) - 1);
}

// Calls run(begin, count) for each longest run of kept rows, in order.
template <class Run> inline void for_kept_runs(const Mask& mask, Run&& run)
{
    size_t run_begin = 0;
    size_t run_end = 0;
    const auto extend = [&](size_t begin, size_t end)
    {
        if (begin != run_end)
        {
            if (run_end > run_begin)
                run(run_begin, run_end - run_begin);
            run_begin = begin;
        }
        run_end = end;
    };
    for (size_t base = 0; base < mask.size(); base += 64)
    {
        uint64_t bits = mask_bits_from(mask, base);
        if (bits == ~uint64_t{0})
        {
            extend(base, base + 64);
            continue;
        }
        while (bits)
        {
            const int first = __builtin_ctzll(bits);
            const uint64_t rest = ~(bits >> first);
            const int length = rest ? __builtin_ctzll(rest) : 64 - first;
            extend(base + first, base + first + length);
            if (first + length >= 64)
                break;
            bits &= ~uint64_t{0} << (first + length);
        }
    }
    if (run_end > run_begin)
        run(run_begin, run_end - run_begin);
}

// Appends the values of set bits to what begins at `to`; returns its new end.
template <class T> inline T* copy_kept_64(T* to, const T* from, uint64_t bits)
{
    constexpr int kMostlyKept = 48;
    if (__builtin_popcountll(bits) < kMostlyKept)
    {
        for (; bits; bits &= bits - 1)
            *to++ = from[__builtin_ctzll(bits)];
        return to;
    }
    for (int at = 0; bits;)
    {
        const int skipped = __builtin_ctzll(bits);
        at += skipped;
        bits >>= skipped;
        const int kept = ~bits ? __builtin_ctzll(~bits) : 64;
        std::memcpy(static_cast<void*>(to), from + at, static_cast<size_t>(kept) * sizeof(T));
        to += kept;
        at += kept;
        bits = kept < 64 ? bits >> kept : 0;
    }
    return to;
}

// Copies size bytes, 16 at a time: reads and writes up to 15 bytes past both ends, which must lie
// in the padding of a PodVector.
inline void copy_with_padding(char* to, const char* from, size_t size)
{
    if (size > 256)
    {
        std::memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += 16)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}

inline constexpr uint64_t kNullHash = 0x5bd1e9955bd1e995ull;

// Hash of each row of a column alone.
inline PodVector<uint64_t> row_hashes(const Column& column)
{
    PodVector<uint64_t> hashes(column.size(), 0);
    column.hash_into({hashes.data(), hashes.size()});
    return hashes;
}

} // namespace basalt
