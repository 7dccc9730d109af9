#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/bit_stream.h"
#include "codecs/codec.h"

#include <bit>
#include <fmt/core.h>
#include <type_traits>

namespace basalt
{

namespace
{

using namespace error_codes;

// After Gorilla's timestamps (Pelkonen et al., VLDB 2015), with ClickHouse's classes. Bytes:
// width, size % width, that many raw bytes, u32 count, the first value, the first difference,
// then for each further value the difference of differences d in bits:
//   0                      d = 0
//   10    sign, 6 bits     -63 < d < 64
//   110   sign, 8 bits     -255 < d < 256
//   1110  sign, 11 bits    -2047 < d < 2048
//   11110 sign, 31 bits    -2^31 < d < 2^31 - 1
//   11111 sign, 63 bits    the rest
// where the bits hold |d| - 1.
class DoubleDelta : public Codec
{
public:
    explicit DoubleDelta(uint8_t width) : width_(width) {}

    CodecMethod method() const override { return CodecMethod::DoubleDelta; }
    // ClickHouse prints no width here.
    std::string description() const override { return "DoubleDelta"; }
    Role role() const override { return Role::Values; }

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
            throw_cannot_decompress("DoubleDelta", "no header");
        const auto width = static_cast<uint8_t>(in[0]);
        const auto skip = static_cast<uint8_t>(in[1]);
        if (width != 1 && width != 2 && width != 4 && width != 8)
            throw_cannot_decompress("DoubleDelta", "wrong width");
        if (skip != out_size % width || in.size() < size_t{2} + skip)
            throw_cannot_decompress("DoubleDelta", "wrong size");
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
    static void write_difference(BitWriter& writer, int64_t d)
    {
        if (d == 0)
            return writer.write(1, 0);
        const uint64_t sign = d < 0;
        const uint64_t magnitude =
            (d < 0 ? uint64_t{0} - static_cast<uint64_t>(d) : static_cast<uint64_t>(d)) - 1;
        if (d > -63 && d < 64)
            writer.write(9, 0b10 << 7 | sign << 6 | magnitude);
        else if (d > -255 && d < 256)
            writer.write(12, 0b110 << 9 | sign << 8 | magnitude);
        else if (d > -2047 && d < 2048)
            writer.write(16, 0b1110 << 12 | sign << 11 | magnitude);
        else if (d > INT32_MIN && d < INT32_MAX)
            writer.write(37, uint64_t{0b11110} << 32 | sign << 31 | magnitude);
        else
        {
            writer.write(6, 0b11111 << 1 | sign);
            writer.write(63, magnitude);
        }
    }

    template <typename T> static void encode(std::string_view in, std::string& out)
    {
        using Signed = std::make_signed_t<T>;
        const size_t count = in.size() / sizeof(T);
        const auto at = [&](size_t i) { return load<T>(in.data() + i * sizeof(T)); };
        const auto put = [&](const auto& value)
        { out.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
        put(static_cast<uint32_t>(count));
        if (count == 0)
            return;
        T value = at(0);
        put(value);
        if (count == 1)
            return;
        T delta = static_cast<T>(at(1) - value);
        put(delta);
        value = at(1);
        BitWriter writer(out);
        for (size_t i = 2; i < count; ++i)
        {
            const T next = at(i);
            const T next_delta = static_cast<T>(next - value);
            write_difference(writer, static_cast<Signed>(static_cast<T>(next_delta - delta)));
            value = next;
            delta = next_delta;
        }
        writer.finish();
    }

    template <typename T> static void decode(std::string_view in, char* out, size_t capacity)
    {
        const char* from = in.data();
        size_t left = in.size();
        const auto take = [&](auto& value)
        {
            if (left < sizeof(value))
                throw_cannot_decompress("DoubleDelta", "cut off");
            std::memcpy(&value, from, sizeof(value));
            from += sizeof(value);
            left -= sizeof(value);
        };
        uint32_t count = 0;
        take(count);
        if (count != capacity)
            throw_cannot_decompress("DoubleDelta", "wrong count");
        if (count == 0)
            return;
        T value;
        take(value);
        store(out, value);
        if (count == 1)
            return;
        T delta;
        take(delta);
        value = static_cast<T>(value + delta);
        store(out + sizeof(T), value);
        BitReader reader(from, left);
        for (size_t i = 2; i < count; ++i)
        {
            delta = static_cast<T>(delta + read_difference(reader));
            value = static_cast<T>(value + delta);
            store(out + i * sizeof(T), value);
        }
    }

    static uint64_t read_difference(BitReader& reader)
    {
        static constexpr uint8_t kPrefixBits[] = {1, 2, 3, 4, 5, 5};
        static constexpr uint8_t kMagnitudeBits[] = {0, 6, 8, 11, 31, 63};
        // At most five ones decide the class.
        const auto ones = static_cast<unsigned>(std::countl_one(reader.window()));
        const unsigned kind = ones < 5 ? ones : 5;
        const unsigned bits = kMagnitudeBits[kind];
        if (!reader.has(kPrefixBits[kind] + (bits ? bits + 1 : 0)))
            throw_cannot_decompress("DoubleDelta", "cut off");
        reader.skip(kPrefixBits[kind]);
        if (kind == 0)
            return 0;
        const uint64_t sign = reader.read(1);
        const uint64_t magnitude = reader.read(bits) + 1;
        return sign ? uint64_t{0} - magnitude : magnitude;
    }

    uint8_t width_;
};

} // namespace

void register_double_delta(CodecRegistry& registry)
{
    registry.add(
        "DoubleDelta",
        [](const std::vector<std::string>& arguments, const CodecElement& element) -> CodecPtr {
            return std::make_shared<DoubleDelta>(
                codec_value_bytes("DoubleDelta", arguments, element));
        });
    registry.add_decoder(CodecMethod::DoubleDelta,
                         []() -> CodecPtr { return std::make_shared<DoubleDelta>(uint8_t{1}); });
}

} // namespace basalt
