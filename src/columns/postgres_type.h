#pragma once

// As which of PostgreSQL's types ours show: on its wire and in pg_catalog. Pure functions.

#include "columns/type.h"

#include <cstdint>
#include <span>
#include <string>

namespace basalt
{

// Object ids of PostgreSQL's own types.
namespace postgres_type
{
inline constexpr uint32_t kBool = 16, kBytea = 17, kChar = 18, kName = 19, kInt8 = 20, kInt2 = 21,
                          kInt4 = 23, kText = 25, kOid = 26, kFloat4 = 700, kFloat8 = 701,
                          kBpchar = 1042, kVarchar = 1043, kDate = 1082, kTimestamp = 1114,
                          kTimestampTz = 1184, kNumeric = 1700, kUuid = 2950;
} // namespace postgres_type

struct PostgresTypeInfo
{
    uint32_t oid;
    const char* name;  // pg_type.typname
    const char* shown; // format_type
    int16_t bytes;     // -1: of any length
    char category;     // pg_type.typcategory
    uint32_t array;    // its array type, 0 for none
    uint32_t element;  // of an array, else 0
};
std::span<const PostgresTypeInfo> postgres_types();
const PostgresTypeInfo* find_postgres_type(uint32_t oid); // null when it is none of them

// Types of ours that PostgreSQL has none for (maps, tuples, nested arrays) are text.
uint32_t postgres_oid_of(const TypePtr& type);
// pg_attribute.atttypmod: digits of numerics and timestamps; -1 for none.
int32_t postgres_modifier_of(const TypePtr& type);
// "numeric(10,2)", "timestamp(3) without time zone", "integer[]".
std::string postgres_type_name(uint32_t oid, int64_t modifier);
// An array of scalars shows as an array, deeper ones (which may be ragged) as text.
bool shows_as_postgres_array(const TypePtr& type);
// Whether values show as text but are ordered and compared as something else.
bool shows_as_postgres_text_only(const TypePtr& type);

} // namespace basalt
