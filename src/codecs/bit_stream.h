#pragma once

// Bits to and from bytes, highest bit of each byte first, as DoubleDelta and Gorilla store them.

#include "base/unaligned.h"

#include <string>

namespace basalt
{

// Appends to a string; finish() pads the last byte with zero bits.
class BitWriter
{
public:
    explicit BitWriter(std::string& out) : out_(out) {}

    // The lowest `bits` of `value`, 0 to 64 of them.
    void write(unsigned bits, uint64_t value)
    {
        if (bits < 64)
            value &= (uint64_t{1} << bits) - 1;
        if (used_ + bits < 64)
        {
            pending_ = pending_ << bits | value;
            used_ += bits;
            return;
        }
        const unsigned rest = used_ + bits - 64; // bits that do not fit the word
        const uint64_t word =
            (bits - rest == 64 ? 0 : pending_ << (bits - rest)) | (rest < 64 ? value >> rest : 0);
        const uint64_t big_endian = __builtin_bswap64(word);
        out_.append(reinterpret_cast<const char*>(&big_endian), 8);
        pending_ = rest ? value & ((uint64_t{1} << rest) - 1) : 0;
        used_ = rest;
    }

    void finish()
    {
        while (used_ > 0)
        {
            const unsigned bits = used_ < 8 ? used_ : 8;
            out_ += static_cast<char>((pending_ >> (used_ - bits)) << (8 - bits));
            used_ -= bits;
        }
    }

private:
    std::string& out_;
    uint64_t pending_ = 0; // its lowest used_ bits
    unsigned used_ = 0;    // fewer than 64
};

class BitReader
{
public:
    BitReader(const char* data, size_t bytes) : data_(data), bytes_(bytes), bits_(bytes * 8) {}

    // Whether `bits` more can be read.
    bool has(unsigned bits) const { return bits_ - at_ >= bits; }

    // The next `bits` (0 to 64) as the lowest bits of the result; has(bits) holds.
    uint64_t read(unsigned bits)
    {
        if (bits == 0)
            return 0;
        if (bits > 57)
        {
            const uint64_t high = read(bits - 32);
            return high << 32 | read(32);
        }
        const uint64_t result = window() >> (64 - bits);
        at_ += bits;
        return result;
    }

    // Up to 57 coming bits at the top of the word, zeros past the end.
    uint64_t window() const
    {
        const size_t byte = at_ >> 3;
        uint64_t word = 0;
        if (bytes_ - byte >= 8)
            word = load<uint64_t>(data_ + byte);
        else if (byte < bytes_)
            std::memcpy(&word, data_ + byte, bytes_ - byte);
        return __builtin_bswap64(word) << (at_ & 7);
    }

    void skip(unsigned bits) { at_ += bits; }

private:
    const char* data_;
    size_t bytes_;
    size_t bits_;
    size_t at_ = 0; // never past bits_
};

} // namespace basalt
