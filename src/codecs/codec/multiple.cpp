#include "codecs/codec/multiple.h"

#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/compressed_block.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

using namespace error_codes;

// Bytes: number of codecs, one method byte each, then the frame of the last codec (without
// checksum), whose original is the frame of the one before, and so on.
class Multiple : public Codec
{
public:
    explicit Multiple(std::vector<CodecPtr> codecs) : codecs_(std::move(codecs)) {}

    CodecMethod method() const override { return CodecMethod::Multiple; }

    std::string description() const override
    {
        std::string text;
        for (const auto& codec : codecs_)
            text += (text.empty() ? "" : ", ") + codec->description();
        return text;
    }

    Role role() const override { return Role::General; }

    void compress(std::string_view in, std::string& out) const override
    {
        out += static_cast<char>(codecs_.size());
        for (const auto& codec : codecs_)
            out += static_cast<char>(codec->method());
        std::string before;
        std::string after;
        for (size_t i = 0; i + 1 < codecs_.size(); ++i)
        {
            after.clear();
            write_inner_frame(*codecs_[i], i == 0 ? in : std::string_view(before), after);
            before.swap(after);
        }
        write_inner_frame(*codecs_.back(), before, out);
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.empty())
            throw_cannot_decompress("Multiple", "no codec list");
        const auto count = static_cast<uint8_t>(in[0]);
        if (count == 0 || count > kMaxCodecChain || in.size() < size_t{1} + count)
            throw_cannot_decompress("Multiple", "wrong codec list");
        const std::string_view methods = in.substr(1, count);
        std::string_view frame = in.substr(1 + count);
        std::string before;
        std::string after;
        for (size_t i = count; i-- > 0;)
        {
            if (frame.size() < kFrameHeaderBytes)
                throw_cannot_decompress("Multiple", "no header");
            const auto method = static_cast<uint8_t>(methods[i]);
            const auto frame_bytes = load<uint32_t>(frame.data() + 1);
            const auto original_bytes = load<uint32_t>(frame.data() + 5);
            // Chains do not nest, so a hostile one cannot recurse.
            if (method != static_cast<uint8_t>(frame[0]) ||
                method == static_cast<uint8_t>(CodecMethod::Multiple) ||
                frame_bytes != frame.size())
                throw Error(CORRUPTED_DATA, "Wrong frame inside a chain of codecs");
            const Codec& codec = codec_registry().decoder(method);
            const std::string_view body = frame.substr(kFrameHeaderBytes);
            if (i == 0)
            {
                if (original_bytes != out_size)
                    throw Error(CORRUPTED_DATA, "Wrong size inside a chain of codecs");
                codec.decompress(body, out, out_size);
                break;
            }
            // No codec makes more than 2.5 times its input and some headers (Gorilla and
            // DoubleDelta on narrow noise): a claim far past that is hostile.
            uint64_t limit = out_size;
            for (size_t level = 0; level < i && limit < kMaxFrameBytes; ++level)
                limit = limit * 5 / 2 + kMaxOverheadBytes;
            if (original_bytes > limit || original_bytes > kMaxFrameBytes)
                throw Error(CORRUPTED_DATA,
                            fmt::format("Inner block of {} bytes for {} bytes of data",
                                        original_bytes, out_size));
            after.resize(original_bytes);
            codec.decompress(body, after.data(), original_bytes);
            before.swap(after);
            frame = before;
        }
    }

private:
    static constexpr size_t kMaxOverheadBytes = 4096;

    std::vector<CodecPtr> codecs_;
};

} // namespace

CodecPtr make_codec_chain(std::vector<CodecPtr> codecs)
{
    BASALT_ASSERT(codecs.size() >= 2);
    return std::make_shared<Multiple>(std::move(codecs));
}

void register_multiple(CodecRegistry& registry)
{
    registry.add_decoder(CodecMethod::Multiple,
                         []() -> CodecPtr
                         { return std::make_shared<Multiple>(std::vector<CodecPtr>{}); });
}

} // namespace basalt
