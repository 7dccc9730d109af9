#pragma once

// ClickHouse's compressed frame, used in files, over HTTP (compress=1, decompress=1) and in the
// native protocol. All numbers little-endian:
//
//   offset  size  meaning
//   0       16    CityHash128 (1.0.2) of all that follows, low half first
//   16      1     method byte (CodecMethod)
//   17      4     size of the frame from offset 16, so with this 9-byte header
//   21      4     size of the original
//   25      …     the codec's bytes
//
// Threads: pure functions.

#include "codecs/codec.h"

namespace basalt
{

inline constexpr size_t kFrameChecksumBytes = 16;
inline constexpr size_t kFrameHeaderBytes = 9;       // method and the two sizes
inline constexpr size_t kMaxFrameBytes = 1ull << 30; // compressed or original

struct FrameHeader
{
    uint8_t method = 0;
    uint32_t compressed_bytes = 0; // from the method byte on
    uint32_t original_bytes = 0;

    // Whole frame with its checksum.
    size_t frame_bytes() const { return kFrameChecksumBytes + compressed_bytes; }
};

// Appends one frame. TOO_LARGE_SIZE_COMPRESSED if `original` passes kMaxFrameBytes.
void write_compressed_block(const Codec& codec, std::string_view original, std::string& out);

// Looks at the first 25 bytes of a frame; `bytes` holds at least that many. Throws
// TOO_LARGE_SIZE_COMPRESSED or CORRUPTED_DATA for sizes that cannot be.
FrameHeader read_frame_header(std::string_view bytes);

// Takes one whole frame (frame_bytes() long): checks its checksum (CHECKSUM_DOESNT_MATCH) and
// fills header.original_bytes bytes. CANNOT_DECOMPRESS, CORRUPTED_DATA, UNKNOWN_CODEC.
void read_compressed_block(std::string_view frame, char* out, size_t out_size,
                           bool verify_checksum = true);

// The same, for a stream of frames at the start of `bytes`: appends the original of one frame
// to `out` and returns how many bytes the frame took. 0 if `bytes` is empty;
// CANNOT_READ_ALL_DATA if the frame is cut off.
size_t read_compressed_block(std::string_view bytes, std::string& out);

// Without checksum: method, sizes and codec bytes, as codecs of a chain nest.
void write_inner_frame(const Codec& codec, std::string_view original, std::string& out);

} // namespace basalt
