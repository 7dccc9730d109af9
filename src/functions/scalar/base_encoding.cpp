// base64, base64URL, base58, base32 and back.

#include "functions/scalar/column_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace basalt
{
namespace
{

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

std::array<int8_t, 256> reverse_alphabet(std::string_view alphabet)
{
    std::array<int8_t, 256> values;
    values.fill(-1);
    for (size_t i = 0; i < alphabet.size(); ++i)
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
    return values;
}

// kBits bits a character (6 or 5), padded with '=' to whole groups unless told otherwise.
template <int kBits> void encode_bits(std::string_view text, std::string_view alphabet, bool pad,
                                      StringWriter& out)
{
    constexpr size_t kGroup = kBits == 6 ? 4 : 8;
    uint32_t bits = 0;
    int count = 0;
    size_t written = 0;
    for (const char c : text)
    {
        bits = bits << 8 | static_cast<unsigned char>(c);
        count += 8;
        while (count >= kBits)
        {
            count -= kBits;
            out.write(alphabet[bits >> count & ((1 << kBits) - 1)]);
            ++written;
        }
    }
    if (count > 0)
    {
        out.write(alphabet[bits << (kBits - count) & ((1 << kBits) - 1)]);
        ++written;
    }
    if (pad)
        for (; written % kGroup != 0; ++written)
            out.write('=');
}

template <int kBits> bool decode_bits(std::string_view text,
                                      const std::array<int8_t, 256>& values, bool padded,
                                      StringWriter& out)
{
    constexpr size_t kGroup = kBits == 6 ? 4 : 8;
    if (padded && text.size() % kGroup != 0)
        return false;
    size_t size = text.size();
    size_t padding = 0;
    while (size > 0 && text[size - 1] == '=')
    {
        --size;
        ++padding;
    }
    if (padding >= (kBits == 6 ? 3u : 7u) || (!padded && padding > 0 && text.size() % kGroup != 0))
        return false;
    // A last character that holds no whole byte cannot be.
    const size_t rest = size * kBits % 8;
    if (rest >= kBits)
        return false;
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < size; ++i)
    {
        const int8_t value = values[static_cast<unsigned char>(text[i])];
        if (value < 0)
            return false;
        bits = bits << kBits | static_cast<uint32_t>(value);
        count += kBits;
        if (count >= 8)
        {
            count -= 8;
            out.write(static_cast<char>(bits >> count));
        }
    }
    return true;
}

// Base 58 has no bit groups: long division, quadratic, as everywhere.
inline constexpr size_t kMaxBase58Bytes = 1 << 16;

void check_base58(std::string_view text)
{
    if (text.size() > kMaxBase58Bytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("A text of {} bytes is too long for Base58, maximum is: {}",
                                text.size(), kMaxBase58Bytes));
}

void encode_58(std::string_view text, StringWriter& out)
{
    check_base58(text);
    size_t zeros = 0;
    while (zeros < text.size() && text[zeros] == 0)
        ++zeros;
    std::vector<uint8_t> digits; // least significant first
    for (const char c : text.substr(zeros))
    {
        uint32_t carry = static_cast<unsigned char>(c);
        for (uint8_t& digit : digits)
        {
            carry += static_cast<uint32_t>(digit) << 8;
            digit = static_cast<uint8_t>(carry % 58);
            carry /= 58;
        }
        for (; carry != 0; carry /= 58)
            digits.push_back(static_cast<uint8_t>(carry % 58));
    }
    out.fill(zeros, kBase58[0]);
    for (size_t i = digits.size(); i > 0; --i)
        out.write(kBase58[digits[i - 1]]);
}

bool decode_58(std::string_view text, StringWriter& out)
{
    check_base58(text);
    static const std::array<int8_t, 256> values = reverse_alphabet(kBase58);
    size_t zeros = 0;
    while (zeros < text.size() && text[zeros] == kBase58[0])
        ++zeros;
    std::vector<uint8_t> bytes;
    for (const char c : text.substr(zeros))
    {
        const int8_t value = values[static_cast<unsigned char>(c)];
        if (value < 0)
            return false;
        auto carry = static_cast<uint32_t>(value);
        for (uint8_t& byte : bytes)
        {
            carry += static_cast<uint32_t>(byte) * 58;
            byte = static_cast<uint8_t>(carry);
            carry >>= 8;
        }
        for (; carry != 0; carry >>= 8)
            bytes.push_back(static_cast<uint8_t>(carry));
    }
    out.fill(zeros, 0);
    for (size_t i = bytes.size(); i > 0; --i)
        out.write(static_cast<char>(bytes[i - 1]));
    return true;
}

enum class Base
{
    B64,
    B64Url,
    B58,
    B32,
};

template <Base kBase> ColumnPtr run_encode(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size() * 3 / 2);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (kBase == Base::B64)
            encode_bits<6>(rows[i], kBase64, true, out);
        else if (kBase == Base::B64Url)
            encode_bits<6>(rows[i], kBase64Url, false, out);
        else if (kBase == Base::B32)
            encode_bits<5>(rows[i], kBase32, true, out);
        else
            encode_58(rows[i], out);
        out.end_row();
    }
    return out.finish();
}

template <Base kBase, bool kTry> ColumnPtr run_decode(const Call& call)
{
    static const std::array<int8_t, 256> values =
        reverse_alphabet(kBase == Base::B64      ? kBase64
                         : kBase == Base::B64Url ? kBase64Url
                                                 : kBase32);
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        bool good;
        if (kBase == Base::B58)
            good = decode_58(rows[i], out);
        else if (kBase == Base::B32)
            good = decode_bits<5>(rows[i], values, true, out);
        else
            good = decode_bits<6>(rows[i], values, kBase == Base::B64, out);
        if (!good)
        {
            if (!kTry)
                throw Error(error_codes::INCORRECT_DATA,
                            fmt::format("Invalid {} value ({}), cannot be decoded", call.name,
                                        rows[i]));
            out.column().chars().resize(out.row_begin());
        }
        out.end_row();
    }
    return out.finish();
}

constexpr auto kString = type_is<TypeId::String>;
constexpr FunctionSpec kEncode64{"base64Encode", "s", kString, run_encode<Base::B64>, kInjective,
                                 "TO_BASE64*"};
constexpr FunctionSpec kDecode64{"base64Decode", "s", kString, run_decode<Base::B64, false>, 0,
                                 "FROM_BASE64*"};
constexpr FunctionSpec kTry64{"tryBase64Decode", "s", kString, run_decode<Base::B64, true>};
constexpr FunctionSpec kEncodeUrl{"base64URLEncode", "s", kString, run_encode<Base::B64Url>};
constexpr FunctionSpec kDecodeUrl{"base64URLDecode", "s", kString,
                                  run_decode<Base::B64Url, false>};
constexpr FunctionSpec kTryUrl{"tryBase64URLDecode", "s", kString,
                               run_decode<Base::B64Url, true>};
constexpr FunctionSpec kEncode58{"base58Encode", "s", kString, run_encode<Base::B58>};
constexpr FunctionSpec kDecode58{"base58Decode", "s", kString, run_decode<Base::B58, false>};
constexpr FunctionSpec kTry58{"tryBase58Decode", "s", kString, run_decode<Base::B58, true>};
constexpr FunctionSpec kEncode32{"base32Encode", "s", kString, run_encode<Base::B32>};
constexpr FunctionSpec kDecode32{"base32Decode", "s", kString, run_decode<Base::B32, false>};
constexpr FunctionSpec kTry32{"tryBase32Decode", "s", kString, run_decode<Base::B32, true>};

} // namespace

void register_base_encoding(ScalarRegistry& registry)
{
    add_all<kEncode64, kDecode64, kTry64, kEncodeUrl, kDecodeUrl, kTryUrl, kEncode58, kDecode58,
            kTry58, kEncode32, kDecode32, kTry32>(registry);
}

} // namespace basalt
