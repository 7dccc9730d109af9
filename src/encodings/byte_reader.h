#pragma once

// Reads untrusted bytes from front to back; every read is checked. Varint: 7 bits a byte, least
// significant first, the high bit says that more follow, at most 10 bytes.

#include "base/error.h"
#include "base/unaligned.h"

#include <string>
#include <string_view>

namespace basalt::inline encodings
{

[[noreturn]] inline void throw_damaged_page(const char* what)
{
    throw Error(error_codes::CORRUPTED_DATA, std::string("Damaged page: ") + what);
}

class ByteReader
{
public:
    ByteReader() = default;
    explicit ByteReader(std::string_view bytes)
        : at_(bytes.data()), end_(bytes.data() + bytes.size())
    {
    }

    const char* at() const { return at_; }
    const char* end() const { return end_; }
    size_t left() const { return static_cast<size_t>(end_ - at_); }

    uint8_t byte()
    {
        need(1);
        return static_cast<uint8_t>(*at_++);
    }
    template <class T> T fixed()
    {
        need(sizeof(T));
        const T value = load<T>(at_);
        at_ += sizeof(T);
        return value;
    }
    uint64_t varint()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7)
        {
            const uint8_t next = byte();
            value |= static_cast<uint64_t>(next & 0x7F) << shift;
            if (next < 0x80)
                return value;
        }
        throw_damaged_page("a number is too long");
    }
    // A varint that is at most `limit`.
    size_t count(uint64_t limit, const char* what)
    {
        const uint64_t value = varint();
        if (value > limit)
            throw_damaged_page(what);
        return static_cast<size_t>(value);
    }
    std::string_view bytes(size_t size)
    {
        need(size);
        const std::string_view view(at_, size);
        at_ += size;
        return view;
    }

private:
    void need(size_t size) const
    {
        if (left() < size)
            throw_damaged_page("it ends too early");
    }

    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

inline void append_varint(std::string& out, uint64_t value)
{
    while (value >= 0x80)
    {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

inline size_t varint_bytes(uint64_t value)
{
    return value == 0 ? 1 : (static_cast<size_t>(64 - __builtin_clzll(value)) + 6) / 7;
}

// Small numbers of either sign become small unsigned ones.
inline uint64_t zigzag(uint64_t value)
{
    return (value << 1) ^ (0 - (value >> 63));
}
inline uint64_t unzigzag(uint64_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

} // namespace basalt::encodings
