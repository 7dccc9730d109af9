#include "encodings/template_streams.h"

#include "codecs/codec.h"

#include <fmt/format.h>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kMaxDescriptionBytes = 64 << 20;

} // namespace

void StreamSink::finish(int level, std::string& out) const
{
    std::string packed;
    codec_registry().make_from_text(fmt::format("ZSTD({})", level))->compress(description_, packed);
    append_varint(out, description_.size());
    const bool smaller = packed.size() < description_.size();
    append_varint(out, smaller ? packed.size() : description_.size());
    out += smaller ? packed : description_;
    out += body_;
}

StreamSource::StreamSource(std::string_view bytes)
{
    ByteReader reader(bytes);
    const size_t raw = reader.count(kMaxDescriptionBytes, "its description is too large");
    const size_t stored = reader.count(reader.left(), "its description is cut");
    const std::string_view packed = reader.bytes(stored);
    if (stored == raw)
        reader_ = ByteReader(packed);
    else
    {
        // ZSTD makes at most some tens of thousands of bytes of one.
        if (raw / 65536 > stored)
            throw_damaged_page("its description is too large");
        description_.resize(raw);
        codec_registry()
            .decoder(static_cast<uint8_t>(CodecMethod::Zstd))
            .decompress(packed, description_.data(), raw);
        reader_ = ByteReader(description_);
    }
    body_ = ByteReader(reader.bytes(reader.left()));
}

std::string_view StreamSource::next()
{
    const uint64_t head = reader_.varint();
    ByteReader& from = head & 1 ? reader_ : body_;
    const uint64_t size = head >> 1;
    if (size > from.left())
        throw_damaged_page("a stream is cut");
    return from.bytes(static_cast<size_t>(size));
}

} // namespace basalt::encodings
