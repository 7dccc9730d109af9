#pragma once

// Compressed streams as buffers around other buffers: Content-Encoding of HTTP bodies and of files
// (gzip, deflate, br, zstd, lz4), and ClickHouse's own frames (compress=1, decompress=1).

#include "io/buffer.h"

#include <memory>
#include <string>

namespace basalt
{

// Throws NOT_IMPLEMENTED for an unknown encoding. `source` must outlive the result.
std::unique_ptr<InputBuffer> decompressing_buffer(const std::string& encoding,
                                                  InputBuffer& source);
// finish() ends the stream and the target's own finish() is left to the caller.
std::unique_ptr<OutputBuffer> compressing_buffer(const std::string& encoding, OutputBuffer& target,
                                                 int level);

std::unique_ptr<InputBuffer> frame_decompressing_buffer(InputBuffer& source);
// codec: as CODEC() takes it. finish() and flush() end a frame.
std::unique_ptr<OutputBuffer> frame_compressing_buffer(OutputBuffer& target,
                                                       const std::string& codec = "LZ4");

// The first encoding of an Accept-Encoding header that we speak; empty for none.
std::string choose_encoding(const std::string& accept_encoding);

} // namespace basalt
