#include "encodings/plain_frames.h"

#include "base/error.h"
#include "base/unaligned.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kEntryBytes = 8;

[[noreturn]] void throw_corrupted(const char* what)
{
    throw Error(error_codes::CORRUPTED_DATA, fmt::format("Damaged page: {}", what));
}

bool is_general(const CodecDescription& codec)
{
    for (const auto name : {"LZ4", "LZ4HC", "ZSTD", "NONE"})
        if (codec.name == name)
            return true;
    return false;
}

// The codecs that work on any bytes, for lengths, null maps and codes.
std::vector<CodecDescription> general_of(std::vector<CodecDescription> chain)
{
    std::erase_if(chain, [](const CodecDescription& codec) { return !is_general(codec); });
    if (chain.empty())
        chain.push_back({"LZ4", {}});
    return chain;
}

} // namespace

StreamCodecs::StreamCodecs(const TypePtr& type, const std::string& text) : obey_(!text.empty())
{
    const auto chain = parse_codec_text(text.empty() ? "LZ4" : text);
    const bool only_general = std::all_of(chain.begin(), chain.end(), is_general);
    for (const auto& what : plain_streams_of(type))
    {
        const bool values = what.kind == PlainStream::Kind::Values;
        Stream stream;
        stream.check = values && !only_general;
        stream.codec = values ? codec_registry().make_chain(chain, what.element)
                              : codec_registry().make_chain(general_of(chain), {});
        streams_.push_back(std::move(stream));
    }
}

StreamCodecs StreamCodecs::of_codes(const std::string& text)
{
    StreamCodecs codecs;
    codecs.obey_ = !text.empty();
    const auto chain = general_of(parse_codec_text(text.empty() ? "LZ4" : text));
    codecs.streams_.push_back({codec_registry().make_chain(chain, {}), false});
    return codecs;
}

StreamCodecs StreamCodecs::automatic(const TypePtr& type, int level)
{
    StreamCodecs codecs(type, fmt::format("ZSTD({})", level));
    codecs.obey_ = false;
    return codecs;
}

void StreamCodecs::write_frame(size_t stream, std::string_view piece, std::string& out) const
{
    if (piece.empty())
        return;
    if (piece.size() > kMaxCodecBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("A granule holds {} bytes, the limit is {}", piece.size(),
                                kMaxCodecBytes));
    const size_t start = out.size();
    const Codec& codec = *streams_[stream].codec;
    out.push_back(static_cast<char>(codec.method()));
    codec.compress(piece, out);
    if (streams_[stream].check)
    {
        std::string back(piece.size(), '\0');
        codec.decompress(std::string_view(out).substr(start + 1), back.data(), back.size());
        BASALT_ASSERT(back == piece);
    }
    if (!obey_ && out.size() - start > piece.size() - piece.size() / 32)
    {
        out.resize(start);
        out.push_back(static_cast<char>(CodecMethod::None));
        out.append(piece);
    }
}

void write_pieces(const Column& column, const TypePtr& type, size_t begin, size_t count,
                  size_t granule_rows, const StreamCodecs& codecs, std::string& out)
{
    const size_t granules = (count + granule_rows - 1) / granule_rows;
    const size_t table = out.size();
    out.resize(table + granules * codecs.size() * kEntryBytes);
    std::vector<std::string> streams(codecs.size());
    for (size_t granule = 0; granule < granules; ++granule)
    {
        const size_t from = granule * granule_rows;
        for (auto& stream : streams)
            stream.clear();
        write_plain_streams(column, type, begin + from, std::min(granule_rows, count - from),
                            streams);
        for (size_t i = 0; i < streams.size(); ++i)
        {
            const size_t start = out.size();
            codecs.write_frame(i, streams[i], out);
            char* entry = out.data() + table + (granule * streams.size() + i) * kEntryBytes;
            store(entry, static_cast<uint32_t>(out.size() - start));
            store(entry + 4, static_cast<uint32_t>(streams[i].size()));
        }
    }
}

Pieces::Pieces(std::string_view bytes, size_t granules, size_t streams)
    : bytes_(bytes), streams_(streams)
{
    const size_t frames = granules * streams;
    if (bytes.size() / kEntryBytes < frames)
        throw_corrupted("it is too short for its table");
    offsets_.resize(frames + 1);
    uint64_t at = frames * kEntryBytes;
    for (size_t i = 0; i < frames; ++i)
    {
        offsets_[i] = at;
        at += load<uint32_t>(bytes.data() + i * kEntryBytes);
    }
    offsets_[frames] = at;
    if (at > bytes.size())
        throw_corrupted("it is too short for its frames");
}

size_t Pieces::original_bytes(size_t granule, size_t stream) const
{
    return load<uint32_t>(bytes_.data() + (granule * streams_ + stream) * kEntryBytes + 4);
}

void Pieces::read(size_t granule, size_t stream, char* to) const
{
    const size_t frame = granule * streams_ + stream;
    const size_t size = original_bytes(granule, stream);
    const auto bytes = bytes_.substr(offsets_[frame], offsets_[frame + 1] - offsets_[frame]);
    if (size == 0)
        return;
    if (bytes.empty())
        throw_corrupted("a frame is empty");
    codec_registry().decoder(static_cast<uint8_t>(bytes[0])).decompress(bytes.substr(1), to, size);
}

void Pieces::read_rows(size_t granule, const TypePtr& type, size_t rows, Column& into) const
{
    struct Source final : PlainSource
    {
        const Pieces* pieces;
        size_t granule;
        size_t size_of(size_t stream) const override
        {
            if (stream >= pieces->streams_)
                throw_corrupted("it has too few streams");
            return pieces->original_bytes(granule, stream);
        }
        void read(size_t stream, char* to) const override { pieces->read(granule, stream, to); }
    } source;
    source.pieces = this;
    source.granule = granule;
    read_plain_streams(into, type, rows, source);
}

} // namespace basalt::encodings
