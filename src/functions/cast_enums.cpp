// Enums, UUIDs and IP addresses.

#include "functions/cast_parts.h"

#include "base/error.h"
#include "columns/address_text.h"
#include "functions/arithmetic.h"
#include "functions/numeric_convert.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

ColumnPtr numbers_to_enum(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                          const CastJob& job)
{
    const auto& type = type_as<EnumType>(to);
    const ColumnPtr numbers = convert_numbers(column, from->physical(), PhysicalType::Int64);
    const auto& data = column_as<VectorColumn<int64_t>>(numbers).data();
    for (size_t i = 0; i < data.size(); ++i)
    {
        const bool known = data[i] >= INT16_MIN && data[i] <= INT16_MAX &&
                           type.find_name(static_cast<int16_t>(data[i])) != nullptr;
        if (!known && !job.note_failure(i))
            throw Error(error_codes::UNKNOWN_ELEMENT_OF_ENUM,
                        fmt::format("Unexpected value {} in enum", data[i]));
    }
    return convert_numbers(numbers, PhysicalType::Int64, to->physical());
}

ColumnPtr enum_to_enum(const ColumnPtr& column, const TypePtr& from, const TypePtr& to)
{
    const auto& source = type_as<EnumType>(from);
    const auto& target = type_as<EnumType>(to);
    for (const auto& [name, value] : source.items())
    {
        const int16_t* other = target.find_value(name);
        if (other && *other != value)
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        fmt::format("Enum conversion changes value for element '{}' from {} to {}",
                                    name, value, *other));
    }
    const ColumnPtr numbers = convert_numbers(column, from->physical(), PhysicalType::Int16);
    for (const int16_t value : column_as<VectorColumn<int16_t>>(numbers).data())
        if (!target.find_name(value))
            throw Error(error_codes::UNKNOWN_ELEMENT_OF_ENUM,
                        fmt::format("Unexpected value {} in enum", value));
    return convert_numbers(numbers, PhysicalType::Int16, to->physical());
}

ColumnPtr ipv4_to_ipv6(const Column& column)
{
    auto result = std::make_shared<FixedStringColumn>(16);
    for (const uint32_t address : column_as<VectorColumn<uint32_t>>(column).data())
    {
        char bytes[16] = {};
        bytes[10] = bytes[11] = static_cast<char>(0xff);
        for (int i = 0; i < 4; ++i)
            bytes[12 + i] = static_cast<char>(address >> (24 - 8 * i));
        result->append({bytes, 16});
    }
    return result;
}

ColumnPtr ipv6_to_ipv4(const Column& column, const CastJob& job)
{
    const auto& from = column_as<FixedStringColumn>(column);
    auto result = std::make_shared<VectorColumn<uint32_t>>(from.size(), 0u);
    constexpr char kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '\xff', '\xff'};
    for (size_t i = 0; i < from.size(); ++i)
    {
        const std::string_view bytes = from.at(i);
        if (bytes.substr(0, 12) != std::string_view(kMapped, 12))
        {
            if (job.note_failure(i))
                continue;
            char text[kMaxIpv6TextBytes];
            const char* const end = put_ipv6(text, bytes.data());
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        fmt::format("IPv6 {} in column IPv6 is not in IPv4 mapping block",
                                    std::string_view(text, static_cast<size_t>(end - text))));
        }
        for (size_t k = 12; k < 16; ++k)
            result->data()[i] = (result->data()[i] << 8) | static_cast<uint8_t>(bytes[k]);
    }
    return result;
}

} // namespace

ColumnPtr cast_enums(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                     const CastJob& job)
{
    if (from->is_enum() && to->is_enum())
        return enum_to_enum(column, from, to);
    if (from->is_enum() && is_plain_number(*to))
        return convert_numbers(column, from->physical(), to->physical());
    if (from->is_enum() && (to->is_date_or_time() || to->is_decimal()))
        return cast_plain(convert_numbers(column, from->physical(), PhysicalType::Int16),
                          simple_type(TypeId::Int16), to, job);
    if (to->is_enum() && is_plain_number(*from))
        return numbers_to_enum(column, from, to, job);
    return nullptr;
}

ColumnPtr cast_addresses(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                         const CastJob& job)
{
    if (from->is(TypeId::IPv4) && to->is(TypeId::IPv6))
        return ipv4_to_ipv6(*column);
    if (from->is(TypeId::IPv6) && to->is(TypeId::IPv4))
        return ipv6_to_ipv4(*column, job);
    const bool to_plain_number = is_plain_number(*to) && !to->is(TypeId::Bool);
    if (from->is(TypeId::IPv4) && to_plain_number)
        return convert_numbers(column, PhysicalType::UInt32, to->physical());
    if (to->is(TypeId::IPv4) && is_plain_number(*from))
        return convert_numbers(column, from->physical(), PhysicalType::UInt32);
    if (from->is(TypeId::UUID) && to->is(TypeId::UInt128))
        return column;
    if (to->is(TypeId::UUID) && is_plain_number(*from))
        throw Error(error_codes::NOT_IMPLEMENTED,
                    "Conversion between numeric types and UUID is not supported. Probably the "
                    "passed UUID is unquoted");
    if (to->is(TypeId::IPv6) && from->is(TypeId::FixedString) &&
        type_as<FixedStringType>(from).width() == 16)
        return column;
    return nullptr;
}

} // namespace basalt
