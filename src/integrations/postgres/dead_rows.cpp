#include "integrations/postgres/dead_rows.h"

#include "base/error.h"
#include "storage/log/record.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace basalt::pg
{

namespace
{

// How a chunk stands in bytes; numbers on disk, never reused.
enum class ChunkForm : uint8_t
{
    Alive = 0,
    Dead = 1,
    Bits = 2,
    List = 3, // few dead: their places, two bytes each
};
constexpr uint32_t kMaxListed = 2048;

} // namespace

const std::shared_ptr<const DeadRows::Chunk>& DeadRows::full_chunk()
{
    static const std::shared_ptr<const Chunk> full = []
    {
        auto chunk = std::make_shared<Chunk>();
        chunk->words.fill(~uint64_t{0});
        chunk->count = kChunkRows;
        return chunk;
    }();
    return full;
}

bool DeadRows::all_alive(uint64_t begin, uint64_t end) const
{
    for (uint64_t at = begin / kChunkRows; at * kChunkRows < end && at < chunks_.size(); ++at)
        if (chunks_[at])
            return false;
    return true;
}

DeadRows DeadRows::with(const std::vector<RowRange>& ranges) const
{
    DeadRows result = *this;
    std::shared_ptr<Chunk> open; // a copy that is being changed
    uint64_t open_at = 0;
    const auto close = [&]
    {
        if (!open)
            return;
        if (open->count == kChunkRows)
            result.chunks_[open_at] = full_chunk();
        else
            result.chunks_[open_at] = std::move(open);
        open.reset();
    };
    for (const RowRange& range : ranges)
        for (uint64_t row = range.begin; row < range.end;)
        {
            const uint64_t at = row / kChunkRows;
            const uint64_t end = std::min(range.end, (at + 1) * kChunkRows);
            if (at >= result.chunks_.size())
                result.chunks_.resize(at + 1);
            if (!open || open_at != at)
            {
                close();
                open = result.chunks_[at] ? std::make_shared<Chunk>(*result.chunks_[at])
                                          : std::make_shared<Chunk>();
                open_at = at;
            }
            const uint32_t before = open->count;
            for (; row < end;)
            {
                const uint64_t bit = row % kChunkRows;
                const uint64_t last = std::min<uint64_t>(end - at * kChunkRows, (bit / 64 + 1) * 64);
                const uint64_t width = last - bit;
                const uint64_t mask = (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1)
                                      << (bit % 64);
                uint64_t& word = open->words[bit / 64];
                open->count += static_cast<uint32_t>(std::popcount(mask & ~word));
                word |= mask;
                row += width;
            }
            result.count_ += open->count - before;
        }
    close();
    return result;
}

DeadRows DeadRows::without(RowRange range) const
{
    DeadRows result = *this;
    for (uint64_t row = range.begin; row < range.end;)
    {
        const uint64_t at = row / kChunkRows;
        const uint64_t end = std::min(range.end, (at + 1) * kChunkRows);
        if (at < result.chunks_.size() && result.chunks_[at])
        {
            auto chunk = std::make_shared<Chunk>(*result.chunks_[at]);
            for (uint64_t i = row % kChunkRows; i < end - at * kChunkRows; ++i)
                chunk->words[i / 64] &= ~(uint64_t{1} << (i % 64));
            const uint32_t before = chunk->count;
            chunk->count = 0;
            for (const uint64_t word : chunk->words)
                chunk->count += static_cast<uint32_t>(std::popcount(word));
            result.count_ -= before - chunk->count;
            if (chunk->count == 0)
                chunk.reset();
            result.chunks_[at] = std::move(chunk);
        }
        row = end;
    }
    return result;
}

size_t DeadRows::byte_size() const
{
    size_t bytes = chunks_.size() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_)
        if (chunk && chunk != full_chunk())
            bytes += sizeof(Chunk);
    return bytes;
}

void DeadRows::append_to(std::string& out) const
{
    append_varint(out, chunks_.size());
    for (const auto& chunk : chunks_)
    {
        if (!chunk)
            out.push_back(static_cast<char>(ChunkForm::Alive));
        else if (chunk->count == kChunkRows)
            out.push_back(static_cast<char>(ChunkForm::Dead));
        else if (chunk->count <= kMaxListed)
        {
            out.push_back(static_cast<char>(ChunkForm::List));
            append_varint(out, chunk->count);
            for (size_t i = 0; i < chunk->words.size(); ++i)
                for (uint64_t word = chunk->words[i]; word; word &= word - 1)
                {
                    const auto bit = i * 64 + static_cast<size_t>(std::countr_zero(word));
                    out.push_back(static_cast<char>(bit & 0xFF));
                    out.push_back(static_cast<char>(bit >> 8));
                }
        }
        else
        {
            out.push_back(static_cast<char>(ChunkForm::Bits));
            out.append(reinterpret_cast<const char*>(chunk->words.data()), sizeof(chunk->words));
        }
    }
}

DeadRows DeadRows::take(std::string_view& bytes)
{
    const auto need = [&](size_t n)
    {
        if (bytes.size() < n)
            throw Error(error_codes::INCORRECT_DATA, "The bitmap of dead rows is cut short");
        const std::string_view taken = bytes.substr(0, n);
        bytes.remove_prefix(n);
        return taken;
    };
    DeadRows result;
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        std::shared_ptr<Chunk> chunk;
        switch (static_cast<ChunkForm>(need(1)[0]))
        {
        case ChunkForm::Alive:
            break;
        case ChunkForm::Dead:
            result.chunks_.push_back(full_chunk());
            result.count_ += kChunkRows;
            continue;
        case ChunkForm::Bits:
        {
            chunk = std::make_shared<Chunk>();
            std::memcpy(chunk->words.data(), need(sizeof(chunk->words)).data(),
                        sizeof(chunk->words));
            break;
        }
        case ChunkForm::List:
        {
            chunk = std::make_shared<Chunk>();
            for (uint64_t left = take_varint(bytes); left > 0; --left)
            {
                const std::string_view place = need(2);
                const size_t bit = static_cast<uint8_t>(place[0]) |
                                   static_cast<size_t>(static_cast<uint8_t>(place[1])) << 8;
                chunk->words[bit / 64] |= uint64_t{1} << (bit % 64);
            }
            break;
        }
        default:
            throw Error(error_codes::INCORRECT_DATA, "The bitmap of dead rows is damaged");
        }
        if (chunk)
            for (const uint64_t word : chunk->words)
                chunk->count += static_cast<uint32_t>(std::popcount(word));
        result.count_ += chunk ? chunk->count : 0;
        result.chunks_.push_back(std::move(chunk));
    }
    return result;
}

std::vector<RowRange> ranges_of(std::vector<uint64_t> rows)
{
    std::sort(rows.begin(), rows.end());
    std::vector<RowRange> ranges;
    for (const uint64_t row : rows)
    {
        if (!ranges.empty() && ranges.back().end > row)
            continue; // named twice
        if (!ranges.empty() && ranges.back().end == row)
            ++ranges.back().end;
        else
            ranges.push_back({row, row + 1});
    }
    return ranges;
}

} // namespace basalt::pg
