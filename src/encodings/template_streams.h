#pragma once

// The two halves of a page of templates: a description that is compressed as a whole and also
// holds small streams, and a body of larger streams in the same order.

#include "encodings/byte_reader.h"

namespace basalt::inline encodings
{

class StreamSink
{
public:
    std::string& description() { return description_; }
    void add(std::string_view stream)
    {
        const bool inside = stream.size() < kSmall;
        append_varint(description_, stream.size() * 2 + inside);
        (inside ? description_ : body_) += stream;
    }
    // Appends both: varint raw size, varint stored size, the description (ZSTD when the sizes
    // differ), the body.
    void finish(int level, std::string& out) const;

    static constexpr size_t kSmall = 256;

private:
    std::string description_;
    std::string body_;
};

class StreamSource
{
public:
    StreamSource() = default;
    explicit StreamSource(std::string_view bytes);

    ByteReader& description() { return reader_; }
    std::string_view next();

private:
    std::string description_; // when it was compressed
    ByteReader reader_;
    ByteReader body_;
};

} // namespace basalt::encodings
