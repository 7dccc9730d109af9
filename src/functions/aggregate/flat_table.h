#pragma once

// Open addressing tables of integers for states: linear probing, a power of two of slots, at most
// half full; empty they take no memory. Key 0 has a place of its own.

#include "base/hash.h"
#include "base/pod_vector.h"

namespace basalt
{

template <class Key> inline uint64_t table_hash(const Key& key)
{
    if constexpr (sizeof(Key) == 16)
        return hash_int(static_cast<uint64_t>(key)) ^ static_cast<uint64_t>(key >> 64);
    else
        return hash_int(static_cast<uint64_t>(key));
}

template <class Key> class FlatSet
{
public:
    size_t size() const { return used_ + (has_zero_ ? 1 : 0); }

    bool insert(Key key) // whether it is new
    {
        if (key == Key(0))
        {
            const bool fresh = !has_zero_;
            has_zero_ = true;
            return fresh;
        }
        if ((used_ + 1) * 2 > slots_.size())
            grow();
        Key& slot = slots_[place_of(key)];
        if (slot == key)
            return false;
        slot = key;
        ++used_;
        return true;
    }
    void reserve(size_t keys)
    {
        size_t slots = 16;
        while (slots < keys * 2)
            slots *= 2;
        if (slots > slots_.size())
            rehash(slots);
    }
    void clear()
    {
        slots_ = PodVector<Key>();
        used_ = 0;
        has_zero_ = false;
    }
    template <class Call> void for_each(Call&& call) const
    {
        if (has_zero_)
            call(Key(0));
        for (const Key& key : slots_)
            if (!(key == Key(0)))
                call(key);
    }

private:
    size_t place_of(Key key) const
    {
        size_t at = table_hash(key) & (slots_.size() - 1);
        while (!(slots_[at] == Key(0)) && !(slots_[at] == key))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    void grow() { rehash(slots_.empty() ? 16 : slots_.size() * (slots_.size() < 65536 ? 4 : 2)); }
    void rehash(size_t slots)
    {
        PodVector<Key> old(slots, Key(0));
        old.swap(slots_);
        for (const Key& key : old)
            if (!(key == Key(0)))
                slots_[place_of(key)] = key;
    }

    PodVector<Key> slots_;
    size_t used_ = 0;
    bool has_zero_ = false;
};

// Key to a number that is added to.
template <class Key> class FlatCounts
{
public:
    struct Item
    {
        Key key;
        uint64_t count;
    };

    size_t size() const { return used_; }

    void add(Key key, uint64_t count)
    {
        if ((used_ + 1) * 2 > slots_.size())
            rehash(slots_.empty() ? 16 : slots_.size() * (slots_.size() < 65536 ? 4 : 2));
        Item& item = slots_[place_of(key)];
        if (item.count == 0)
        {
            item.key = key;
            ++used_;
        }
        item.count += count;
    }
    template <class Call> void for_each(Call&& call) const
    {
        for (const Item& item : slots_)
            if (item.count)
                call(item.key, item.count);
    }

private:
    size_t place_of(const Key& key) const
    {
        size_t at = table_hash(key) & (slots_.size() - 1);
        while (slots_[at].count && !(slots_[at].key == key))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    void rehash(size_t slots)
    {
        PodVector<Item> old(slots, Item{Key(0), 0});
        old.swap(slots_);
        for (const Item& item : old)
            if (item.count)
                slots_[place_of(item.key)] = item;
    }

    PodVector<Item> slots_; // count 0 = free
    size_t used_ = 0;
};

} // namespace basalt
