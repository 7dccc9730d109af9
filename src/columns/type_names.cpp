#include "columns/type_names.h"

#include <algorithm>
#include <unordered_map>

namespace basalt
{

namespace
{

struct Alias
{
    const char* upper;
    const char* family;
};

constexpr Alias kAliases[] = {
    {"BOOL", "Bool"},
    {"BOOLEAN", "Bool"},
    {"DATE", "Date"},
    {"DATE32", "Date32"},
    {"DATETIME", "DateTime"},
    {"DATETIME32", "DateTime32"},
    {"DATETIME64", "DateTime64"},
    {"TIMESTAMP", "DateTime"},
    {"TIME", "Time"},
    {"TIME64", "Time64"},
    {"DECIMAL", "Decimal"},
    {"DECIMAL32", "Decimal32"},
    {"DECIMAL64", "Decimal64"},
    {"DECIMAL128", "Decimal128"},
    {"DECIMAL256", "Decimal256"},
    {"DEC", "Decimal"},
    {"FIXED", "Decimal"},
    {"NUMERIC", "Decimal"},
    {"ENUM", "Enum"},
    {"JSON", "JSON"},
    {"BINARY", "FixedString"},
    {"FLOAT", "Float32"},
    {"REAL", "Float32"},
    {"SINGLE", "Float32"},
    {"DOUBLE", "Float64"},
    {"DOUBLE PRECISION", "Float64"},
    {"INET4", "IPv4"},
    {"INET6", "IPv6"},
    {"SMALLINT", "Int16"},
    {"SMALLINT SIGNED", "Int16"},
    {"INT", "Int32"},
    {"INT SIGNED", "Int32"},
    {"INTEGER", "Int32"},
    {"INTEGER SIGNED", "Int32"},
    {"MEDIUMINT", "Int32"},
    {"MEDIUMINT SIGNED", "Int32"},
    {"BIGINT", "Int64"},
    {"BIGINT SIGNED", "Int64"},
    {"SIGNED", "Int64"},
    {"BYTE", "Int8"},
    {"INT1", "Int8"},
    {"INT1 SIGNED", "Int8"},
    {"TINYINT", "Int8"},
    {"TINYINT SIGNED", "Int8"},
    {"BINARY LARGE OBJECT", "String"},
    {"BINARY VARYING", "String"},
    {"BLOB", "String"},
    {"BYTEA", "String"},
    {"CHAR", "String"},
    {"CHAR LARGE OBJECT", "String"},
    {"CHAR VARYING", "String"},
    {"CHARACTER", "String"},
    {"CHARACTER LARGE OBJECT", "String"},
    {"CHARACTER VARYING", "String"},
    {"CLOB", "String"},
    {"LONGBLOB", "String"},
    {"LONGTEXT", "String"},
    {"MEDIUMBLOB", "String"},
    {"MEDIUMTEXT", "String"},
    {"NATIONAL CHAR", "String"},
    {"NATIONAL CHAR VARYING", "String"},
    {"NATIONAL CHARACTER", "String"},
    {"NATIONAL CHARACTER LARGE OBJECT", "String"},
    {"NATIONAL CHARACTER VARYING", "String"},
    {"NCHAR", "String"},
    {"NCHAR LARGE OBJECT", "String"},
    {"NCHAR VARYING", "String"},
    {"NVARCHAR", "String"},
    {"TEXT", "String"},
    {"TINYBLOB", "String"},
    {"TINYTEXT", "String"},
    {"VARBINARY", "String"},
    {"VARCHAR", "String"},
    {"VARCHAR2", "String"},
    {"SMALLINT UNSIGNED", "UInt16"},
    {"YEAR", "UInt16"},
    {"INT UNSIGNED", "UInt32"},
    {"INTEGER UNSIGNED", "UInt32"},
    {"MEDIUMINT UNSIGNED", "UInt32"},
    {"BIGINT UNSIGNED", "UInt64"},
    {"BIT", "UInt64"},
    {"SET", "UInt64"},
    {"UNSIGNED", "UInt64"},
    {"INT1 UNSIGNED", "UInt8"},
    {"TINYINT UNSIGNED", "UInt8"},
};

std::string upper(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

constexpr TypeId kSimpleIds[] = {
    TypeId::Nothing, TypeId::Bool,    TypeId::UInt8,  TypeId::UInt16, TypeId::UInt32,
    TypeId::UInt64,  TypeId::UInt128, TypeId::UInt256, TypeId::Int8,  TypeId::Int16,
    TypeId::Int32,   TypeId::Int64,   TypeId::Int128, TypeId::Int256, TypeId::Float32,
    TypeId::Float64, TypeId::Date,    TypeId::Date32, TypeId::Time,   TypeId::UUID,
    TypeId::IPv4,    TypeId::IPv6,    TypeId::String,
};

constexpr const char* kParametricFamilies[] = {
    "Array",       "Nullable", "LowCardinality", "Map",     "Tuple",  "Nested",
    "FixedString", "DateTime", "DateTime64",     "Decimal", "Enum",   "Enum8",
    "Enum16",      "Time64",   "AggregateFunction", "SimpleAggregateFunction",
};

constexpr const char* kUnsupported[] = {
    "JSON",     "Object", "Dynamic", "Variant",      "BFloat16",   "Geometry",        "Point",
    "Ring",     "Polygon", "MultiPolygon", "LineString", "MultiLineString", "QBit",
};

constexpr const char* kSimpleAggregates[] = {
    "any",         "any_respect_nulls", "anyLast",   "anyLast_respect_nulls",
    "min",         "max",               "sum",       "sumWithOverflow",
    "groupBitAnd", "groupBitOr",        "groupBitXor", "sumMap",
    "minMap",      "maxMap",            "groupArrayArray", "groupArrayLastArray",
    "groupUniqArrayArray", "sumMappedArrays", "minMappedArrays", "maxMappedArrays",
    "groupUniqArrayArrayMap",
};

} // namespace

std::string_view find_type_alias(const std::string& words)
{
    static const auto aliases = []
    {
        std::unordered_map<std::string, std::string_view> map;
        for (const Alias& alias : kAliases)
            map.emplace(alias.upper, alias.family);
        return map;
    }();
    const auto at = aliases.find(upper(words));
    return at == aliases.end() ? std::string_view() : at->second;
}

std::optional<TypeId> find_simple_type(const std::string& name)
{
    static const auto simple = []
    {
        std::unordered_map<std::string, TypeId> map;
        for (const TypeId id : kSimpleIds)
            map.emplace(simple_type(id)->name(), id);
        return map;
    }();
    const auto at = simple.find(name);
    return at == simple.end() ? std::nullopt : std::optional(at->second);
}

std::optional<IntervalKind> find_interval_kind(const std::string& name)
{
    if (!name.starts_with("Interval"))
        return std::nullopt;
    for (int i = 0; i <= static_cast<int>(IntervalKind::Year); ++i)
    {
        const auto kind = static_cast<IntervalKind>(i);
        if (IntervalType(kind).name() == name)
            return kind;
    }
    return std::nullopt;
}

bool is_known_unsupported_type(const std::string& name)
{
    return std::find(std::begin(kUnsupported), std::end(kUnsupported), name) !=
           std::end(kUnsupported);
}

std::string near_type_name(const std::string& name)
{
    const std::string wanted = upper(name);
    for (const TypeId id : kSimpleIds)
        if (upper(simple_type(id)->name()) == wanted)
            return simple_type(id)->name();
    for (const char* family : kParametricFamilies)
        if (upper(family) == wanted)
            return family;
    return {};
}

bool is_simple_aggregate_function(const std::string& name)
{
    return std::find(std::begin(kSimpleAggregates), std::end(kSimpleAggregates), name) !=
           std::end(kSimpleAggregates);
}

} // namespace basalt
