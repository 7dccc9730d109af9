#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/bit_stream.h"
#include "codecs/codec.h"

#include <bit>
#include <fmt/core.h>

namespace basalt
{

namespace
{

// Gorilla's floating-point values (Pelkonen et al., VLDB 2015). Bytes: width, size % width, that
// many raw bytes, u32 count, the first value, then for each further value the xor x with the one
// before, in bits, w being the width in bits:
//   0                                        x = 0
//   10, meaningful bits of the last window   x fits the last window
//   11, log2(w) bits: leading zeros, log2(w) + 1 bits: length, length bits: x without its
//       leading and trailing zeros           a new window
class Gorilla : public Codec
{
public:
    explicit Gorilla(uint8_t width) : width_(width) {}

    CodecMethod method() const override { return CodecMethod::Gorilla; }
    std::string description() const override { return fmt::format("Gorilla({})", width_); }
    Role role() const override { return Role::FloatValues; }

    void compress(std::string_view in, std::string& out) const override
    {
        const size_t skip = in.size() % width_;
        out += static_cast<char>(width_);
        out += static_cast<char>(skip);
        out += in.substr(0, skip);
        in.remove_prefix(skip);
        switch (width_)
        {
        case 1:
            return encode<uint8_t>(in, out);
        case 2:
            return encode<uint16_t>(in, out);
        case 4:
            return encode<uint32_t>(in, out);
        default:
            return encode<uint64_t>(in, out);
        }
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.size() < 2)
            throw_cannot_decompress("Gorilla", "no header");
        const auto width = static_cast<uint8_t>(in[0]);
        const auto skip = static_cast<uint8_t>(in[1]);
        if (width != 1 && width != 2 && width != 4 && width != 8)
            throw_cannot_decompress("Gorilla", "wrong width");
        if (skip != out_size % width || in.size() < size_t{2} + skip)
            throw_cannot_decompress("Gorilla", "wrong size");
        if (skip)
            std::memcpy(out, in.data() + 2, skip);
        in.remove_prefix(2 + skip);
        switch (width)
        {
        case 1:
            return decode<uint8_t>(in, out + skip, out_size / width);
        case 2:
            return decode<uint16_t>(in, out + skip, out_size / width);
        case 4:
            return decode<uint32_t>(in, out + skip, out_size / width);
        default:
            return decode<uint64_t>(in, out + skip, out_size / width);
        }
    }

private:
    template <typename T> static constexpr unsigned kWordBits = sizeof(T) * 8;
    template <typename T> static constexpr unsigned kLeadingBits = std::bit_width(kWordBits<T>) - 1;
    template <typename T> static constexpr unsigned kLengthBits = std::bit_width(kWordBits<T>);

    template <typename T> static void encode(std::string_view in, std::string& out)
    {
        const size_t count = in.size() / sizeof(T);
        const auto at = [&](size_t i) { return load<T>(in.data() + i * sizeof(T)); };
        const auto put = [&](const auto& value)
        { out.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
        put(static_cast<uint32_t>(count));
        if (count == 0)
            return;
        T before = at(0);
        put(before);
        unsigned leading = 0;
        unsigned trailing = 0;
        unsigned length = 0; // 0: no window yet
        BitWriter writer(out);
        for (size_t i = 1; i < count; ++i)
        {
            const T value = at(i);
            const T x = static_cast<T>(value ^ before);
            before = value;
            if (x == 0)
            {
                writer.write(1, 0);
                continue;
            }
            const auto new_leading = static_cast<unsigned>(std::countl_zero(x));
            const auto new_trailing = static_cast<unsigned>(std::countr_zero(x));
            if (length && leading <= new_leading && trailing <= new_trailing)
            {
                writer.write(2, 0b10);
                writer.write(length, static_cast<uint64_t>(x) >> trailing);
                continue;
            }
            leading = new_leading;
            trailing = new_trailing;
            length = kWordBits<T> - leading - trailing;
            writer.write(2, 0b11);
            writer.write(kLeadingBits<T>, leading);
            writer.write(kLengthBits<T>, length);
            writer.write(length, static_cast<uint64_t>(x) >> trailing);
        }
        writer.finish();
    }

    template <typename T> static void decode(std::string_view in, char* out, size_t capacity)
    {
        if (in.size() < sizeof(uint32_t))
            throw_cannot_decompress("Gorilla", "cut off");
        const auto count = load<uint32_t>(in.data());
        if (count != capacity)
            throw_cannot_decompress("Gorilla", "wrong count");
        if (count == 0)
            return;
        in.remove_prefix(sizeof(uint32_t));
        if (in.size() < sizeof(T))
            throw_cannot_decompress("Gorilla", "cut off");
        T value = load<T>(in.data());
        store(out, value);
        in.remove_prefix(sizeof(T));
        BitReader reader(in.data(), in.size());
        const auto read = [&](unsigned bits)
        {
            if (!reader.has(bits)) [[unlikely]]
                throw_cannot_decompress("Gorilla", "cut off");
            return reader.read(bits);
        };
        unsigned trailing = 0;
        unsigned length = 0;
        for (size_t i = 1; i < count; ++i)
        {
            if (read(1))
            {
                if (read(1))
                {
                    const auto leading = static_cast<unsigned>(read(kLeadingBits<T>));
                    length = static_cast<unsigned>(read(kLengthBits<T>));
                    if (length == 0 || leading + length > kWordBits<T>)
                        throw_cannot_decompress("Gorilla", "wrong window");
                    trailing = kWordBits<T> - leading - length;
                }
                else if (length == 0)
                    throw_cannot_decompress("Gorilla", "no window");
                value = static_cast<T>(value ^ static_cast<T>(read(length) << trailing));
            }
            store(out + i * sizeof(T), value);
        }
    }

    uint8_t width_;
};

} // namespace

void register_gorilla(CodecRegistry& registry)
{
    registry.add(
        "Gorilla",
        [](const std::vector<std::string>& arguments, const CodecElement& element) -> CodecPtr
        { return std::make_shared<Gorilla>(codec_value_bytes("Gorilla", arguments, element)); });
    registry.add_decoder(CodecMethod::Gorilla,
                         []() -> CodecPtr { return std::make_shared<Gorilla>(uint8_t{1}); });
}

} // namespace basalt
