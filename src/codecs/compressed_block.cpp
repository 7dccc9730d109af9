#include "codecs/compressed_block.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/hash.h"

#include <fmt/core.h>

namespace basalt
{

using namespace error_codes;

void write_inner_frame(const Codec& codec, std::string_view original, std::string& out)
{
    if (original.size() > kMaxFrameBytes)
        throw Error(TOO_LARGE_SIZE_COMPRESSED,
                    fmt::format("Cannot compress a block of {} bytes, at most {}", original.size(),
                                kMaxFrameBytes));
    const size_t start = out.size();
    out.append(kFrameHeaderBytes, '\0');
    codec.compress(original, out);
    const size_t size = out.size() - start;
    if (size > kMaxFrameBytes)
        throw Error(TOO_LARGE_SIZE_COMPRESSED,
                    fmt::format("Compressed block of {} bytes, at most {}", size, kMaxFrameBytes));
    out[start] = static_cast<char>(codec.method());
    store(out.data() + start + 1, static_cast<uint32_t>(size));
    store(out.data() + start + 5, static_cast<uint32_t>(original.size()));
}

void write_compressed_block(const Codec& codec, std::string_view original, std::string& out)
{
    const size_t start = out.size();
    out.append(kFrameChecksumBytes, '\0');
    write_inner_frame(codec, original, out);
    const Hash128 hash = city_hash128(out.data() + start + kFrameChecksumBytes,
                                      out.size() - start - kFrameChecksumBytes);
    store(out.data() + start, hash.low);
    store(out.data() + start + 8, hash.high);
}

FrameHeader read_frame_header(std::string_view bytes)
{
    BASALT_ASSERT(bytes.size() >= kFrameChecksumBytes + kFrameHeaderBytes);
    FrameHeader header;
    header.method = static_cast<uint8_t>(bytes[16]);
    header.compressed_bytes = load<uint32_t>(bytes.data() + 17);
    header.original_bytes = load<uint32_t>(bytes.data() + 21);
    if (header.compressed_bytes > kMaxFrameBytes || header.original_bytes > kMaxFrameBytes)
        throw Error(TOO_LARGE_SIZE_COMPRESSED,
                    fmt::format("Too large compressed block: {} bytes compressed, {} original, at "
                                "most {}. Most likely corrupted data",
                                header.compressed_bytes, header.original_bytes, kMaxFrameBytes));
    if (header.compressed_bytes < kFrameHeaderBytes)
        throw Error(CORRUPTED_DATA,
                    fmt::format("Can't decompress data: the compressed data size ({}, this should "
                                "include header size) is less than the header size ({})",
                                header.compressed_bytes, kFrameHeaderBytes));
    return header;
}

namespace
{

void check_frame_checksum(std::string_view frame)
{
    const std::string_view body = frame.substr(kFrameChecksumBytes);
    const Hash128 expected = {load<uint64_t>(frame.data()), load<uint64_t>(frame.data() + 8)};
    const Hash128 actual = city_hash128(body.data(), body.size());
    if (actual != expected)
        throw Error(CHECKSUM_DOESNT_MATCH,
                    fmt::format("Checksum doesn't match: corrupted data. Reference: "
                                "{:016x}{:016x}. Actual: {:016x}{:016x}. Size of compressed "
                                "block: {}",
                                expected.high, expected.low, actual.high, actual.low, body.size()));
}

} // namespace

void read_compressed_block(std::string_view frame, char* out, size_t out_size, bool verify_checksum)
{
    if (frame.size() < kFrameChecksumBytes + kFrameHeaderBytes)
        throw Error(CORRUPTED_DATA, "Compressed block is shorter than its header");
    const FrameHeader header = read_frame_header(frame);
    if (frame.size() != header.frame_bytes() || out_size != header.original_bytes)
        throw Error(CORRUPTED_DATA,
                    fmt::format("Compressed block has {} bytes for {}, its header says {} for {}",
                                frame.size(), out_size, header.frame_bytes(),
                                header.original_bytes));
    if (verify_checksum)
        check_frame_checksum(frame);
    codec_registry()
        .decoder(header.method)
        .decompress(frame.substr(kFrameChecksumBytes + kFrameHeaderBytes), out, out_size);
}

size_t read_compressed_block(std::string_view bytes, std::string& out)
{
    if (bytes.empty())
        return 0;
    constexpr size_t kNeeded = kFrameChecksumBytes + kFrameHeaderBytes;
    if (bytes.size() < kNeeded)
        throw Error(CANNOT_READ_ALL_DATA,
                    fmt::format("Compressed block is cut off: {} of {} header bytes", bytes.size(),
                                kNeeded));
    const FrameHeader header = read_frame_header(bytes);
    if (bytes.size() < header.frame_bytes())
        throw Error(CANNOT_READ_ALL_DATA, fmt::format("Compressed block is cut off: {} of {} bytes",
                                                      bytes.size(), header.frame_bytes()));
    const std::string_view frame = bytes.substr(0, header.frame_bytes());
    // Before memory is taken for a size that may be damaged.
    check_frame_checksum(frame);
    const size_t start = out.size();
    out.resize(start + header.original_bytes);
    read_compressed_block(frame, out.data() + start, header.original_bytes, false);
    return header.frame_bytes();
}

} // namespace basalt
