#pragma once

// The counters of a running query as the block that ProfileEvents packets carry.

#include "base/query_context.h"
#include "columns/block.h"

#include <array>
#include <optional>

namespace basalt
{

class ProfileEventsSender
{
public:
    void enable(bool on) { enabled_ = on; }

    // What changed since the last call; nothing when nothing did or it is not enabled.
    std::optional<Block> changes(const QueryContext& context);

private:
    bool enabled_ = false;
    std::array<uint64_t, kProfileEventCount> sent_{};
    int64_t sent_memory_bytes_ = 0, sent_peak_bytes_ = 0;
};

} // namespace basalt
