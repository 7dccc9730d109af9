#pragma once

// Bloom filters of many entries stored bit-sliced: for each position of a filter the bits of many
// entries stand side by side, so that a lookup reads one short row for each hash function instead
// of the whole index. Layout in docs/format/skip_index.md.

#include "storage/skip_index/skip_index.h"

#include <vector>

namespace basalt
{

struct FilterGeometry
{
    uint32_t bits = 64; // of an entry's filter, a multiple of 64
    uint8_t hashes = 1;

    static constexpr size_t kMaxHashes = 30;
    static constexpr uint32_t kMaxBits = 1u << 30;

    // For entries of `keys` distinct keys: m = -n ln p / (ln 2)^2, k = m / n ln 2 (Bloom 1970).
    static FilterGeometry for_rate(size_t keys, double rate);
    static FilterGeometry with_bits(uint64_t bits, size_t hashes);

    // The i-th position of a hash (Kirsch and Mitzenmacher 2006: two hashes make the rest).
    uint32_t position(uint64_t hash, size_t i) const
    {
        const uint64_t mixed = hash + i * ((hash >> 32) | (hash << 32) | 1);
        return static_cast<uint32_t>((static_cast<UInt128>(mixed) * bits) >> 64);
    }
    bool operator==(const FilterGeometry&) const = default;
};

// Memory: about 2 x kSlicedChunkBytes, more when a single filter is large.
inline constexpr size_t kSlicedChunkBytes = 16 << 20;

class SlicedFilterWriter
{
public:
    SlicedFilterWriter();

    // Before the first key of an entry; entries in one chunk have the same geometry.
    void begin_entry(FilterGeometry geometry);
    void add(uint64_t hash)
    {
        for (size_t i = 0; i < geometry_.hashes; ++i)
        {
            const uint32_t at = geometry_.position(hash, i);
            current_[at / 64] |= uint64_t{1} << (at % 64);
        }
    }
    std::string take_bytes();
    std::string finish();

private:
    void write_chunk();

    FilterGeometry geometry_;
    std::vector<std::vector<uint64_t>> entries_; // used_ of them; their memory is used again
    size_t used_ = 0;
    uint64_t* current_ = nullptr;
    std::string bytes_;
};

class SlicedFilterReader
{
public:
    // Throws CORRUPTED_DATA.
    explicit SlicedFilterReader(SkipIndexSource source);

    // False: bytes of another version, of which nothing is known.
    bool readable() const { return readable_; }
    // possible[i] becomes 1 for entries that may hold all of the keys; others are left alone.
    void find_all(const std::vector<uint64_t>& hashes, std::vector<uint8_t>& possible) const;

private:
    struct Chunk
    {
        uint64_t offset = 0; // of its first group
        size_t first = 0;
        size_t entries = 0;
        FilterGeometry geometry;
    };
    void add_row(const Chunk& chunk, uint32_t row, std::vector<uint64_t>& all) const;

    SkipIndexSource source_;
    std::vector<Chunk> chunks_;
    bool readable_ = true;
};

} // namespace basalt
