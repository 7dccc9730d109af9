#pragma once

// Bytes of pages that were read and checked, kept for the next query: they are neither read, copied
// nor checked again. One for the process, as its memory is. Parts never change, so that nothing
// here grows old; a part takes its pages with it. Reads past the system's cache (direct I/O) and
// merges leave it alone. Setting basalt_page_cache.
// Threads: every method from any thread.

#include "base/pod_vector.h"

#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace basalt
{

class PageCache
{
public:
    using Bytes = std::shared_ptr<const PodVector<char>>;

    explicit PageCache(size_t most_bytes);

    // Null when it is not held.
    Bytes find(const void* part, size_t column, size_t page);
    // Copies the bytes when there is room. A full cache takes one offer in kOffersRefused, in the
    // place of pages that were not asked for again: so a table that is larger than the cache keeps
    // a share of its pages here instead of driving all of them out in turn.
    void offer(const void* part, size_t column, size_t page, std::string_view bytes);
    // The part's address may be used again afterwards.
    void forget(const void* part);

    size_t held_bytes() const;

private:
    static constexpr size_t kShards = 16;
    static constexpr size_t kOffersRefused = 16;
    static constexpr size_t kMostLookedAt = 64; // for a place, at one offer
    static constexpr size_t kLeastOfShard = 8;  // a page takes at most this part of a shard

    struct Key
    {
        const void* part;
        uint32_t column;
        uint32_t page;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash
    {
        size_t operator()(const Key& key) const;
    };
    struct Entry
    {
        Key key;
        Bytes bytes;
        bool asked_again = false;
    };
    struct Shard
    {
        mutable std::mutex mutex;
        std::unordered_map<Key, size_t, KeyHash> places; // in entries
        std::vector<Entry> entries;
        std::unordered_map<const void*, size_t> of_part; // how many entries
        size_t bytes = 0;
        size_t hand = 0; // where the next place is looked for
        size_t offers = 0; // to the full shard
    };
    Shard& shard_of(const Key& key);
    static void remove(Shard& shard, size_t place);
    bool make_room(Shard& shard, size_t bytes) const;

    size_t shard_bytes_;
    Shard shards_[kShards];
};

// A tenth of the memory that the process may use.
PageCache& page_cache();

} // namespace basalt
