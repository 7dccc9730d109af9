#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/codec.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

// Bytes: width, size % width, that many raw bytes, then each value less the one before (the
// first less 0), modulo 2^(8 * width).
class Delta : public Codec
{
public:
    explicit Delta(uint8_t width) : width_(width) {}

    CodecMethod method() const override { return CodecMethod::Delta; }
    std::string description() const override { return fmt::format("Delta({})", width_); }
    Role role() const override { return Role::Prepares; }

    void compress(std::string_view in, std::string& out) const override
    {
        const size_t skip = in.size() % width_;
        out += static_cast<char>(width_);
        out += static_cast<char>(skip);
        const size_t start = out.size();
        out.append(in);
        char* to = out.data() + start + skip;
        const char* from = in.data() + skip;
        const size_t count = in.size() / width_;
        switch (width_)
        {
        case 1:
            return encode<uint8_t>(from, to, count);
        case 2:
            return encode<uint16_t>(from, to, count);
        case 4:
            return encode<uint32_t>(from, to, count);
        default:
            return encode<uint64_t>(from, to, count);
        }
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.size() < 2)
            throw_cannot_decompress("Delta", "no header");
        const auto width = static_cast<uint8_t>(in[0]);
        const auto skip = static_cast<uint8_t>(in[1]);
        if (width != 1 && width != 2 && width != 4 && width != 8)
            throw_cannot_decompress("Delta", "wrong width");
        if (skip != out_size % width || in.size() != out_size + 2)
            throw_cannot_decompress("Delta", "wrong size");
        if (out_size == 0)
            return;
        std::memcpy(out, in.data() + 2, skip);
        const char* from = in.data() + 2 + skip;
        const size_t count = out_size / width;
        switch (width)
        {
        case 1:
            return decode<uint8_t>(from, out + skip, count);
        case 2:
            return decode<uint16_t>(from, out + skip, count);
        case 4:
            return decode<uint32_t>(from, out + skip, count);
        default:
            return decode<uint64_t>(from, out + skip, count);
        }
    }

private:
    template <typename T> static void encode(const char* from, char* to, size_t count)
    {
        T before = 0;
        for (size_t i = 0; i < count; ++i)
        {
            const T value = load<T>(from + i * sizeof(T));
            store(to + i * sizeof(T), static_cast<T>(value - before));
            before = value;
        }
    }

    template <typename T> static void decode(const char* from, char* to, size_t count)
    {
        T value = 0;
        for (size_t i = 0; i < count; ++i)
        {
            value = static_cast<T>(value + load<T>(from + i * sizeof(T)));
            store(to + i * sizeof(T), value);
        }
    }

    uint8_t width_;
};

} // namespace

void register_delta(CodecRegistry& registry)
{
    registry.add(
        "Delta",
        [](const std::vector<std::string>& arguments, const CodecElement& element) -> CodecPtr
        { return std::make_shared<Delta>(codec_value_bytes("Delta", arguments, element)); });
    registry.add_decoder(CodecMethod::Delta,
                         []() -> CodecPtr { return std::make_shared<Delta>(uint8_t{1}); });
}

} // namespace basalt
