#include "encodings/bit_packing.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "encodings/cpu_support.h"

#include <algorithm>
#include <immintrin.h>

namespace basalt::inline encodings
{

namespace
{

uint64_t mask_of(unsigned width)
{
    return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

// Values whose 9 bytes lie inside of the packed bytes may be read by whole words.
size_t readable_by_words(size_t size, size_t begin, size_t count, unsigned width)
{
    if (size < 9)
        return 0;
    const size_t last = (size - 9) * 8 / width; // bit i * width lies in byte size - 9 at most
    return last < begin ? 0 : std::min(count, last + 1 - begin);
}

void unpack_words(const char* packed, size_t begin, size_t count, unsigned width, uint64_t* out)
{
    const uint64_t mask = mask_of(width);
    size_t bit = begin * width;
    if (width <= 57)
    {
        for (size_t i = 0; i < count; ++i, bit += width)
            out[i] = (load<uint64_t>(packed + (bit >> 3)) >> (bit & 7)) & mask;
        return;
    }
    for (size_t i = 0; i < count; ++i, bit += width)
    {
        const char* at = packed + (bit >> 3);
        const unsigned shift = bit & 7;
        const uint64_t high = static_cast<uint8_t>(at[8]);
        const uint64_t low = load<uint64_t>(at) >> shift;
        out[i] = (shift ? low | high << (64 - shift) : low) & mask;
    }
}

// Eight values are `width` bytes; each four of them are moved to 32-bit lanes by one shuffle,
// shifted, masked and, for 64-bit values, widened. width <= 25, so that a value and its shift fit in
// a lane. Reads 16 bytes from byte begin / 8 * width + width / 2 of the last eight on.
template <class T>
__attribute__((target("avx2"))) void unpack_eights(const char* packed, size_t eights,
                                                   unsigned width, T* out)
{
    alignas(32) uint8_t shuffle[32];
    alignas(32) uint32_t shifts[8];
    const unsigned high_byte = width * 4 / 8;
    for (unsigned i = 0; i < 8; ++i)
    {
        const unsigned bit = i < 4 ? i * width : i * width - high_byte * 8;
        shifts[i] = bit & 7;
        for (unsigned b = 0; b < 4; ++b)
            shuffle[i * 4 + b] = static_cast<uint8_t>((bit >> 3) + b);
    }
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(shuffle));
    const __m256i shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(shifts));
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(mask_of(width)));
    for (size_t i = 0; i < eights; ++i, packed += width, out += 8)
    {
        const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(packed));
        const __m128i high =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(packed + high_byte));
        __m256i lanes = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        lanes = _mm256_shuffle_epi8(lanes, order);
        lanes = _mm256_and_si256(_mm256_srlv_epi32(lanes, shift), mask);
        if constexpr (sizeof(T) == 4)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lanes);
        else
        {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                                _mm256_cvtepu32_epi64(_mm256_castsi256_si128(lanes)));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 4),
                                _mm256_cvtepu32_epi64(_mm256_extracti128_si256(lanes, 1)));
        }
    }
}

} // namespace

void pack_bits(const uint64_t* values, size_t count, unsigned width, std::string& out)
{
    if (width == 0)
        return;
    const size_t start = out.size();
    const size_t bytes = packed_bytes(count, width);
    out.resize(start + bytes + 8);
    char* to = out.data() + start;
    const uint64_t mask = mask_of(width);
    uint64_t word = 0;
    unsigned used = 0;
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t value = values[i] & mask;
        word |= value << used;
        used += width;
        if (used >= 64)
        {
            store(to, word);
            to += 8;
            used -= 64;
            word = used ? value >> (width - used) : 0;
        }
    }
    store(to, word);
    out.resize(start + bytes);
}

void unpack_bits_plain(const char* packed, size_t size, size_t begin, size_t count, unsigned width,
                       uint64_t* out)
{
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t value = 0;
        for (unsigned b = 0; b < width; ++b)
        {
            const size_t bit = (begin + i) * width + b;
            if (bit / 8 < size && (static_cast<uint8_t>(packed[bit / 8]) >> (bit % 8) & 1))
                value |= uint64_t{1} << b;
        }
        out[i] = value;
    }
}

void unpack_bits(const char* packed, size_t size, size_t begin, size_t count, unsigned width,
                 uint64_t* out)
{
    if (width == 0)
    {
        std::fill_n(out, count, 0);
        return;
    }
    if (width <= 25 && count >= 16 && has_avx2())
    {
        const size_t head = std::min(count, (8 - begin % 8) % 8);
        const size_t by_words = std::min(head, readable_by_words(size, begin, head, width));
        unpack_words(packed, begin, by_words, width, out);
        unpack_bits_plain(packed, size, begin + by_words, head - by_words, width, out + by_words);
        begin += head;
        count -= head;
        out += head;
        const size_t first_byte = begin / 8 * width;
        const size_t reach = width / 2 + 16; // bytes read from where eight values begin
        const size_t fit =
            size < first_byte + reach ? 0 : (size - first_byte - reach) / width + 1;
        const size_t eights = std::min(count / 8, fit);
        unpack_eights(packed + first_byte, eights, width, out);
        begin += eights * 8;
        count -= eights * 8;
        out += eights * 8;
    }
    const size_t by_words = readable_by_words(size, begin, count, width);
    unpack_words(packed, begin, by_words, width, out);
    begin += by_words;
    count -= by_words;
    out += by_words;
    if (count == 0)
        return;
    // The last values, from a copy with room behind it.
    const size_t from = begin * width / 8;
    char tail[160] = {};
    if (size - from <= sizeof tail - 16)
    {
        std::memcpy(tail, packed + from, size - from);
        const size_t skip_bits = begin * width - from * 8;
        const uint64_t mask = mask_of(width);
        for (size_t i = 0; i < count; ++i)
        {
            const size_t bit = skip_bits + i * width;
            const unsigned shift = bit & 7;
            const uint64_t low = load<uint64_t>(tail + (bit >> 3)) >> shift;
            const uint64_t high = static_cast<uint8_t>(tail[(bit >> 3) + 8]);
            out[i] = (shift ? low | high << (64 - shift) : low) & mask;
        }
        return;
    }
    unpack_bits_plain(packed, size, begin, count, width, out);
}

void unpack_narrow_bits(const char* packed, size_t size, size_t begin, size_t count,
                        unsigned width, uint32_t* out)
{
    BASALT_DCHECK(width <= kMaxNarrowWidth);
    if (width > 0 && begin % 8 == 0 && has_avx2())
    {
        const size_t first_byte = begin / 8 * width;
        const size_t reach = width / 2 + 16; // bytes read from where eight values begin
        const size_t fit =
            size < first_byte + reach ? 0 : (size - first_byte - reach) / width + 1;
        const size_t eights = std::min(count / 8, fit);
        unpack_eights(packed + first_byte, eights, width, out);
        begin += eights * 8;
        count -= eights * 8;
        out += eights * 8;
    }
    uint64_t wide[64];
    while (count)
    {
        const size_t some = std::min(count, std::size(wide));
        unpack_bits(packed, size, begin, some, width, wide);
        for (size_t i = 0; i < some; ++i)
            out[i] = static_cast<uint32_t>(wide[i]);
        begin += some;
        count -= some;
        out += some;
    }
}

} // namespace basalt::encodings
