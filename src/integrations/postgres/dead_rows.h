#pragma once

// Which of the numbered rows of a table are dead: a bitmap in chunks that versions share. Numbers
// are given in order, so that most chunks are alive or dead as a whole and cost nothing; the rest
// cost a bit a row. Immutable; a change is a new version that shares what it does not touch.
// Threads: const methods from any thread.

#include "base/int_types.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace basalt::pg
{

// Rows [begin, end).
struct RowRange
{
    uint64_t begin = 0;
    uint64_t end = 0;
    bool operator==(const RowRange&) const = default;
};

class DeadRows
{
public:
    static constexpr uint64_t kChunkRows = 65536;

    bool contains(uint64_t row) const
    {
        const uint64_t at = row / kChunkRows;
        if (at >= chunks_.size() || !chunks_[at])
            return false;
        const uint64_t bit = row % kChunkRows;
        return chunks_[at]->words[bit / 64] >> (bit % 64) & 1;
    }
    uint64_t count() const { return count_; }
    bool empty() const { return count_ == 0; }
    // Whether no row of [begin, end) is dead; may say false where that is so.
    bool all_alive(uint64_t begin, uint64_t end) const;

    // A version where these are dead too; rows that are dead already change nothing.
    DeadRows with(const std::vector<RowRange>& ranges) const;
    // A version where rows of [begin, end) are not listed any more: they do not exist.
    DeadRows without(RowRange range) const;

    size_t byte_size() const;
    void append_to(std::string& out) const;
    // INCORRECT_DATA for bytes that append_to did not write.
    static DeadRows take(std::string_view& bytes);

private:
    struct Chunk
    {
        std::array<uint64_t, kChunkRows / 64> words{};
        uint32_t count = 0;
    };
    static const std::shared_ptr<const Chunk>& full_chunk();

    std::vector<std::shared_ptr<const Chunk>> chunks_;
    uint64_t count_ = 0;
};

// Sorted numbers as ranges.
std::vector<RowRange> ranges_of(std::vector<uint64_t> rows);

} // namespace basalt::pg
