#pragma once

// A set of byte strings, numbered in the order of their first coming. The bytes live in the arena
// that insert() is given. For states of aggregate functions: empty it takes no memory of its own.

#include "base/arena.h"
#include "base/hash.h"
#include "base/pod_vector.h"

#include <string_view>

namespace basalt
{

class KeySet
{
public:
    size_t size() const { return keys_.size(); }

    // The number of the key, which is size() - 1 when it is new.
    size_t insert(std::string_view key, Arena& arena)
    {
        const uint64_t hash = hash_bytes(key.data(), key.size());
        if ((keys_.size() + 1) * 2 > slots_.size())
            grow();
        for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1))
        {
            if (slots_[at] == 0)
            {
                keys_.push_back({arena.copy(key).data(), key.size(), hash});
                slots_[at] = static_cast<uint32_t>(keys_.size());
                return keys_.size() - 1;
            }
            const Key& known = keys_[slots_[at] - 1];
            if (known.hash == hash && known.view() == key)
                return slots_[at] - 1;
        }
    }
    // The number of the key, or size() when it is not in the set.
    size_t find(std::string_view key) const
    {
        const uint64_t hash = hash_bytes(key.data(), key.size());
        if (slots_.empty())
            return keys_.size();
        for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1))
        {
            if (slots_[at] == 0)
                return keys_.size();
            const Key& known = keys_[slots_[at] - 1];
            if (known.hash == hash && known.view() == key)
                return slots_[at] - 1;
        }
    }
    std::string_view operator[](size_t i) const { return keys_[i].view(); }
    template <class Call> void for_each(Call&& call) const
    {
        for (const Key& key : keys_)
            call(key.view());
    }

private:
    struct Key
    {
        const char* data;
        size_t size;
        uint64_t hash;
        std::string_view view() const { return {data, size}; }
    };

    void grow()
    {
        slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
        for (size_t i = 0; i < keys_.size(); ++i)
        {
            size_t at = keys_[i].hash & (slots_.size() - 1);
            while (slots_[at] != 0)
                at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<uint32_t>(i + 1);
        }
    }

    PodVector<Key> keys_;
    PodVector<uint32_t> slots_; // number of the key + 1; 0 = free
};

} // namespace basalt
