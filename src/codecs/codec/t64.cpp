#include "base/error.h"
#include "base/unaligned.h"
#include "codecs/codec.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>

namespace basalt
{

namespace
{

using namespace error_codes;

// Crops the high bits that all values share and stores the rest as a matrix of bits, 64 values at
// a time. Bytes:
//   1 byte    T64Type of the values; 0x80 set for the variant "bit"
//   size % width raw bytes
//   8 + 8     smallest and largest value, extended to 64 bits
//   then, unless these are equal, per 64 values (the last padded with zeros), b being the number
//   of bits that differ, with one for the sign if both signs occur:
//     variant "byte": for each whole byte of b, 64 bytes: that byte of every value;
//     for each further bit, 8 bytes: that bit of every value, value 0 in the lowest bit.
//     Variant "bit" stores all b bits the second way.
constexpr size_t kBlockValues = 64;
constexpr uint8_t kBitVariant = 0x80;

struct Layout
{
    uint8_t width = 0; // 0: no such type
    bool is_signed = false;
};

Layout layout_of(T64Type type)
{
    switch (type)
    {
    case T64Type::UInt8:
        return {1, false};
    case T64Type::UInt16:
    case T64Type::Date:
        return {2, false};
    case T64Type::UInt32:
    case T64Type::DateTime:
    case T64Type::IPv4:
        return {4, false};
    case T64Type::UInt64:
        return {8, false};
    case T64Type::Int8:
    case T64Type::Enum8:
        return {1, true};
    case T64Type::Int16:
    case T64Type::Enum16:
        return {2, true};
    case T64Type::Int32:
    case T64Type::Date32:
    case T64Type::Time:
    case T64Type::Decimal32:
        return {4, true};
    case T64Type::Int64:
    case T64Type::DateTime64:
    case T64Type::Decimal64:
        return {8, true};
    case T64Type::None:
        break;
    }
    return {};
}

// Bytes 8i of eight rows and columns of bits turned about the diagonal (Hacker's Delight 7-3).
uint64_t transpose8x8(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAull;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCull;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ull;
    return x ^ t ^ (t << 28);
}

// 64 bytes to 8 rows of 64 bits: bit j of row i is bit i of byte j. And back.
void bytes_to_rows(const uint8_t* bytes, uint8_t* rows)
{
    for (size_t group = 0; group < 8; ++group)
    {
        const uint64_t turned = transpose8x8(load<uint64_t>(bytes + 8 * group));
        for (size_t i = 0; i < 8; ++i)
            rows[8 * i + group] = static_cast<uint8_t>(turned >> (8 * i));
    }
}

void rows_to_bytes(const uint8_t* rows, uint8_t* bytes)
{
    for (size_t group = 0; group < 8; ++group)
    {
        uint64_t word = 0;
        for (size_t i = 0; i < 8; ++i)
            word |= uint64_t{rows[8 * i + group]} << (8 * i);
        store(bytes + 8 * group, transpose8x8(word));
    }
}

// How to rebuild the high bits.
struct Range
{
    unsigned bits = 0;      // kept of each value
    uint64_t sign = 0;      // bit that tells the sign if both occur
    uint64_t low_fill = 0;  // high bits of values without it
    uint64_t high_fill = 0; // high bits of values with it

    Range(uint64_t min, uint64_t max, bool is_signed)
    {
        const auto smin = static_cast<int64_t>(min);
        const auto smax = static_cast<int64_t>(max);
        if (is_signed && smin < 0 && smax >= 0)
        {
            const uint64_t widest = std::max(max, ~min);
            bits = static_cast<unsigned>(std::bit_width(widest)) + 1;
            sign = uint64_t{1} << (bits - 1);
            high_fill = bits < 64 ? ~uint64_t{0} << bits : 0;
            return;
        }
        bits = static_cast<unsigned>(std::bit_width(min ^ max));
        low_fill = bits < 64 ? min >> bits << bits : 0;
    }
};

class T64 : public Codec
{
public:
    T64(T64Type type, bool bit_variant) : type_(type), bit_variant_(bit_variant) {}

    CodecMethod method() const override { return CodecMethod::T64; }
    std::string description() const override { return bit_variant_ ? "T64('bit')" : "T64"; }
    Role role() const override { return Role::Values; }

    void compress(std::string_view in, std::string& out) const override
    {
        switch (type_layout().width)
        {
        case 1:
            return encode<uint8_t, int8_t>(in, out);
        case 2:
            return encode<uint16_t, int16_t>(in, out);
        case 4:
            return encode<uint32_t, int32_t>(in, out);
        default:
            return encode<uint64_t, int64_t>(in, out);
        }
    }

    void decompress(std::string_view in, char* out, size_t out_size) const override
    {
        if (in.empty())
            throw_cannot_decompress("T64", "no header");
        const auto cookie = static_cast<uint8_t>(in[0]);
        const bool bit_variant = cookie & kBitVariant;
        const Layout layout = layout_of(static_cast<T64Type>(cookie & ~kBitVariant));
        if (layout.width == 0)
            throw_cannot_decompress("T64", "wrong type");
        const size_t skip = out_size % layout.width;
        if (in.size() < 1 + skip)
            throw_cannot_decompress("T64", "cut off");
        if (skip)
            std::memcpy(out, in.data() + 1, skip);
        in.remove_prefix(1 + skip);
        const size_t count = out_size / layout.width;
        if (count == 0)
        {
            if (!in.empty())
                throw_cannot_decompress("T64", "wrong size");
            return;
        }
        switch (layout.width)
        {
        case 1:
            return decode<uint8_t>(in, out + skip, count, layout.is_signed, bit_variant);
        case 2:
            return decode<uint16_t>(in, out + skip, count, layout.is_signed, bit_variant);
        case 4:
            return decode<uint32_t>(in, out + skip, count, layout.is_signed, bit_variant);
        default:
            return decode<uint64_t>(in, out + skip, count, layout.is_signed, bit_variant);
        }
    }

private:
    Layout type_layout() const { return layout_of(type_); }

    template <typename U, typename S> void encode(std::string_view in, std::string& out) const
    {
        const size_t skip = in.size() % sizeof(U);
        out += static_cast<char>(static_cast<uint8_t>(type_) | (bit_variant_ ? kBitVariant : 0));
        out += in.substr(0, skip);
        in.remove_prefix(skip);
        const size_t count = in.size() / sizeof(U);
        if (count == 0)
            return;
        const bool is_signed = type_layout().is_signed;
        const auto [min, max] = is_signed ? min_max<S, int64_t>(in) : min_max<U, uint64_t>(in);
        out.append(reinterpret_cast<const char*>(&min), sizeof(min));
        out.append(reinterpret_cast<const char*>(&max), sizeof(max));
        const Range range(min, max, is_signed);
        if (range.bits == 0)
            return;
        const size_t blocks = (count + kBlockValues - 1) / kBlockValues;
        const size_t start = out.size();
        out.resize(start + blocks * range.bits * 8);
        auto* to = reinterpret_cast<uint8_t*>(out.data() + start);
        for (size_t at = 0; at < count; at += kBlockValues)
        {
            U values[kBlockValues] = {};
            const size_t n = std::min(kBlockValues, count - at);
            std::memcpy(values, in.data() + at * sizeof(U), n * sizeof(U));
            for (unsigned bit = 0; bit < range.bits; bit += 8)
            {
                uint8_t bytes[kBlockValues];
                for (size_t j = 0; j < kBlockValues; ++j)
                    bytes[j] = static_cast<uint8_t>(values[j] >> bit);
                if (range.bits - bit >= 8 && !bit_variant_)
                {
                    std::memcpy(to, bytes, sizeof(bytes));
                    to += sizeof(bytes);
                    continue;
                }
                uint8_t rows[kBlockValues];
                bytes_to_rows(bytes, rows);
                const size_t size = 8 * std::min(8u, range.bits - bit);
                std::memcpy(to, rows, size);
                to += size;
            }
        }
    }

    // Extended to 64 bits.
    template <typename T, typename Wide>
    static std::pair<uint64_t, uint64_t> min_max(std::string_view in)
    {
        T min = load<T>(in.data());
        T max = min;
        for (size_t i = sizeof(T); i < in.size(); i += sizeof(T))
        {
            const T value = load<T>(in.data() + i);
            min = std::min(min, value);
            max = std::max(max, value);
        }
        return {static_cast<uint64_t>(Wide{min}), static_cast<uint64_t>(Wide{max})};
    }

    template <typename U>
    static void decode(std::string_view in, char* out, size_t count, bool is_signed,
                       bool bit_variant)
    {
        if (in.size() < 16)
            throw_cannot_decompress("T64", "cut off");
        const auto min = load<uint64_t>(in.data());
        const auto max = load<uint64_t>(in.data() + 8);
        in.remove_prefix(16);
        const Range range(min, max, is_signed);
        const size_t blocks = (count + kBlockValues - 1) / kBlockValues;
        if (range.bits > sizeof(U) * 8 || in.size() != blocks * range.bits * 8)
            throw_cannot_decompress("T64", "wrong size");
        const auto* from = reinterpret_cast<const uint8_t*>(in.data());
        for (size_t at = 0; at < count; at += kBlockValues)
        {
            U values[kBlockValues] = {};
            for (unsigned bit = 0; bit < range.bits; bit += 8)
            {
                uint8_t bytes[kBlockValues];
                if (range.bits - bit >= 8 && !bit_variant)
                {
                    std::memcpy(bytes, from, sizeof(bytes));
                    from += sizeof(bytes);
                }
                else
                {
                    uint8_t rows[kBlockValues] = {};
                    const size_t size = 8 * std::min(8u, range.bits - bit);
                    std::memcpy(rows, from, size);
                    from += size;
                    rows_to_bytes(rows, bytes);
                }
                for (size_t j = 0; j < kBlockValues; ++j)
                    values[j] = static_cast<U>(values[j] | static_cast<U>(U{bytes[j]} << bit));
            }
            const auto sign = static_cast<U>(range.sign);
            const auto low_fill = static_cast<U>(range.low_fill);
            const auto high_fill = static_cast<U>(range.high_fill);
            for (auto& value : values)
                value = static_cast<U>(value | (value & sign ? high_fill : low_fill));
            const size_t n = std::min(kBlockValues, count - at);
            std::memcpy(out + at * sizeof(U), values, n * sizeof(U));
        }
    }

    T64Type type_;
    bool bit_variant_;
};

} // namespace

void register_t64(CodecRegistry& registry)
{
    registry.add(
        "T64",
        [](const std::vector<std::string>& arguments, const CodecElement& element) -> CodecPtr
        {
            if (arguments.size() > 1)
                throw Error(
                    ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                    fmt::format("T64 support zero or one parameter, given {}", arguments.size()));
            if (layout_of(element.t64_type).width == 0)
                throw Error(ILLEGAL_SYNTAX_FOR_CODEC_TYPE,
                            fmt::format("T64 codec is not supported for specified type {}",
                                        element.type_name));
            if (!arguments.empty() && arguments[0] != "bit" && arguments[0] != "byte")
                throw Error(ILLEGAL_CODEC_PARAMETER,
                            fmt::format("Wrong modification for T64: {}", arguments[0]));
            return std::make_shared<T64>(element.t64_type,
                                         !arguments.empty() && arguments[0] == "bit");
        });
    registry.add_decoder(CodecMethod::T64,
                         []() -> CodecPtr { return std::make_shared<T64>(T64Type::UInt8, false); });
}

} // namespace basalt
