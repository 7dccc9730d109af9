// IPv4, IPv6, MAC and UUID: numbers to text and back, ranges.

#include "columns/address_text.h"
#include "functions/scalar/column_rows.h"
#include "functions/scalar/date_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace basalt
{
namespace
{

using Ipv6Bytes = std::array<char, 16>;

bool read_ipv4(std::string_view text, uint32_t& address)
{
    TextCursor cursor(text);
    return parse_ipv4(cursor, address) && cursor.at_end();
}
bool read_ipv6(std::string_view text, Ipv6Bytes& bytes)
{
    TextCursor cursor(text);
    return parse_ipv6(cursor, bytes.data()) && cursor.at_end();
}
Ipv6Bytes mapped(uint32_t address)
{
    Ipv6Bytes bytes{};
    bytes[10] = bytes[11] = static_cast<char>(0xFF);
    for (size_t i = 0; i < 4; ++i)
        bytes[12 + i] = static_cast<char>(address >> (24 - 8 * i));
    return bytes;
}

template <bool kHideLast> ColumnPtr run_ipv4_to_text(const Call& call)
{
    const IntegerRows rows(call[0]);
    StringWriter out(call.rows, call.rows * 12);
    for (size_t i = 0; i < call.rows; ++i)
    {
        char* begin = out.room(kMaxIpv4TextBytes + 4);
        char* end = put_ipv4(begin, static_cast<uint32_t>(rows[i]));
        if (kHideLast)
        {
            while (end[-1] != '.')
                --end;
            std::memcpy(end, "xxx", 3);
            end += 3;
        }
        out.advance(static_cast<size_t>(end - begin));
        out.end_row();
    }
    return out.finish();
}

enum class OnError
{
    Throw,
    Default,
    Null,
};

template <OnError kOnError> TypePtr wrapped(const TypePtr& type)
{
    return kOnError == OnError::Null ? make_nullable(type) : type;
}
template <OnError kOnError> TypePtr ipv4_number_type(const TypeCall&)
{
    return wrapped<kOnError>(simple_type(TypeId::UInt32));
}
template <OnError kOnError> TypePtr ipv6_bytes_type(const TypeCall&)
{
    return wrapped<kOnError>(std::make_shared<FixedStringType>(16));
}

template <OnError kOnError> ColumnPtr run_ipv4_to_number(const Call& call)
{
    const StringRows rows(call.column(0));
    auto numbers = std::make_shared<VectorColumn<uint32_t>>(call.rows, 0);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for (size_t i = 0; i < call.rows; ++i)
        if (!read_ipv4(rows[i], numbers->data()[i]))
        {
            if (kOnError == OnError::Throw)
                throw Error(error_codes::CANNOT_PARSE_IPV4, "Invalid IPv4 value");
            numbers->data()[i] = 0;
            nulls->data()[i] = 1;
        }
    return kOnError == OnError::Null ? NullableColumn::make(numbers, nulls) : numbers;
}

template <OnError kOnError> ColumnPtr run_ipv6_to_bytes(const Call& call)
{
    const StringRows rows(call.column(0));
    auto out = std::make_shared<FixedStringColumn>(16);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for (size_t i = 0; i < call.rows; ++i)
    {
        Ipv6Bytes bytes{};
        if (!read_ipv6(rows[i], bytes))
        {
            if (kOnError == OnError::Throw)
                throw Error(error_codes::CANNOT_PARSE_IPV6, "Invalid IPv6 value");
            bytes = {};
            nulls->data()[i] = 1;
        }
        out->append({bytes.data(), 16});
    }
    return kOnError == OnError::Null ? NullableColumn::make(out, nulls) : out;
}

TypePtr ipv4_to_ipv6_type(const TypeCall& call)
{
    if (call.type(0)->is(TypeId::IPv4))
        return simple_type(TypeId::IPv6);
    return std::make_shared<FixedStringType>(16);
}

ColumnPtr run_ipv4_to_ipv6(const Call& call)
{
    const IntegerRows rows(call[0]);
    auto out = std::make_shared<FixedStringColumn>(16);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const Ipv6Bytes bytes = mapped(static_cast<uint32_t>(rows[i]));
        out->append({bytes.data(), 16});
    }
    return out;
}

void check_sixteen(const TypeCall& call)
{
    const TypePtr& type = call.type(0);
    if (!type->is(TypeId::IPv6) &&
        !(type->is(TypeId::FixedString) && type_as<FixedStringType>(type).width() == 16))
        throw_illegal_type(call.name, call.arguments, 0, "IPv6 or FixedString(16)");
}
TypePtr ipv6_text_type(const TypeCall& call)
{
    check_sixteen(call);
    return simple_type(TypeId::String);
}

void write_ipv6(StringWriter& out, const char* bytes)
{
    char* begin = out.room(kMaxIpv6TextBytes);
    out.advance(static_cast<size_t>(put_ipv6(begin, bytes) - begin));
    out.end_row();
}

ColumnPtr run_ipv6_to_text(const Call& call)
{
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, call.rows * 24);
    for (size_t i = 0; i < call.rows; ++i)
        write_ipv6(out, rows[i].data());
    return out.finish();
}

ColumnPtr run_cut_ipv6(const Call& call)
{
    const StringRows rows(call.column(0));
    const IntegerRows cut6(call[1]);
    const IntegerRows cut4(call[2]);
    StringWriter out(call.rows, call.rows * 24);
    static const Ipv6Bytes prefix = mapped(0);
    for (size_t i = 0; i < call.rows; ++i)
    {
        Ipv6Bytes bytes;
        std::memcpy(bytes.data(), rows[i].data(), 16);
        const bool is_v4 = std::memcmp(bytes.data(), prefix.data(), 12) == 0;
        const int64_t cut = std::clamp<int64_t>(is_v4 ? cut4[i] : cut6[i], 0, 16);
        std::memset(bytes.data() + 16 - cut, 0, static_cast<size_t>(cut));
        write_ipv6(out, bytes.data());
    }
    return out.finish();
}

ColumnPtr run_is_ipv4(const Call& call)
{
    const StringRows rows(call.column(0));
    uint32_t address;
    return map_rows<uint8_t>(call.rows, [&](size_t i) { return read_ipv4(rows[i], address); });
}

ColumnPtr run_is_ipv6(const Call& call)
{
    const StringRows rows(call.column(0));
    Ipv6Bytes bytes;
    // A bare IPv4 address is not an IPv6 one.
    return map_rows<uint8_t>(call.rows,
                             [&](size_t i) {
                                 return rows[i].find(':') != std::string_view::npos &&
                                        read_ipv6(rows[i], bytes);
                             });
}

struct Address
{
    bool is_v4;
    Ipv6Bytes bytes; // IPv4 in the last four
};

Address parse_address(std::string_view text)
{
    Address result{};
    uint32_t v4;
    if (read_ipv4(text, v4))
        return {true, mapped(v4)};
    if (read_ipv6(text, result.bytes))
        return result;
    throw Error(error_codes::CANNOT_PARSE_TEXT,
                fmt::format("Neither IPv4 nor IPv6 address: '{}'", text));
}

bool in_prefix(const Ipv6Bytes& address, const Ipv6Bytes& prefix, size_t from, size_t bits)
{
    for (size_t i = from; bits > 0; ++i)
    {
        const size_t take = std::min<size_t>(bits, 8);
        const auto mask = static_cast<unsigned char>(0xFF << (8 - take));
        if ((address[i] ^ prefix[i]) & mask)
            return false;
        bits -= take;
    }
    return true;
}

ColumnPtr run_in_range(const Call& call)
{
    const ColumnPtr text = as_text(call[0], call.context);
    const StringRows rows(text);
    const StringRows ranges(call.column(1));
    Address prefix{};
    size_t bits = 0;
    return map_rows<uint8_t>(
        call.rows,
        [&](size_t i)
        {
            if (i == 0 || !ranges.constant())
            {
                const std::string_view range = ranges[i];
                const size_t slash = range.rfind('/');
                if (slash == range.npos)
                    throw Error(error_codes::CANNOT_PARSE_TEXT,
                                fmt::format("The text does not contain '/': {}", range));
                prefix = parse_address(range.substr(0, slash));
                bits = 0;
                const std::string_view digits = range.substr(slash + 1);
                bool good = !digits.empty() && digits.size() <= 3;
                for (const char c : digits)
                {
                    good = good && c >= '0' && c <= '9';
                    bits = bits * 10 + static_cast<size_t>(c - '0');
                }
                if (!good || bits > (prefix.is_v4 ? 32 : 128))
                    throw Error(error_codes::CANNOT_PARSE_TEXT,
                                fmt::format("The CIDR has a malformed prefix bits: {}", range));
            }
            const Address address = parse_address(rows[i]);
            return address.is_v4 == prefix.is_v4 &&
                   in_prefix(address.bytes, prefix.bytes, prefix.is_v4 ? 12 : 0, bits);
        });
}

TypePtr range_type(const TypeCall& call)
{
    const TypePtr& type =
        simple_type(call.name == "IPv4CIDRToRange" ? TypeId::IPv4 : TypeId::IPv6);
    if (call.name == "IPv6CIDRToRange")
        check_sixteen(call);
    return std::make_shared<TupleType>(Types{type, type});
}

ColumnPtr run_ipv4_range(const Call& call)
{
    const IntegerRows rows(call[0]);
    const IntegerRows bits(call[1]);
    const auto mask = [&](size_t i) -> uint32_t
    {
        const int64_t n = std::clamp<int64_t>(bits[i], 0, 32);
        return n == 0 ? 0 : ~uint32_t{0} << (32 - n);
    };
    return TupleColumn::make(
        {map_rows<uint32_t>(call.rows,
                            [&](size_t i) { return static_cast<uint32_t>(rows[i]) & mask(i); }),
         map_rows<uint32_t>(call.rows,
                            [&](size_t i) { return static_cast<uint32_t>(rows[i]) | ~mask(i); })},
        call.rows);
}

ColumnPtr run_ipv6_range(const Call& call)
{
    const StringRows rows(call.column(0));
    const IntegerRows bits(call[1]);
    auto low = std::make_shared<FixedStringColumn>(16);
    auto high = std::make_shared<FixedStringColumn>(16);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto n = static_cast<size_t>(std::clamp<int64_t>(bits[i], 0, 128));
        Ipv6Bytes first, last;
        for (size_t j = 0; j < 16; ++j)
        {
            const size_t kept = n >= (j + 1) * 8 ? 8 : n > j * 8 ? n - j * 8 : 0;
            const auto mask = static_cast<unsigned char>(0xFF00 >> kept);
            const auto byte = static_cast<unsigned char>(rows[i][j]);
            first[j] = static_cast<char>(byte & mask);
            last[j] = static_cast<char>(byte | static_cast<unsigned char>(~mask));
        }
        low->append({first.data(), 16});
        high->append({last.data(), 16});
    }
    return TupleColumn::make({low, high}, call.rows);
}

// Variant 2 (Microsoft) has the first three groups in little-endian order.
bool microsoft_order(const Call& call)
{
    if (call.size() < 2)
        return false;
    const int64_t variant = constant_integer(call.name, call.arguments, 1);
    if (variant != 1 && variant != 2)
        throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                    fmt::format("Variant {} of function {} is not 1 or 2", variant, call.name));
    return variant == 2;
}

void put_uuid_bytes(FixedStringColumn& out, UInt128 value, bool microsoft)
{
    char bytes[16];
    for (size_t j = 0; j < 16; ++j)
        bytes[j] = static_cast<char>(static_cast<uint8_t>(value >> (120 - 8 * j)));
    if (microsoft)
    {
        std::reverse(bytes, bytes + 4);
        std::reverse(bytes + 4, bytes + 6);
        std::reverse(bytes + 6, bytes + 8);
    }
    out.append({bytes, 16});
}

TypePtr sixteen_type(const TypeCall&)
{
    return std::make_shared<FixedStringType>(16);
}

ColumnPtr run_uuid_to_bytes(const Call& call)
{
    const bool microsoft = microsoft_order(call);
    auto out = std::make_shared<FixedStringColumn>(16);
    if (call.type(0)->is(TypeId::UUID))
    {
        const NumberRows<UInt128> rows(call.column(0));
        for (size_t i = 0; i < call.rows; ++i)
            put_uuid_bytes(*out, rows[i], microsoft);
        return out;
    }
    const StringRows rows(call.column(0));
    for (size_t i = 0; i < call.rows; ++i)
    {
        UInt128 value = 0;
        TextCursor cursor(rows[i]);
        if (rows[i].size() != kUuidTextBytes || !parse_uuid(cursor, value))
            value = 0;
        put_uuid_bytes(*out, value, microsoft);
    }
    return out;
}

TypePtr uuid_text_type(const TypeCall& call)
{
    check_sixteen(call);
    return simple_type(TypeId::String);
}

ColumnPtr run_uuid_to_text(const Call& call)
{
    const bool microsoft = microsoft_order(call);
    const StringRows rows(call.column(0));
    StringWriter out(call.rows, call.rows * kUuidTextBytes);
    for (size_t i = 0; i < call.rows; ++i)
    {
        char bytes[16];
        std::memcpy(bytes, rows[i].data(), 16);
        if (microsoft)
        {
            std::reverse(bytes, bytes + 4);
            std::reverse(bytes + 4, bytes + 6);
            std::reverse(bytes + 6, bytes + 8);
        }
        UInt128 value = 0;
        for (const char c : bytes)
            value = value << 8 | static_cast<unsigned char>(c);
        char* begin = out.room(kUuidTextBytes);
        out.advance(static_cast<size_t>(put_uuid(begin, value) - begin));
        out.end_row();
    }
    return out.finish();
}

TypePtr uuid_time_type(const TypeCall& call)
{
    return std::make_shared<DateTime64Type>(
        3, call.size() > 1 ? constant_text(call.name, call.arguments, 1) : "");
}

// The first 48 bits of a version 7 UUID are milliseconds since 1970.
ColumnPtr run_uuid_time(const Call& call)
{
    const NumberRows<UInt128> rows(call.column(0));
    return map_rows<int64_t>(call.rows,
                             [&](size_t i)
                             {
                                 const auto high = static_cast<uint64_t>(rows[i] >> 64);
                                 return (high >> 12 & 15) == 7 ? static_cast<int64_t>(high >> 16)
                                                               : 0;
                             });
}

ColumnPtr run_mac_to_text(const Call& call)
{
    const IntegerRows rows(call[0]);
    StringWriter out(call.rows, call.rows * 17);
    for (size_t i = 0; i < call.rows; ++i)
    {
        constexpr char kDigits[] = "0123456789ABCDEF";
        char text[17];
        for (size_t j = 0; j < 6; ++j)
        {
            const auto byte = static_cast<uint8_t>(static_cast<uint64_t>(rows[i]) >> (40 - 8 * j));
            text[j * 3] = kDigits[byte >> 4];
            text[j * 3 + 1] = kDigits[byte & 15];
            if (j < 5)
                text[j * 3 + 2] = ':';
        }
        out.row({text, 17});
    }
    return out.finish();
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = static_cast<char>(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

template <size_t kBytes> ColumnPtr run_mac_to_number(const Call& call)
{
    const StringRows rows(call.column(0));
    return map_rows<uint64_t>(call.rows,
                              [&](size_t i) -> uint64_t
                              {
                                  const std::string_view text = rows[i];
                                  if (text.size() != 17 && text.size() != kBytes * 3 - 1)
                                      return 0;
                                  uint64_t value = 0;
                                  for (size_t j = 0; j < kBytes; ++j)
                                  {
                                      const int high = hex_digit(text[j * 3]);
                                      const int low = hex_digit(text[j * 3 + 1]);
                                      if (high < 0 || low < 0 ||
                                          (j + 1 < kBytes && text[j * 3 + 2] != ':'))
                                          return 0;
                                      value = value << 8 | static_cast<uint64_t>(high * 16 + low);
                                  }
                                  return value;
                              });
}

constexpr auto kString = type_is<TypeId::String>;
constexpr auto kFlag = type_is<TypeId::UInt8>;
constexpr FunctionSpec kText4{"IPv4NumToString", "i4", kString, run_ipv4_to_text<false>,
                              kInjective, "INET_NTOA*"};
constexpr FunctionSpec kText4C{"IPv4NumToStringClassC", "i4", kString, run_ipv4_to_text<true>};
constexpr FunctionSpec kNumber4{"IPv4StringToNum", "s", ipv4_number_type<OnError::Throw>,
                                run_ipv4_to_number<OnError::Throw>, 0, "INET_ATON*"};
constexpr FunctionSpec kNumber4Default{"IPv4StringToNumOrDefault", "s",
                                       ipv4_number_type<OnError::Default>,
                                       run_ipv4_to_number<OnError::Default>};
constexpr FunctionSpec kNumber4Null{"IPv4StringToNumOrNull", "s", ipv4_number_type<OnError::Null>,
                                    run_ipv4_to_number<OnError::Null>};
constexpr FunctionSpec kBytes6{"IPv6StringToNum", "s", ipv6_bytes_type<OnError::Throw>,
                               run_ipv6_to_bytes<OnError::Throw>, 0, "INET6_ATON*"};
constexpr FunctionSpec kBytes6Default{"IPv6StringToNumOrDefault", "s",
                                      ipv6_bytes_type<OnError::Default>,
                                      run_ipv6_to_bytes<OnError::Default>};
constexpr FunctionSpec kBytes6Null{"IPv6StringToNumOrNull", "s", ipv6_bytes_type<OnError::Null>,
                                   run_ipv6_to_bytes<OnError::Null>};
constexpr FunctionSpec k4To6{"IPv4ToIPv6", "i4", ipv4_to_ipv6_type, run_ipv4_to_ipv6};
constexpr FunctionSpec kText6{"IPv6NumToString", "s6", ipv6_text_type, run_ipv6_to_text,
                              kInjective, "INET6_NTOA*"};
constexpr FunctionSpec kCut6{"cutIPv6", "s6 i i", ipv6_text_type, run_cut_ipv6};
constexpr FunctionSpec kIs4{"isIPv4String", "s", kFlag, run_is_ipv4};
constexpr FunctionSpec kIs6{"isIPv6String", "s", kFlag, run_is_ipv6};
constexpr FunctionSpec kInRange{"isIPAddressInRange", "s46 s", kFlag, run_in_range};
constexpr FunctionSpec kRange4{"IPv4CIDRToRange", "i4 i", range_type, run_ipv4_range};
constexpr FunctionSpec kRange6{"IPv6CIDRToRange", "s6 i", range_type, run_ipv6_range};
constexpr FunctionSpec kUuidBytes{"UUIDStringToNum", "s [ i!", sixteen_type, run_uuid_to_bytes};
constexpr FunctionSpec kUuidNumber{"UUIDToNum", "u [ i!", sixteen_type, run_uuid_to_bytes};
constexpr FunctionSpec kUuidText{"UUIDNumToString", "s [ i!", uuid_text_type, run_uuid_to_text};
constexpr FunctionSpec kUuidTime{"UUIDv7ToDateTime", "u [ s!", uuid_time_type, run_uuid_time};
constexpr FunctionSpec kMacText{"MACNumToString", "i", kString, run_mac_to_text};
constexpr FunctionSpec kMacNumber{"MACStringToNum", "s", type_is<TypeId::UInt64>,
                                  run_mac_to_number<6>};
constexpr FunctionSpec kMacOui{"MACStringToOUI", "s", type_is<TypeId::UInt64>,
                               run_mac_to_number<3>};

} // namespace

void register_addresses(ScalarRegistry& registry)
{
    add_all<kText4, kText4C, kNumber4, kNumber4Default, kNumber4Null, kBytes6, kBytes6Default,
            kBytes6Null, k4To6, kText6, kCut6, kIs4, kIs6, kInRange, kRange4, kRange6>(registry);
    add_all<kUuidBytes, kUuidNumber, kUuidText, kUuidTime, kMacText, kMacNumber, kMacOui>(
        registry);
}

} // namespace basalt
