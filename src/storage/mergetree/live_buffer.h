#pragma once

// Rows of small inserts that stand in the log but in no part yet. Guarded by its table's lock.

#include "columns/block.h"

#include <vector>

namespace basalt
{

struct LiveBlock
{
    Block block;
    uint64_t version = 0; // of the table's metadata when it was inserted
};

class LiveBuffer
{
public:
    // In order of sequence. Small neighbours are put together.
    void append(LiveBlock block, uint64_t sequence, int64_t unix_s);

    std::vector<LiveBlock> blocks() const;
    uint64_t rows() const { return rows_; }
    uint64_t bytes() const { return bytes_; }
    bool empty() const { return entries_.empty(); }
    uint64_t oldest_sequence() const; // UINT64_MAX when empty
    int64_t oldest_unix_s() const { return entries_.front().unix_s; } // not empty

    // What came up to that sequence number, which stays until remove_through(through).
    struct Batch
    {
        std::vector<LiveBlock> blocks;
        uint64_t through = 0;
        uint64_t rows = 0;
    };
    Batch begin_flush(uint64_t max_sequence);
    void remove_through(uint64_t sequence);

private:
    struct Entry
    {
        Block block;
        uint64_t version = 0;
        uint64_t first = 0, last = 0; // sequences
        uint64_t bytes = 0;
        int64_t unix_s = 0;
    };
    std::vector<Entry> entries_;
    uint64_t rows_ = 0;
    uint64_t bytes_ = 0;
    uint64_t flushing_through_ = 0;
};

} // namespace basalt
