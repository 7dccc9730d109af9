#pragma once

// Named counters of one query (and, summed, of the server): system.events and
// query_log.ProfileEvents. Names are ClickHouse's where the meaning is the same.

#include "base/int_types.h"

#include <array>
#include <atomic>
#include <string_view>

namespace basalt
{

#define BASALT_PROFILE_EVENTS(M)                                                                   \
    M(Query) M(SelectQuery) M(InsertQuery) M(FailedQuery) M(QueryTimeMicroseconds)                 \
    M(SelectedRows) M(SelectedBytes) M(SelectedParts) M(SelectedPartsTotal) M(SelectedRanges)      \
    M(SelectedMarks) M(SelectedMarksTotal) M(InsertedRows) M(InsertedBytes)                        \
    M(ReadCompressedBytes) M(CompressedReadBufferBlocks) M(CompressedReadBufferBytes)              \
    M(ReadBufferFromFileDescriptorReadBytes) M(OSReadBytes) M(OSWriteBytes)                        \
    M(FileOpen) M(MarkCacheHits) M(MarkCacheMisses) M(UncompressedCacheHits)                       \
    M(UncompressedCacheMisses) M(MergedRows) M(MergedUncompressedBytes) M(Merge)                   \
    M(MergeTreeDataWriterRows) M(MergeTreeDataWriterUncompressedBytes)                             \
    M(MergeTreeDataWriterCompressedBytes) M(MergeTreeDataWriterBlocks)                             \
    M(ExternalSortWritePart) M(ExternalAggregationWritePart) M(NetworkSendBytes)                   \
    M(NetworkReceiveBytes) M(RealTimeMicroseconds) M(UserTimeMicroseconds)                         \
    M(FilteringMarksWithPrimaryKeyMicroseconds) M(WalRecords) M(WalBytes) M(WalSyncs)              \
    M(PagesDecidedWithoutDecoding) M(PagesDecoded)

enum class ProfileEvent : uint8_t
{
#define BASALT_EVENT(name) name,
    BASALT_PROFILE_EVENTS(BASALT_EVENT)
#undef BASALT_EVENT
        Count_
};

std::string_view profile_event_name(ProfileEvent event);
inline constexpr size_t kProfileEventCount = static_cast<size_t>(ProfileEvent::Count_);

class ProfileCounters
{
public:
    explicit ProfileCounters(ProfileCounters* parent = nullptr) : parent_(parent) {}

    void add(ProfileEvent event, uint64_t n = 1)
    {
        values_[static_cast<size_t>(event)].fetch_add(n, std::memory_order_relaxed);
        if (parent_)
            parent_->add(event, n);
    }
    uint64_t get(ProfileEvent event) const
    {
        return values_[static_cast<size_t>(event)].load(std::memory_order_relaxed);
    }

private:
    std::array<std::atomic<uint64_t>, kProfileEventCount> values_{};
    ProfileCounters* parent_;
};

// Sum over everything since the server's start.
ProfileCounters& server_profile_counters();

} // namespace basalt
