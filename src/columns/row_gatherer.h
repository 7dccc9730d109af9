#pragma once

// Rows of several blocks in an order of their own, copied once. For sorting what came in many
// blocks without making one of them first. Threads: take() from any.

#include "columns/block.h"

namespace basalt
{

struct RowRef
{
    uint32_t block;
    uint32_t row;
};
using RowRefs = PodVector<RowRef>;

class RowGatherer
{
public:
    // Blocks of one header, columns in any form.
    explicit RowGatherer(std::vector<Block> blocks);

    const std::vector<Block>& blocks() const { return blocks_; }
    // The rows refs[0, count). Dictionaries stay dictionaries where that is smaller.
    Block take(const RowRef* refs, size_t count) const;

private:
    std::vector<Block> blocks_;
};

} // namespace basalt
