#pragma once

// Integers of up to 64 bits as a string of bytes that any range can be read from: constant, frame
// of reference with bit packing and patched outliers (PFOR, after Zukowski et al., "Super-Scalar
// RAM-CPU Cache Compression", 2006), differences packed the same way, runs, a dictionary, and a
// common divisor taken out before; what has patterns that packing does not see is left to ZSTD. Layout in docs/format/page.md, "Integers".
// Everything is modulo 2^64; signed values of any width are passed sign-extended.

#include "base/pod_vector.h"
#include "encodings/byte_reader.h"

#include <algorithm>
#include <vector>

namespace basalt::inline encodings
{

// Values of one block; ranges that begin at a multiple of it are cheapest to read.
inline constexpr size_t kIntegerBlock = 8192;
inline constexpr size_t kMaxIntegerDictionary = 4096;

// A block is given to ZSTD when that saves at least one byte in so many: packed blocks are read
// quicker and answer conditions. Columns of their own, and slots of templates.
enum class ZstdShare : uint8_t
{
    OneInFour = 4,
    OneInTen = 10,
};

// Appends the stream. The choice between the ways is made on a sample, and per block by exact
// sizes. is_signed: the values are ordered as int64_t (a matter of size only).
void write_integers(const uint64_t* values, size_t count, bool is_signed, std::string& out,
                    ZstdShare share = ZstdShare::OneInFour);

// The same for codes below `domain`: codes that the values use are numbered by frequency where
// that makes them smaller.
void write_codes(const uint32_t* codes, size_t count, size_t domain, std::string& out,
                 ZstdShare share = ZstdShare::OneInFour);
// The same for numbers[codes[i]] below `domain`, no two alike; uses: how often each code comes, at
// least once.
void write_numbered_codes(const uint32_t* codes, size_t count, const PodVector<uint32_t>& numbers,
                          const PodVector<uint32_t>& uses, size_t domain, std::string& out);

class IntegerReader
{
public:
    IntegerReader() = default;
    // Checks the head only; the blocks are checked as they are read. Throws CORRUPTED_DATA.
    // The bytes must outlive the reader. Reading is thread-safe.
    IntegerReader(std::string_view bytes, size_t count);

    size_t size() const { return count_; }
    bool is_constant() const { return kind_ == kConstant; }
    uint64_t constant() const { return offset_; }
    // Values of a stream that is stored as a dictionary and codes; empty when it is not.
    const std::vector<uint64_t>& dictionary() const { return dictionary_; }

    // Values [begin, begin + count) modulo the width of T.
    void read(size_t begin, size_t count, uint64_t* out) const;
    template <class T> void read_as(size_t begin, size_t count, T* out) const
    {
        if constexpr (sizeof(T) == sizeof(uint64_t))
        {
            read(begin, count, reinterpret_cast<uint64_t*>(out));
            return;
        }
        uint64_t buffer[kChunk];
        while (count)
        {
            // Chunks end where blocks end.
            const size_t some = std::min({count, kChunk - begin % kChunk});
            read(begin, some, buffer);
            for (size_t i = 0; i < some; ++i)
                out[i] = static_cast<T>(buffer[i]);
            begin += some;
            count -= some;
            out += some;
        }
    }
    // False, and nothing is promised of out, when one of the values is not below `limit`, which is
    // at most 2^31. The quickest way to read codes.
    bool read_below(size_t begin, size_t count, uint32_t limit, uint32_t* out) const;
    // Codes into dictionary(), each checked to be in it.
    void read_codes(size_t begin, size_t count, uint64_t* out) const;

    // out[i] = answers[code of value begin + i]; answers: one for each of dictionary().
    void look_up(size_t begin, size_t count, const PodVector<uint8_t>& answers, uint8_t* out) const;

    static constexpr size_t kChunk = kIntegerBlock;

    // Numbers on disk.
    enum Kind : uint8_t
    {
        kConstant = 0,
        kBlocks = 1,
        kDictionary = 2,
    };
    enum Method : uint8_t
    {
        kOneValue = 0,
        kPacked = 1,
        kDeltas = 2,
        kRuns = 3,
        kZstd = 4,
        kSecondDeltas = 5,
    };
    static constexpr uint8_t kZstdDeltas = 0x80; // beside the number of planes

private:
    void open_blocks(ByteReader reader);
    void read_blocks(size_t begin, size_t count, uint64_t* out) const;
    void read_block(size_t block, size_t begin, size_t count, uint64_t* out) const;
    bool read_blocks_below(size_t begin, size_t count, uint32_t limit, uint32_t* out) const;
    bool read_block_below(size_t block, size_t begin, size_t count, uint32_t limit,
                          uint32_t* out) const;

    size_t count_ = 0;
    uint8_t kind_ = kConstant;
    uint64_t offset_ = 0; // or the constant
    uint64_t scale_ = 1;
    std::vector<uint64_t> dictionary_;
    std::vector<const char*> blocks_; // begin of each, and the end
};

} // namespace basalt::encodings
