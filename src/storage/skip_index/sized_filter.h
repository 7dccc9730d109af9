#pragma once

// Bit-sliced filters whose size follows how many distinct keys the entries turn out to have, so
// that arrays and words fill them no more than single values do.

#include "storage/skip_index/sliced_filter.h"

#include <functional>

namespace basalt
{

// Keys of entries that wait until their chunk's size is known.
inline constexpr size_t kMaxWaitingKeys = 2 << 20;

class SizedFilterWriter
{
public:
    // geometry_for(distinct keys of the fullest entry of a chunk)
    explicit SizedFilterWriter(std::function<FilterGeometry(size_t keys)> geometry_for)
        : geometry_for_(std::move(geometry_for))
    {
    }

    // Hashes of the next entry's keys; some may be equal. `hashes` may be changed.
    void add_entry(std::vector<uint64_t>& hashes);
    std::string take_bytes() { return filters_.take_bytes(); }
    std::string finish();

private:
    size_t count_distinct(const std::vector<uint64_t>& hashes);
    void write_waiting();
    void write_entries(size_t first, size_t end, size_t most_keys);

    std::function<FilterGeometry(size_t)> geometry_for_;
    SlicedFilterWriter filters_;
    std::vector<uint64_t> waiting_;
    std::vector<size_t> ends_; // of entries in waiting_
    size_t most_keys_ = 0;
    size_t last_keys_ = 0;
    std::vector<uint64_t> seen_; // bits
};

} // namespace basalt
