#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/codec.h"
#include "codecs/wide_word.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

using namespace error_codes;

// Bytes: width, size % width, that many raw bytes, the greatest common divisor of all values (as
// unsigned numbers; 0 if all are 0), each value divided by it.
class Gcd : public Codec
{
public:
    explicit Gcd(uint8_t width) : width_(width) {}

    CodecMethod method() const override { return CodecMethod::Gcd; }
    std::string description() const override { return "GCD"; }
    Role role() const override { return Role::Prepares; }

    void compress(std::string_view in, std::string& out) const override
    {
        const size_t skip = in.size() % width_;
        out += static_cast<char>(width_);
        out += static_cast<char>(skip);
        out += in.substr(0, skip);
        in.remove_prefix(skip);
        if (in.empty())
            return;
        switch (width_)
        {
        case 1:
            return encode<uint8_t>(in, out);
        case 2:
            return encode<uint16_t>(in, out);
        case 4:
            return encode<uint32_t>(in, out);
        case 8:
            return encode<uint64_t>(in, out);
        case 16:
            return encode<UInt128>(in, out);
        default:
            return encode_wide(in, out);
        }
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.size() < 2)
            throw_cannot_decompress("GCD", "no header");
        const auto width = static_cast<uint8_t>(in[0]);
        const auto skip = static_cast<uint8_t>(in[1]);
        if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16 && width != 32)
            throw_cannot_decompress("GCD", "wrong width");
        const bool has_values = out_size >= width;
        if (skip != out_size % width || in.size() != 2 + out_size + (has_values ? width : 0))
            throw_cannot_decompress("GCD", "wrong size");
        if (skip)
            std::memcpy(out, in.data() + 2, skip);
        if (!has_values)
            return;
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
        case 8:
            return decode<uint64_t>(from, out + skip, count);
        case 16:
            return decode<UInt128>(from, out + skip, count);
        default:
            return decode_wide(from, out + skip, count);
        }
    }

private:
    template <typename T> static T divisor(std::string_view in)
    {
        T result = 0;
        for (size_t i = 0; i < in.size() && result != 1; i += sizeof(T))
        {
            T value = load<T>(in.data() + i);
            while (value != 0)
            {
                const T rest = static_cast<T>(result % value);
                result = value;
                value = rest;
            }
        }
        return result;
    }

    template <typename T> static void encode(std::string_view in, std::string& out)
    {
        const T gcd = divisor<T>(in);
        const size_t start = out.size();
        out.append(reinterpret_cast<const char*>(&gcd), sizeof(T));
        out += in;
        if (gcd <= 1)
            return;
        char* to = out.data() + start + sizeof(T);
        for (size_t i = 0; i < in.size(); i += sizeof(T))
            store(to + i, static_cast<T>(load<T>(in.data() + i) / gcd));
    }

    template <typename T> static void decode(const char* from, char* to, size_t count)
    {
        const T gcd = load<T>(from);
        from += sizeof(T);
        for (size_t i = 0; i < count; ++i)
            store(to + i * sizeof(T), static_cast<T>(load<T>(from + i * sizeof(T)) * gcd));
    }

    static void encode_wide(std::string_view in, std::string& out)
    {
        WideWord gcd;
        for (size_t i = 0; i < in.size() && !gcd.is_one(); i += sizeof(WideWord))
            gcd = wide_gcd(gcd, load<WideWord>(in.data() + i));
        const size_t start = out.size();
        out.append(reinterpret_cast<const char*>(&gcd), sizeof(WideWord));
        out += in;
        if (gcd.is_zero() || gcd.is_one())
            return;
        // An exact division is a shift and a product with the inverse of the odd part.
        const unsigned twos = gcd.trailing_zeros();
        const WideWord inverse = gcd.shifted_right(twos).inverse();
        char* to = out.data() + start + sizeof(WideWord);
        for (size_t i = 0; i < in.size(); i += sizeof(WideWord))
        {
            const WideWord value = load<WideWord>(in.data() + i).shifted_right(twos);
            store(to + i, value.times(inverse));
        }
    }

    static void decode_wide(const char* from, char* to, size_t count)
    {
        const auto gcd = load<WideWord>(from);
        for (size_t i = 0; i < count; ++i)
            store(to + i * sizeof(WideWord),
                  load<WideWord>(from + (i + 1) * sizeof(WideWord)).times(gcd));
    }

    uint8_t width_;
};

} // namespace

void register_gcd(CodecRegistry& registry)
{
    registry.add(
        "GCD",
        [](const std::vector<std::string>& arguments, const CodecElement& element) -> CodecPtr
        {
            if (!arguments.empty())
                throw Error(
                    ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                    fmt::format("GCD codec must have 0 parameters, given {}", arguments.size()));
            if (element.kind != CodecElement::Kind::Integer)
                throw Error(
                    BAD_ARGUMENTS,
                    fmt::format("Codec GCD cannot be applied to column {} because it can "
                                "only be used with Int*, UInt*, Decimal*, Date* or DateTime* "
                                "types.",
                                element.type_name));
            return std::make_shared<Gcd>(element.bytes);
        });
    registry.add_decoder(CodecMethod::Gcd,
                         []() -> CodecPtr { return std::make_shared<Gcd>(uint8_t{1}); });
}

} // namespace basalt
