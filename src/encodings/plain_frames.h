#pragma once

// Pieces: a column cut at granules, each piece of each stream a frame of its own through a codec.
// Layout in docs/format/page.md, "Pieces".

#include "encodings/plain_streams.h"

#include <string_view>

namespace basalt::inline encodings
{

// Codecs of a column's streams. `text` as in ColumnEncodingOptions; empty: LZ4 where it pays.
class StreamCodecs
{
public:
    StreamCodecs(const TypePtr& type, const std::string& text);
    // One stream of dictionary codes: what the text says for any bytes.
    static StreamCodecs of_codes(const std::string& text);
    // ZSTD of the level where it pays.
    static StreamCodecs automatic(const TypePtr& type, int level);
    size_t size() const { return streams_.size(); }
    // Appends one frame: a method byte and the codec's bytes; nothing for an empty piece.
    void write_frame(size_t stream, std::string_view piece, std::string& out) const;

private:
    StreamCodecs() = default;
    struct Stream
    {
        CodecPtr codec;
        bool check = false; // read back after writing
    };
    std::vector<Stream> streams_;
    bool obey_ = false; // an explicit codec is used even where it does not pay
};

// Appends pieces of rows [begin, begin + count) of a flat column.
void write_pieces(const Column& column, const TypePtr& type, size_t begin, size_t count,
                  size_t granule_rows, const StreamCodecs& codecs, std::string& out);

// A view of pieces that write_pieces made. Reading is thread-safe.
class Pieces
{
public:
    Pieces() = default;
    // Throws CORRUPTED_DATA when `bytes` cannot hold them.
    Pieces(std::string_view bytes, size_t granules, size_t streams);

    size_t original_bytes(size_t granule, size_t stream) const;
    // original_bytes() bytes.
    void read(size_t granule, size_t stream, char* to) const;
    // Appends the granule's rows.
    void read_rows(size_t granule, const TypePtr& type, size_t rows, Column& into) const;

private:
    std::string_view bytes_;
    size_t streams_ = 0;
    std::vector<uint64_t> offsets_; // of each frame, and the end
};

} // namespace basalt::encodings
