#include "storage/mergetree/page_cache.h"

#include "base/threads.h"

#include <cstring>

namespace basalt
{

size_t PageCache::KeyHash::operator()(const Key& key) const
{
    uint64_t hash = reinterpret_cast<uintptr_t>(key.part) * 0x9E3779B97F4A7C15ull;
    hash ^= (uint64_t{key.column} << 32 | key.page) * 0xC2B2AE3D27D4EB4Full;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9ull;
    return hash ^ hash >> 32;
}

PageCache::PageCache(size_t most_bytes) : shard_bytes_(most_bytes / kShards) {}

PageCache::Shard& PageCache::shard_of(const Key& key)
{
    return shards_[KeyHash()(key) % kShards];
}

PageCache::Bytes PageCache::find(const void* part, size_t column, size_t page)
{
    const Key key{part, static_cast<uint32_t>(column), static_cast<uint32_t>(page)};
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    const auto found = shard.places.find(key);
    if (found == shard.places.end())
        return nullptr;
    Entry& entry = shard.entries[found->second];
    entry.asked_again = true;
    return entry.bytes;
}

void PageCache::remove(Shard& shard, size_t place)
{
    Entry& entry = shard.entries[place];
    shard.bytes -= entry.bytes->size();
    shard.places.erase(entry.key);
    const auto count = shard.of_part.find(entry.key.part);
    if (--count->second == 0)
        shard.of_part.erase(count);
    if (place + 1 != shard.entries.size())
    {
        entry = std::move(shard.entries.back());
        shard.places[entry.key] = place;
    }
    shard.entries.pop_back();
}

bool PageCache::make_room(Shard& shard, size_t bytes) const
{
    if (shard.bytes + bytes <= shard_bytes_)
        return true;
    if (++shard.offers % kOffersRefused != 0)
        return false;
    for (size_t looked_at = 0; looked_at < kMostLookedAt && !shard.entries.empty(); ++looked_at)
    {
        if (shard.hand >= shard.entries.size())
            shard.hand = 0;
        Entry& entry = shard.entries[shard.hand];
        if (entry.asked_again)
        {
            entry.asked_again = false;
            ++shard.hand;
            continue;
        }
        remove(shard, shard.hand);
        if (shard.bytes + bytes <= shard_bytes_)
            return true;
    }
    return false;
}

void PageCache::offer(const void* part, size_t column, size_t page, std::string_view bytes)
{
    if (bytes.size() > shard_bytes_ / kLeastOfShard)
        return;
    const Key key{part, static_cast<uint32_t>(column), static_cast<uint32_t>(page)};
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    if (shard.places.contains(key) || !make_room(shard, bytes.size()))
        return;
    auto copy = std::make_shared<PodVector<char>>();
    copy->resize_exact(bytes.size());
    std::memcpy(copy->data(), bytes.data(), bytes.size());
    shard.bytes += bytes.size();
    shard.places.emplace(key, shard.entries.size());
    ++shard.of_part[part];
    shard.entries.push_back({key, std::move(copy), false});
}

void PageCache::forget(const void* part)
{
    for (Shard& shard : shards_)
    {
        std::lock_guard lock(shard.mutex);
        for (size_t i = 0; shard.of_part.contains(part) && i < shard.entries.size();)
            if (shard.entries[i].key.part == part)
                remove(shard, i);
            else
                ++i;
    }
}

size_t PageCache::held_bytes() const
{
    size_t bytes = 0;
    for (const Shard& shard : shards_)
    {
        std::lock_guard lock(shard.mutex);
        bytes += shard.bytes;
    }
    return bytes;
}

PageCache& page_cache()
{
    constexpr size_t kShareOfMemory = 10;
    // Never destroyed: parts may outlive other statics.
    static PageCache* cache = new PageCache(granted_memory_bytes() / kShareOfMemory);
    return *cache;
}

} // namespace basalt
