#include "storage/mergetree/live_buffer.h"

#include "base/error.h"
#include "encodings/page.h"

namespace basalt
{

void LiveBuffer::append(LiveBlock block, uint64_t sequence, int64_t unix_s)
{
    if (block.block.rows() == 0)
        return;
    Entry entry{std::move(block.block), block.version, sequence, sequence, 0, unix_s};
    rows_ += entry.block.rows();
    // As a binary counter: each row is copied a logarithmic number of times. What is being
    // flushed stays apart, so that it can be removed.
    while (!entries_.empty())
    {
        Entry& last = entries_.back();
        if (last.first <= flushing_through_ || last.version != entry.version ||
            last.block.rows() > 2 * entry.block.rows() ||
            last.block.rows() + entry.block.rows() > kPageRows)
            break;
        entry.block = concat_blocks({last.block, entry.block});
        entry.first = last.first;
        entry.unix_s = last.unix_s;
        bytes_ -= last.bytes;
        entries_.pop_back();
    }
    entry.bytes = entry.block.byte_size();
    bytes_ += entry.bytes;
    entries_.push_back(std::move(entry));
}

std::vector<LiveBlock> LiveBuffer::blocks() const
{
    std::vector<LiveBlock> blocks;
    for (const auto& entry : entries_)
        blocks.push_back({entry.block, entry.version});
    return blocks;
}

uint64_t LiveBuffer::oldest_sequence() const
{
    return entries_.empty() ? UINT64_MAX : entries_.front().first;
}

LiveBuffer::Batch LiveBuffer::begin_flush(uint64_t max_sequence)
{
    Batch batch;
    for (const auto& entry : entries_)
    {
        if (entry.last > max_sequence)
            break;
        batch.blocks.push_back({entry.block, entry.version});
        batch.rows += entry.block.rows();
        batch.through = entry.last;
    }
    flushing_through_ = batch.through;
    return batch;
}

void LiveBuffer::remove_through(uint64_t sequence)
{
    size_t removed = 0;
    while (removed < entries_.size() && entries_[removed].last <= sequence)
    {
        rows_ -= entries_[removed].block.rows();
        bytes_ -= entries_[removed].bytes;
        ++removed;
    }
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(removed));
    BASALT_ASSERT(entries_.empty() || entries_.front().first > sequence);
}

} // namespace basalt
