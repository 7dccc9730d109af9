#include "columns/postgres_type.h"

#include <iterator>

namespace basalt
{

namespace
{

using namespace postgres_type;

constexpr PostgresTypeInfo kTypes[] = {
    {16, "bool", "boolean", 1, 'B', 1000, 0},
    {17, "bytea", "bytea", -1, 'U', 1001, 0},
    {18, "char", "\"char\"", 1, 'Z', 1002, 0},
    {19, "name", "name", 64, 'S', 1003, 0},
    {20, "int8", "bigint", 8, 'N', 1016, 0},
    {21, "int2", "smallint", 2, 'N', 1005, 0},
    {23, "int4", "integer", 4, 'N', 1007, 0},
    {25, "text", "text", -1, 'S', 1009, 0},
    {26, "oid", "oid", 4, 'N', 1028, 0},
    {700, "float4", "real", 4, 'N', 1021, 0},
    {701, "float8", "double precision", 8, 'N', 1022, 0},
    {1042, "bpchar", "character", -1, 'S', 1014, 0},
    {1043, "varchar", "character varying", -1, 'S', 1015, 0},
    {1082, "date", "date", 4, 'D', 1182, 0},
    {1114, "timestamp", "timestamp without time zone", 8, 'D', 1115, 0},
    {1184, "timestamptz", "timestamp with time zone", 8, 'D', 1185, 0},
    {1700, "numeric", "numeric", -1, 'N', 1231, 0},
    {2950, "uuid", "uuid", 16, 'U', 2951, 0},
    {1000, "_bool", "boolean[]", -1, 'A', 0, 16},
    {1005, "_int2", "smallint[]", -1, 'A', 0, 21},
    {1007, "_int4", "integer[]", -1, 'A', 0, 23},
    {1009, "_text", "text[]", -1, 'A', 0, 25},
    {1016, "_int8", "bigint[]", -1, 'A', 0, 20},
    {1021, "_float4", "real[]", -1, 'A', 0, 700},
    {1022, "_float8", "double precision[]", -1, 'A', 0, 701},
    {1115, "_timestamp", "timestamp without time zone[]", -1, 'A', 0, 1114},
    {1182, "_date", "date[]", -1, 'A', 0, 1082},
    {1231, "_numeric", "numeric[]", -1, 'A', 0, 1700},
    {2951, "_uuid", "uuid[]", -1, 'A', 0, 2950},
};

TypePtr plain(const TypePtr& type)
{
    return remove_nullable(remove_low_cardinality_deep(type));
}

uint32_t scalar_oid(const TypePtr& type)
{
    switch (type->id())
    {
    case TypeId::Bool:
        return kBool;
    case TypeId::Int8:
    case TypeId::UInt8:
    case TypeId::Int16:
        return kInt2;
    case TypeId::UInt16:
    case TypeId::Int32:
        return kInt4;
    case TypeId::UInt32:
    case TypeId::Int64:
        return kInt8;
    case TypeId::Float32:
        return kFloat4;
    case TypeId::Float64:
        return kFloat8;
    case TypeId::UInt64:
    case TypeId::Int128:
    case TypeId::UInt128:
    case TypeId::Int256:
    case TypeId::UInt256:
    case TypeId::Decimal32:
    case TypeId::Decimal64:
    case TypeId::Decimal128:
    case TypeId::Decimal256:
        return kNumeric;
    case TypeId::Date:
    case TypeId::Date32:
        return kDate;
    case TypeId::DateTime:
    case TypeId::DateTime64:
        return kTimestamp;
    case TypeId::UUID:
        return kUuid;
    default:
        return kText;
    }
}

} // namespace

std::span<const PostgresTypeInfo> postgres_types()
{
    return kTypes;
}

const PostgresTypeInfo* find_postgres_type(uint32_t oid)
{
    for (const auto& type : kTypes)
        if (type.oid == oid)
            return &type;
    return nullptr;
}

bool shows_as_postgres_array(const TypePtr& type)
{
    if (!type->is(TypeId::Array))
        return false;
    switch (plain(type_as<ArrayType>(type).nested())->id())
    {
    case TypeId::Array:
    case TypeId::Tuple:
    case TypeId::Map:
    case TypeId::Nothing:
        return false;
    default:
        return true;
    }
}

uint32_t postgres_oid_of(const TypePtr& full_type)
{
    const TypePtr type = plain(full_type);
    if (!shows_as_postgres_array(type))
        return scalar_oid(type);
    const uint32_t element = scalar_oid(plain(type_as<ArrayType>(type).nested()));
    return find_postgres_type(element)->array;
}

int32_t postgres_modifier_of(const TypePtr& full_type)
{
    // PostgreSQL keeps numeric(p, s) as p * 65536 + s + 4.
    constexpr int32_t kNumericOffset = 4;
    constexpr uint32_t kMaxTimestampDigits = 6;
    const auto numeric = [](uint32_t precision, uint32_t scale)
    { return static_cast<int32_t>(precision << 16 | scale) + kNumericOffset; };
    const TypePtr type = plain(full_type);
    if (type->is_decimal())
        return numeric(static_cast<uint32_t>(type_as<DecimalType>(type).precision()),
                       static_cast<uint32_t>(type_as<DecimalType>(type).scale()));
    switch (type->id())
    {
    case TypeId::UInt64:
        return numeric(20, 0);
    case TypeId::Int128:
    case TypeId::UInt128:
        return numeric(39, 0);
    case TypeId::Int256:
    case TypeId::UInt256:
        return numeric(78, 0);
    case TypeId::DateTime:
        return 0;
    case TypeId::DateTime64:
    {
        const auto scale = static_cast<uint32_t>(type_as<DateTime64Type>(type).scale());
        return scale <= kMaxTimestampDigits ? static_cast<int32_t>(scale) : -1;
    }
    default:
        return -1;
    }
}

std::string postgres_type_name(uint32_t oid, int64_t modifier)
{
    const PostgresTypeInfo* type = find_postgres_type(oid);
    if (!type)
        return oid == 0 ? "-" : "???";
    const std::string name = type->shown;
    if (modifier < 0)
        return name;
    if (oid == kNumeric && modifier >= 4)
        return name + "(" + std::to_string((modifier - 4) >> 16) + "," +
               std::to_string((modifier - 4) & 0xFFFF) + ")";
    if (oid == kTimestamp)
        return "timestamp(" + std::to_string(modifier) + ") without time zone";
    return name;
}

bool shows_as_postgres_text_only(const TypePtr& full_type)
{
    const TypePtr type = plain(full_type);
    return postgres_oid_of(type) == kText && !type->is(TypeId::String) &&
           !type->is(TypeId::Nothing);
}

} // namespace basalt
