#include "storage/skip_index/sized_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace basalt
{

namespace
{

constexpr size_t kMaxWaitingEntries = 4096;
constexpr size_t kFewRepeats = 4; // more hashes for each distinct one are worth sorting

} // namespace

// About as many as there are: linear counting (Whang, Vander-Zanden, Taylor 1990).
size_t SizedFilterWriter::count_distinct(const std::vector<uint64_t>& hashes)
{
    const size_t bits = std::bit_ceil(std::max<size_t>(hashes.size(), 64)) * 2;
    const unsigned shift = 64 - static_cast<unsigned>(std::countr_zero(bits));
    seen_.assign(bits / 64, 0);
    for (const uint64_t hash : hashes)
    {
        const uint64_t at = (hash * 0x9E3779B97F4A7C15ull) >> shift;
        seen_[at / 64] |= uint64_t{1} << (at % 64);
    }
    size_t set = 0;
    for (const uint64_t word : seen_)
        set += static_cast<size_t>(std::popcount(word));
    const auto all = static_cast<double>(bits);
    const double estimate = -all * std::log1p(-static_cast<double>(set) / all);
    return std::min(hashes.size(), static_cast<size_t>(std::ceil(estimate)));
}

void SizedFilterWriter::add_entry(std::vector<uint64_t>& hashes)
{
    size_t keys = count_distinct(hashes);
    if (hashes.size() > kFewRepeats * keys)
    {
        std::sort(hashes.begin(), hashes.end());
        hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
        keys = hashes.size();
    }
    if (!ends_.empty() &&
        (waiting_.size() + hashes.size() > kMaxWaitingKeys || ends_.size() == kMaxWaitingEntries))
        write_waiting();
    waiting_.insert(waiting_.end(), hashes.begin(), hashes.end());
    ends_.push_back(waiting_.size());
    most_keys_ = std::max(most_keys_, keys);
    last_keys_ = keys;
}

void SizedFilterWriter::write_waiting()
{
    write_entries(0, ends_.size(), most_keys_);
    waiting_.clear();
    ends_.clear();
    most_keys_ = 0;
}

void SizedFilterWriter::write_entries(size_t first, size_t end, size_t most_keys)
{
    const FilterGeometry geometry = geometry_for_(most_keys);
    size_t at = first ? ends_[first - 1] : 0;
    for (size_t entry = first; entry < end; ++entry)
    {
        filters_.begin_entry(geometry);
        for (; at < ends_[entry]; ++at)
            filters_.add(waiting_[at]);
    }
}

std::string SizedFilterWriter::finish()
{
    // The last entry may be of a few rows.
    const bool apart = ends_.size() > 1 && last_keys_ < most_keys_ / 2;
    write_entries(0, ends_.size() - apart, most_keys_);
    write_entries(ends_.size() - apart, ends_.size(), last_keys_);
    return filters_.finish();
}

} // namespace basalt
