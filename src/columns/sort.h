#pragma once

// Sorting blocks and merging sorted ones.

#include "columns/block.h"

namespace basalt
{

struct SortKey
{
    size_t column = 0;
    bool descending = false;
    // Where NULL and NaN go, in the result's order: last is ClickHouse's default for both directions.
    bool nulls_first = false;
};
using SortKeys = std::vector<SortKey>;

// Row numbers of `block` in sorted order; with limit > 0 only the first `limit` of them.
// Stable: equal rows keep their order.
RowIndexes sort_rows(const Block& block, const SortKeys& keys, size_t limit = 0);
bool is_sorted(const Block& block, const SortKeys& keys);

// Compares row a of block x with row b of block y by the keys: <0, 0, >0.
int compare_rows(const Block& x, size_t a, const Block& y, size_t b, const SortKeys& keys);

// Merges sorted inputs. next() of an input returns an empty block at its end.
class SortedInput
{
public:
    virtual ~SortedInput() = default;
    virtual Block next() = 0;
};

class SortedMerge
{
public:
    // block_rows: the most rows of a merged block; one may have fewer, unless whole_blocks, when
    // all but the last have as many. Equal rows come in the order of the inputs.
    SortedMerge(std::vector<std::unique_ptr<SortedInput>> inputs, SortKeys keys,
                size_t block_rows, bool whole_blocks = false);
    ~SortedMerge();
    // The next merged rows; an empty block at the end. When the rows of a stretch come from one
    // input only they are sliced from it, not copied row by row (but for whole_blocks).
    Block next();
    // For each row of the last block, the number of the input it came from.
    const PodVector<uint32_t>& last_sources() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace basalt
