#include "postgres/type_mapping.h"

#include <algorithm>
#include <fmt/core.h>

namespace basalt::pg
{

namespace
{

constexpr int kMaxDecimalDigits = 76;

// Numbers that PostgreSQL has never changed (src/include/catalog/pg_type.dat names them).
enum Oid : uint32_t
{
    kBool = 16,
    kInt8 = 20,
    kInt2 = 21,
    kInt4 = 23,
    kOid = 26,
    kFloat4 = 700,
    kFloat8 = 701,
    kDate = 1082,
    kTimestamp = 1114,
    kTimestampTz = 1184,
    kNumeric = 1700,
    kUuid = 2950,
};

std::string decimal_name(int32_t modifier)
{
    const auto bounds = numeric_bounds(modifier);
    if (!bounds)
        return "Decimal(76, 38)";
    // numeric(2, -3) holds 12000; numeric(3, 5) holds 0.00123.
    const int scale = std::max(bounds->scale, 0);
    const int digits = std::max(bounds->precision - std::min(bounds->scale, 0), scale);
    if (digits > kMaxDecimalDigits)
        return "String";
    return fmt::format("Decimal({}, {})", digits, scale);
}

std::string plain_name(const PostgresColumnType& type)
{
    switch (type.oid)
    {
    case kBool:
        return "Bool";
    case kInt2:
        return "Int16";
    case kInt4:
        return "Int32";
    case kInt8:
        return "Int64";
    case kOid:
        return "UInt32";
    case kFloat4:
        return "Float32";
    case kFloat8:
        return "Float64";
    case kDate:
        return "Date32";
    case kTimestamp:
        return "DateTime64(6)";
    case kTimestampTz:
        return "DateTime64(6, 'UTC')";
    case kNumeric:
        return decimal_name(type.modifier);
    case kUuid:
        return "UUID";
    default:
        return "String";
    }
}

} // namespace

std::optional<NumericBounds> numeric_bounds(int32_t modifier)
{
    constexpr int32_t kHeader = 4;
    if (modifier < kHeader)
        return std::nullopt;
    const int32_t packed = modifier - kHeader;
    // 16 bits of precision above 11 bits of scale with a sign.
    return NumericBounds{(packed >> 16) & 0xFFFF, ((packed & 0x7FF) ^ 1024) - 1024};
}

std::string column_type_name(const PostgresColumnType& type)
{
    const bool is_array = type.array_depth > 0;
    const bool is_nullable = is_array || !type.is_not_null;
    std::string name = type.is_enum ? "String" : plain_name(type);
    if (is_nullable)
        name = "Nullable(" + name + ")";
    if (type.is_enum)
        name = "LowCardinality(" + name + ")";
    for (uint32_t i = 0; i < std::min(type.array_depth, kMaxArrayDepth); ++i)
        name = "Array(" + name + ")";
    return name;
}

} // namespace basalt::pg
