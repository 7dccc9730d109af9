#include "storage/skip_index/sliced_filter.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/hash.h"

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

constexpr char kVersion = 2;
constexpr size_t kHeadBytes = 8;
constexpr size_t kChunkHeadBytes = 16;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kGroupBits = 8192; // least bits under one checksum, where there are so many
constexpr size_t kMaxChunkEntries = 4096;
constexpr size_t kLeastChunkEntries = 8;

uint32_t checksum_of(const char* bytes, size_t size)
{
    return static_cast<uint32_t>(xxh3_64(bytes, size));
}

// Rows under one checksum: a multiple of 8, so that a group is whole bytes.
size_t group_rows(size_t entries)
{
    return (kGroupBits / entries + 8) / 8 * 8;
}

size_t bytes_of_bits(size_t bits)
{
    return (bits + 7) / 8;
}

uint64_t body_bytes(size_t entries, size_t rows)
{
    const size_t group = group_rows(entries);
    const size_t whole = rows / group, rest = rows % group;
    return whole * (group * entries / 8 + kChecksumBytes) +
           (rest ? bytes_of_bits(rest * entries) + kChecksumBytes : 0);
}

// Bit i of word j becomes bit j of word i, by halves (Warren, Hacker's Delight, 7-3).
void transpose_64(uint64_t* words)
{
    uint64_t mask = 0x00000000FFFFFFFFull;
    for (size_t half = 32; half; half /= 2, mask ^= mask << half)
        for (size_t i = 0; i < 64; i = (i + half + 1) & ~half)
        {
            const uint64_t moved = ((words[i] >> half) ^ words[i + half]) & mask;
            words[i + half] ^= moved;
            words[i] ^= moved << half;
        }
}

// The same of 8 x 8 bits: byte j is word j.
uint64_t transpose_8(uint64_t x)
{
    uint64_t moved = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAull;
    x ^= moved ^ (moved << 7);
    moved = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCull;
    x ^= moved ^ (moved << 14);
    moved = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ull;
    return x ^ moved ^ (moved << 28);
}

// Bits of any number behind each other.
class BitWriter
{
public:
    explicit BitWriter(std::string& out) : out_(out) {}
    // The lowest `count` bits (1 … 64); higher ones are zero.
    void append(uint64_t bits, unsigned count)
    {
        held_ |= bits << used_;
        if (used_ + count < 64)
        {
            used_ += count;
            return;
        }
        put(8);
        const unsigned written = 64 - used_;
        held_ = written < 64 ? bits >> written : 0;
        used_ = count - written;
    }
    void flush()
    {
        put(bytes_of_bits(used_));
        held_ = 0;
        used_ = 0;
    }

private:
    void put(size_t bytes) { out_.append(reinterpret_cast<const char*>(&held_), bytes); }

    std::string& out_;
    uint64_t held_ = 0;
    unsigned used_ = 0; // less than 64
};

// Calls row(i, its words) for the 64 rows that are bits of the word `at` of each entry.
template <class Row>
void for_rows(const std::vector<std::vector<uint64_t>>& entries, size_t count, size_t at,
              std::vector<uint64_t>& tiles, Row&& row)
{
    if (count == 1)
    {
        for (size_t i = 0; i < 64; ++i)
        {
            const uint64_t bit = entries[0][at] >> i & 1;
            row(&bit);
        }
        return;
    }
    if (count <= 8)
    {
        for (size_t byte = 0; byte < 64; byte += 8)
        {
            uint64_t square = 0;
            for (size_t entry = 0; entry < count; ++entry)
                square |= (entries[entry][at] >> byte & 0xFF) << (entry * 8);
            square = transpose_8(square);
            for (size_t i = 0; i < 64; i += 8)
            {
                const uint64_t bits = square >> i & 0xFF;
                row(&bits);
            }
        }
        return;
    }
    const size_t words = (count + 63) / 64;
    tiles.assign(words * 64, 0);
    for (size_t tile = 0; tile < words; ++tile)
    {
        uint64_t* square = tiles.data() + tile * 64;
        for (size_t entry = tile * 64; entry < std::min(count, (tile + 1) * 64); ++entry)
            square[entry % 64] = entries[entry][at];
        transpose_64(square);
    }
    std::vector<uint64_t> one(words);
    for (size_t i = 0; i < 64; ++i)
    {
        for (size_t tile = 0; tile < words; ++tile)
            one[tile] = tiles[tile * 64 + i];
        row(one.data());
    }
}

} // namespace

FilterGeometry FilterGeometry::for_rate(size_t keys, double rate)
{
    const double per_key = -std::log(rate) / (std::log(2.0) * std::log(2.0));
    return with_bits(static_cast<uint64_t>(per_key * static_cast<double>(keys)),
                     static_cast<size_t>(std::max(std::round(per_key * std::log(2.0)), 1.0)));
}

FilterGeometry FilterGeometry::with_bits(uint64_t bits, size_t hashes)
{
    FilterGeometry geometry;
    geometry.bits =
        static_cast<uint32_t>((std::clamp<uint64_t>(bits, 64, kMaxBits) + 63) / 64 * 64);
    geometry.hashes = static_cast<uint8_t>(std::clamp<size_t>(hashes, 1, kMaxHashes));
    return geometry;
}

SlicedFilterWriter::SlicedFilterWriter()
{
    bytes_.push_back(kVersion);
    bytes_.append(kHeadBytes - 1, '\0');
}

void SlicedFilterWriter::begin_entry(FilterGeometry geometry)
{
    const size_t most = std::clamp<size_t>(kSlicedChunkBytes / (geometry_.bits / 8),
                                           kLeastChunkEntries, kMaxChunkEntries);
    if (used_ && (used_ == most || geometry != geometry_))
        write_chunk();
    geometry_ = geometry;
    if (used_ == entries_.size())
        entries_.emplace_back();
    entries_[used_].assign(geometry.bits / 64, 0);
    current_ = entries_[used_++].data();
}

std::string SlicedFilterWriter::take_bytes()
{
    return std::exchange(bytes_, {});
}

std::string SlicedFilterWriter::finish()
{
    if (used_)
        write_chunk();
    return take_bytes();
}

void SlicedFilterWriter::write_chunk()
{
    const size_t count = std::exchange(used_, 0);
    char head[kChunkHeadBytes] = {};
    store(head, static_cast<uint32_t>(count));
    store(head + 4, geometry_.bits);
    head[8] = static_cast<char>(geometry_.hashes);
    store(head + 12, checksum_of(head, 12));
    bytes_.append(head, kChunkHeadBytes);
    const uint64_t body = body_bytes(count, geometry_.bits);
    bytes_.reserve(bytes_.size() + body);
    const size_t start = bytes_.size();
    const size_t group = group_rows(count);
    size_t group_start = start, left = group;
    BitWriter writer(bytes_);
    const auto end_group = [&]
    {
        writer.flush();
        const uint32_t checksum =
            checksum_of(bytes_.data() + group_start, bytes_.size() - group_start);
        bytes_.append(reinterpret_cast<const char*>(&checksum), kChecksumBytes);
        group_start = bytes_.size();
        left = group;
    };
    std::vector<uint64_t> tiles;
    for (size_t at = 0; at < geometry_.bits / 64; ++at)
        for_rows(entries_, count, at, tiles,
                 [&](const uint64_t* row)
                 {
                     size_t bits = count;
                     for (; bits > 64; bits -= 64)
                         writer.append(*row++, 64);
                     writer.append(*row, static_cast<unsigned>(bits));
                     if (--left == 0)
                         end_group();
                 });
    if (left < group)
        end_group();
    BASALT_ASSERT(bytes_.size() - start == body);
}

SlicedFilterReader::SlicedFilterReader(SkipIndexSource source) : source_(std::move(source))
{
    const std::string head = source_.read(0, kHeadBytes);
    readable_ = head[0] == kVersion;
    if (!readable_)
        return;
    size_t first = 0;
    for (uint64_t at = kHeadBytes; at < source_.size;)
    {
        const std::string bytes = source_.read(at, kChunkHeadBytes);
        Chunk chunk;
        chunk.offset = at + kChunkHeadBytes;
        chunk.first = first;
        chunk.entries = load<uint32_t>(bytes.data());
        chunk.geometry.bits = load<uint32_t>(bytes.data() + 4);
        chunk.geometry.hashes = static_cast<uint8_t>(bytes[8]);
        if (load<uint32_t>(bytes.data() + 12) != checksum_of(bytes.data(), 12))
            throw Error(error_codes::CHECKSUM_DOESNT_MATCH,
                        "Checksum of a chunk's head does not match");
        if (chunk.entries == 0 || chunk.entries > kMaxChunkEntries || chunk.geometry.bits == 0 ||
            chunk.geometry.bits > FilterGeometry::kMaxBits)
            throw Error(error_codes::CORRUPTED_DATA, "A chunk's head is damaged");
        first += chunk.entries;
        at = chunk.offset + body_bytes(chunk.entries, chunk.geometry.bits);
        chunks_.push_back(chunk);
    }
    if (first != source_.entries)
        throw Error(error_codes::CORRUPTED_DATA, "It has the wrong number of entries");
}

// all &= the row.
void SlicedFilterReader::add_row(const Chunk& chunk, uint32_t row, std::vector<uint64_t>& all) const
{
    const size_t group = group_rows(chunk.entries);
    const size_t number = row / group;
    const size_t rows = std::min<size_t>(group, chunk.geometry.bits - number * group);
    const size_t bytes = bytes_of_bits(rows * chunk.entries);
    std::string read =
        source_.read(chunk.offset + number * (group * chunk.entries / 8 + kChecksumBytes),
                     bytes + kChecksumBytes);
    if (load<uint32_t>(read.data() + bytes) != checksum_of(read.data(), bytes))
        throw Error(error_codes::CHECKSUM_DOESNT_MATCH, "Checksum of rows does not match");
    read.append(16, '\0');
    size_t bit = row % group * chunk.entries;
    for (auto& word : all)
    {
        const char* at = read.data() + bit / 8;
        const unsigned shift = bit % 8;
        uint64_t bits = load<uint64_t>(at) >> shift;
        if (shift)
            bits |= static_cast<uint64_t>(static_cast<uint8_t>(at[8])) << (64 - shift);
        word &= bits;
        bit += 64;
    }
}

void SlicedFilterReader::find_all(const std::vector<uint64_t>& hashes,
                                  std::vector<uint8_t>& possible) const
{
    std::vector<uint64_t> all;
    for (const Chunk& chunk : chunks_)
    {
        all.assign((chunk.entries + 63) / 64, ~uint64_t{0});
        bool some = true;
        for (size_t h = 0; some && h < hashes.size(); ++h)
        {
            for (size_t i = 0; i < chunk.geometry.hashes; ++i)
                add_row(chunk, chunk.geometry.position(hashes[h], i), all);
            if (chunk.entries % 64)
                all.back() &= (uint64_t{1} << (chunk.entries % 64)) - 1;
            some = std::any_of(all.begin(), all.end(), [](uint64_t word) { return word != 0; });
        }
        for (size_t i = 0; some && i < chunk.entries; ++i)
            possible[chunk.first + i] |= static_cast<uint8_t>(all[i / 64] >> (i % 64) & 1);
    }
}

} // namespace basalt
