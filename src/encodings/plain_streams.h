#pragma once

// A column as streams of plain bytes, and back. Which streams a type has, in this order:
//   fixed-width values   Values: the numbers, little-endian, back to back
//   String               Lengths, then Values: the characters
//   FixedString, IPv6    Values
//   Nullable(T)          Nulls: one byte a row, then T's streams
//   Array(T), Map        Lengths, then the streams of the items
//   Tuple                the streams of each element
//   AggregateFunction    Lengths, then Values: serialised states
// A stream is cut at granules and each piece goes through a codec (plain_frames.h).

#include "codecs/codec.h"
#include "columns/block.h"

#include <vector>

namespace basalt::inline encodings
{

// Deepest type that can be stored, and most streams of one column.
inline constexpr size_t kMaxStreams = 4096;

struct PlainStream
{
    enum class Kind : uint8_t
    {
        Values,
        Lengths,
        Nulls,
    } kind = Kind::Values;
    CodecElement element; // of Values
};

// Throws NOT_IMPLEMENTED for types that cannot be stored.
std::vector<PlainStream> plain_streams_of(const TypePtr& type);

// Appends rows [begin, begin + count) of a flat column to `streams` (one string per stream).
// Lengths that are all equal become four bytes when there are kConstantLengthRows or more; a
// piece of Nulls without NULL stays empty.
inline constexpr size_t kConstantLengthRows = 8;
void write_plain_streams(const Column& column, const TypePtr& type, size_t begin, size_t count,
                         std::vector<std::string>& streams);

// Gives the bytes of a piece of a stream to read_plain_streams.
class PlainSource
{
public:
    virtual ~PlainSource() = default;
    virtual size_t size_of(size_t stream) const = 0; // original bytes
    virtual void read(size_t stream, char* to) const = 0; // size_of() bytes
};

// Appends `count` rows to the flat column. Throws CORRUPTED_DATA.
void read_plain_streams(Column& column, const TypePtr& type, size_t count,
                        const PlainSource& source);

// What ClickHouse would count as the column's uncompressed size.
size_t binary_bytes(const Column& flat, size_t begin, size_t count);

} // namespace basalt::encodings
