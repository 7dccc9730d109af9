#include "encodings/hex_text.h"

#include "base/unaligned.h"

#include <tmmintrin.h>

namespace basalt::inline encodings
{

namespace
{

struct Digits
{
    __m128i values; // 0 … 15 where valid
    __m128i valid;  // all bits set
};

inline Digits digits_of(__m128i text, char first_letter)
{
    const __m128i digit = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i letter = _mm_sub_epi8(text, _mm_set1_epi8(first_letter));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    const __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
    const __m128i letter_value = _mm_add_epi8(letter, _mm_set1_epi8(10));
    return {_mm_or_si128(_mm_and_si128(is_digit, digit),
                         _mm_and_si128(is_letter, letter_value)),
            _mm_or_si128(is_digit, is_letter)};
}

inline char first_letter_of(HexCase letters)
{
    return letters == HexCase::Lower ? 'a' : 'A';
}

inline __m128i load16(const char* from)
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

} // namespace

bool parse_hex_plain(const char* text, size_t digits, HexCase letters, char* out)
{
    for (size_t i = 0; i + 1 < digits; i += 2)
    {
        const int high = hex_digit(text[i], letters);
        const int low = hex_digit(text[i + 1], letters);
        if (high < 0 || low < 0)
            return false;
        out[i / 2] = static_cast<char>(high << 4 | low);
    }
    return true;
}

bool parse_hex(const char* text, size_t digits, HexCase letters, char* out)
{
    const __m128i weights = _mm_set1_epi16(0x0110);
    const char first = first_letter_of(letters);
    __m128i valid = _mm_set1_epi8(-1);
    size_t i = 0;
    for (; i + 32 <= digits; i += 32)
    {
        const Digits a = digits_of(load16(text + i), first);
        const Digits b = digits_of(load16(text + i + 16), first);
        valid = _mm_and_si128(valid, _mm_and_si128(a.valid, b.valid));
        const __m128i bytes = _mm_packus_epi16(_mm_maddubs_epi16(a.values, weights),
                                               _mm_maddubs_epi16(b.values, weights));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i / 2), bytes);
    }
    for (; i + 16 <= digits; i += 16)
    {
        const Digits a = digits_of(load16(text + i), first);
        valid = _mm_and_si128(valid, a.valid);
        const __m128i bytes =
            _mm_packus_epi16(_mm_maddubs_epi16(a.values, weights), _mm_setzero_si128());
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i / 2), bytes);
    }
    return _mm_movemask_epi8(valid) == 0xFFFF &&
           parse_hex_plain(text + i, digits - i, letters, out + i / 2);
}

void write_hex_plain(const char* bytes, size_t count, HexCase letters, char* out)
{
    const char* table = letters == HexCase::Lower ? "0123456789abcdef" : "0123456789ABCDEF";
    for (size_t i = 0; i < count; ++i)
    {
        const auto byte = static_cast<uint8_t>(bytes[i]);
        out[2 * i] = table[byte >> 4];
        out[2 * i + 1] = table[byte & 15];
    }
}

void write_hex(const char* bytes, size_t count, HexCase letters, char* out)
{
    const __m128i table =
        load16(letters == HexCase::Lower ? "0123456789abcdef" : "0123456789ABCDEF");
    const __m128i low_four = _mm_set1_epi8(15);
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
    {
        const __m128i value = load16(bytes + i);
        const __m128i high = _mm_and_si128(_mm_srli_epi16(value, 4), low_four);
        const __m128i low = _mm_and_si128(value, low_four);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i),
                         _mm_shuffle_epi8(table, _mm_unpacklo_epi8(high, low)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i + 16),
                         _mm_shuffle_epi8(table, _mm_unpackhi_epi8(high, low)));
    }
    if (i + 8 <= count)
    {
        const __m128i value = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + i));
        const __m128i high = _mm_and_si128(_mm_srli_epi16(value, 4), low_four);
        const __m128i low = _mm_and_si128(value, low_four);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i),
                         _mm_shuffle_epi8(table, _mm_unpacklo_epi8(high, low)));
        i += 8;
    }
    write_hex_plain(bytes + i, count - i, letters, out + 2 * i);
}

size_t hex_run(const char* text, size_t limit, HexCase letters)
{
    const char first = first_letter_of(letters);
    size_t i = 0;
    for (; i + 16 <= limit; i += 16)
    {
        const auto valid = static_cast<unsigned>(
            _mm_movemask_epi8(digits_of(load16(text + i), first).valid));
        if (valid != 0xFFFF)
            return i + static_cast<size_t>(__builtin_ctz(~valid));
    }
    while (i < limit && hex_digit(text[i], letters) >= 0)
        ++i;
    return i;
}

} // namespace basalt::encodings
