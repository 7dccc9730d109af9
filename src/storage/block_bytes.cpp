#include "storage/block_bytes.h"

#include "base/error.h"
#include "codecs/compressed_block.h"
#include "encodings/plain_streams.h"
#include "storage/log/record.h"

namespace basalt
{

namespace
{

// Streams of a decoded column, one whole string view each.
class WholeStreams final : public PlainSource
{
public:
    explicit WholeStreams(std::vector<std::string_view> streams) : streams_(std::move(streams)) {}
    size_t size_of(size_t stream) const override { return at(stream).size(); }
    void read(size_t stream, char* to) const override
    {
        if (!at(stream).empty())
            std::memcpy(to, at(stream).data(), at(stream).size());
    }

private:
    std::string_view at(size_t stream) const
    {
        if (stream >= streams_.size())
            throw Error(error_codes::CORRUPTED_DATA, "Damaged block: too few streams");
        return streams_[stream];
    }
    std::vector<std::string_view> streams_;
};

constexpr size_t kFrameBytes = 64 << 20;

} // namespace

std::string encode_block(const Block& block)
{
    std::string plain;
    append_varint(plain, block.width());
    append_varint(plain, block.rows());
    for (const auto& column : block.columns())
    {
        append_text(plain, column.name);
        append_text(plain, column.type->name());
        const TypePtr type = remove_low_cardinality(column.type);
        std::vector<std::string> streams(plain_streams_of(type).size());
        write_plain_streams(*to_flat(column.column), type, 0, block.rows(), streams);
        append_varint(plain, streams.size());
        for (const auto& stream : streams)
            append_text(plain, stream);
    }
    const CodecPtr codec = codec_registry().make_from_text("LZ4");
    std::string out;
    append_varint(out, plain.size());
    for (size_t at = 0; at < plain.size(); at += kFrameBytes)
        write_compressed_block(*codec, std::string_view(plain).substr(at, kFrameBytes), out);
    return out;
}

Block decode_block(std::string_view bytes)
{
    const uint64_t size = take_varint(bytes);
    std::string plain;
    while (plain.size() < size && !bytes.empty())
        bytes.remove_prefix(read_compressed_block(bytes, plain));
    if (plain.size() != size)
        throw Error(error_codes::CORRUPTED_DATA, "Damaged block: its size does not match");
    std::string_view view = plain;
    const uint64_t width = take_varint(view);
    const uint64_t rows = take_varint(view);
    Block block;
    for (uint64_t i = 0; i < width; ++i)
    {
        std::string name(take_text(view));
        const TypePtr type = type_from_name(take_text(view));
        std::vector<std::string_view> streams;
        for (uint64_t n = take_varint(view); n > 0; --n)
            streams.push_back(take_text(view));
        const TypePtr stored = remove_low_cardinality(type);
        auto column = stored->create_column();
        read_plain_streams(*column, stored, rows, WholeStreams(std::move(streams)));
        block.add({std::move(column), type, std::move(name)});
    }
    block.set_rows(rows);
    return block;
}

} // namespace basalt
