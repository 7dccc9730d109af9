#pragma once

// How states of aggregate functions become bytes: little-endian fixed values, LEB128 counts, texts
// with their length. The reader checks every length against what is there and throws
// CORRUPTED_DATA, so that no bytes can make a state read past its end or grow without bound.

#include "base/error.h"
#include "base/unaligned.h"
#include "columns/column.h"

#include <string>
#include <string_view>

namespace basalt
{

template <class T> inline void put_fixed(std::string& out, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline void put_count(std::string& out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

inline void put_text(std::string& out, std::string_view text)
{
    put_count(out, text.size());
    out.append(text);
}

class StateReader
{
public:
    StateReader(const char* data, size_t size) : begin_(data), at_(data), end_(data + size) {}

    size_t consumed() const { return static_cast<size_t>(at_ - begin_); }
    size_t left() const { return static_cast<size_t>(end_ - at_); }
    const char* position() const { return at_; }
    const char* end() const { return end_; }
    void skip(size_t bytes) { at_ += bytes; }

    template <class T> T fixed()
    {
        need(sizeof(T));
        const T value = load<T>(at_);
        at_ += sizeof(T);
        return value;
    }
    uint64_t count();
    // A count of items that take at least item_bytes each.
    size_t count_of(size_t item_bytes)
    {
        const uint64_t items = count();
        if (items > left() / item_bytes)
            corrupted();
        return items;
    }
    std::string_view bytes(size_t size)
    {
        need(size);
        const std::string_view view(at_, size);
        at_ += size;
        return view;
    }
    std::string_view text() { return bytes(count_of(1)); }

    [[noreturn]] static void corrupted();

private:
    void need(size_t bytes)
    {
        if (bytes > left()) [[unlikely]]
            corrupted();
    }

    const char* begin_;
    const char* at_;
    const char* end_;
};

// One value in the form of Column::append_key, checked while it is read.
void put_key(std::string& out, const Column& column, size_t row);
void read_key(Column& into, StateReader& in);

// A whole column: count, then fixed-width values as they lie in memory or keys one by one.
void put_column(std::string& out, const Column& column);
void read_column(Column& into, StateReader& in);

} // namespace basalt
