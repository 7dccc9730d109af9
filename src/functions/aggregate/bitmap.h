#pragma once

// Sets of integers of one type T, 8 to 64 bits wide, as groupBitmap keeps them: up to
// kSmallBitmapValues in order of arrival, more in a Roaring bitmap (Lemire et al., 2016).
// Bytes of a state: 0, count, values as they came; or 1, LEB128 length, Roaring's portable form
// (for 64 bits its form of 32-bit bitmaps by their upper halves).

#include "functions/aggregate/state_io.h"

#include <roaring/roaring64map.hh>

#include <algorithm>
#include <memory>
#include <vector>

namespace basalt
{

inline constexpr size_t kSmallBitmapValues = 32;

template <class T> class Bitmap
{
public:
    static constexpr bool kWide = sizeof(T) == 8;
    using Large = std::conditional_t<kWide, Roaring64Map, Roaring>;
    using Key = std::conditional_t<kWide, uint64_t, uint32_t>;

    Bitmap() = default;
    Bitmap(Bitmap&&) noexcept = default;
    Bitmap& operator=(Bitmap&&) noexcept = default;
    Bitmap(const Bitmap& other) { *this = other; }
    Bitmap& operator=(const Bitmap& other)
    {
        small_ = other.small_;
        large_ = other.large_ ? std::make_unique<Large>(*other.large_) : nullptr;
        return *this;
    }

    void add(T value)
    {
        if (large_)
        {
            large_->add(key(value));
            return;
        }
        if (std::find(small_.begin(), small_.end(), value) != small_.end())
            return;
        small_.push_back(value);
        if (small_.size() > kSmallBitmapValues)
            grow();
    }
    bool contains(T value) const
    {
        if (large_)
            return large_->contains(key(value));
        return std::find(small_.begin(), small_.end(), value) != small_.end();
    }
    uint64_t size() const { return large_ ? large_->cardinality() : small_.size(); }

    // Calls f(T) for each value: in order of arrival while small, then ascending.
    template <class F> void for_each(F&& f) const
    {
        if (large_)
            for (const auto value : *large_)
                f(static_cast<T>(value));
        else
            for (const T value : small_)
                f(value);
    }
    std::vector<T> values() const
    {
        std::vector<T> all;
        all.reserve(size());
        for_each([&](T value) { all.push_back(value); });
        return all;
    }

    void unite(const Bitmap& other)
    {
        if (other.large_)
        {
            grow();
            *large_ |= *other.large_;
            return;
        }
        for (const T value : other.small_)
            add(value);
    }
    void intersect(const Bitmap& other)
    {
        if (large_ && other.large_)
            *large_ &= *other.large_;
        else if (large_)
        {
            std::vector<T> both;
            for (const T value : other.small_)
                if (contains(value))
                    both.push_back(value);
            small_ = std::move(both);
            large_.reset();
        }
        else
            std::erase_if(small_, [&](T value) { return !other.contains(value); });
    }
    void subtract(const Bitmap& other)
    {
        if (large_ && other.large_)
            *large_ -= *other.large_;
        else if (large_)
            for (const T value : other.small_)
                large_->remove(key(value));
        else
            std::erase_if(small_, [&](T value) { return other.contains(value); });
    }
    void exclusive(const Bitmap& other)
    {
        Bitmap only = other;
        only.subtract(*this);
        subtract(other);
        unite(only);
    }

    void write(std::string& out) const
    {
        out += large_ ? '\1' : '\0';
        if (!large_)
        {
            put_count(out, small_.size());
            for (const T value : small_)
                put_fixed(out, value);
            return;
        }
        Large packed = *large_;
        packed.runOptimize();
        const size_t bytes = packed.getSizeInBytes(true);
        put_count(out, bytes);
        const size_t begin = out.size();
        out.resize(begin + bytes);
        packed.write(out.data() + begin, true);
    }
    void read(StateReader& in)
    {
        small_.clear();
        large_.reset();
        const auto kind = in.fixed<uint8_t>();
        if (kind > 1)
            StateReader::corrupted();
        if (kind == 0)
        {
            for (size_t left = in.count_of(sizeof(T)); left > 0; --left)
                add(in.fixed<T>());
            return;
        }
        read_large(in.text());
    }

private:
    static Key key(T value) { return static_cast<Key>(value); }

    void grow()
    {
        if (large_)
            return;
        large_ = std::make_unique<Large>();
        for (const T value : small_)
            large_->add(key(value));
        small_.clear();
    }
    // The library trusts what it reads, so the bounds are checked before, one bitmap at a time.
    void read_large(std::string_view bytes)
    {
        large_ = std::make_unique<Large>();
        if constexpr (!kWide)
            *large_ = read_one(bytes, bytes.size());
        else
        {
            StateReader in(bytes.data(), bytes.size());
            for (auto left = in.fixed<uint64_t>(); left > 0; --left)
            {
                const uint64_t high = in.fixed<uint32_t>();
                size_t used = 0;
                const Roaring part = read_one({in.position(), in.left()}, 0, &used);
                in.bytes(used);
                for (const uint32_t low : part)
                    large_->add(high << 32 | low);
            }
        }
    }
    static Roaring read_one(std::string_view bytes, size_t exact, size_t* used = nullptr)
    {
        const size_t size = roaring_bitmap_portable_deserialize_size(bytes.data(), bytes.size());
        if (size == 0 || size > bytes.size() || (exact && size != exact))
            StateReader::corrupted();
        if (used)
            *used = size;
        roaring_bitmap_t* read = roaring_bitmap_portable_deserialize_safe(bytes.data(), size);
        if (!read)
            StateReader::corrupted();
        return Roaring(read);
    }

    std::vector<T> small_;
    std::unique_ptr<Large> large_;
};

// The state of groupBitmap and of groupBitmapAnd, …Or and …Xor.
template <class T> struct BitmapState
{
    Bitmap<T> bitmap;
    bool started = false;
};

// The integer type of the bitmaps of an AggregateFunction(groupBitmap…, …); null for other types.
TypePtr bitmap_item_type(const TypePtr& type);

// Calls f(T{}) with the integer that holds values of a type that bitmaps take; false for others.
template <class F> bool visit_bitmap_item(const TypePtr& type, F&& f)
{
    if (!type->is_integer())
        return false;
    switch (type->physical())
    {
        case PhysicalType::UInt8: f(uint8_t{}); return true;
        case PhysicalType::UInt16: f(uint16_t{}); return true;
        case PhysicalType::UInt32: f(uint32_t{}); return true;
        case PhysicalType::UInt64: f(uint64_t{}); return true;
        case PhysicalType::Int8: f(int8_t{}); return true;
        case PhysicalType::Int16: f(int16_t{}); return true;
        case PhysicalType::Int32: f(int32_t{}); return true;
        case PhysicalType::Int64: f(int64_t{}); return true;
        default: return false;
    }
}

} // namespace basalt
