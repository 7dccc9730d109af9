#pragma once

// Writes into the bytes of a StringColumn that is being built: end_row() closes a row.

#include "columns/column.h"
#include "io/buffer.h"

namespace basalt
{

class ColumnTextBuffer final : public OutputBuffer
{
public:
    explicit ColumnTextBuffer(StringColumn& column, size_t expected_bytes = 0) : column_(column)
    {
        base_ = column.chars().size();
        make_room(expected_bytes + 64);
    }
    ~ColumnTextBuffer() override { ColumnTextBuffer::flush(); }

    void end_row() { column_.offsets().push_back(base_ + static_cast<size_t>(pos_ - begin_)); }
    // The column is complete after it.
    void flush() override { column_.chars().resize(base_ + static_cast<size_t>(pos_ - begin_)); }

protected:
    void make_room(size_t size) override
    {
        auto& chars = column_.chars();
        const auto used = static_cast<size_t>(pos_ - begin_);
        chars.resize(base_ + used); // what must survive growing
        chars.reserve(std::max(base_ + used + size, (base_ + used) * 2));
        begin_ = chars.data() + base_;
        pos_ = begin_ + used;
        end_ = chars.data() + chars.capacity();
    }
    void write_slow(const char* data, size_t size) override
    {
        make_room(size);
        write(data, size);
    }

private:
    StringColumn& column_;
    size_t base_;
};

} // namespace basalt
