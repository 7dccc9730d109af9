#pragma once

// PostgreSQL's types as types of the column store. Pure.
//
//   boolean                    Bool              uuid                UUID
//   smallint, integer, bigint  Int16, 32, 64     date                Date32
//   real, double precision     Float32, 64       timestamp           DateTime64(6)
//   numeric(p, s)              Decimal(p, s)     timestamptz         DateTime64(6, 'UTC')
//   numeric                    Decimal(76, 38)   oid                 UInt32
//   enums                      LowCardinality    arrays              Array of the element
//
// Everything else is the text that PostgreSQL prints: String. So is a numeric of more than 76
// digits. A domain is what it is made of. A column without NOT NULL is Nullable, and so are the
// elements of arrays; an array itself cannot be: NULL becomes the empty one.

#include "base/int_types.h"

#include <optional>
#include <string>

namespace basalt::pg
{

// What pg_attribute and pg_type say of a column; a domain resolved to its base type.
struct PostgresColumnType
{
    uint32_t oid = 0;          // of the type; of the element if it is an array
    int32_t modifier = -1;     // atttypmod; of the domain where the column has none
    bool is_enum = false;      // of the type or the element
    uint32_t array_depth = 0;  // 0: no array; otherwise attndims, at least 1
    bool is_not_null = false;
};

// PostgreSQL's own limit (MAXDIM).
inline constexpr uint32_t kMaxArrayDepth = 6;

std::string column_type_name(const PostgresColumnType& type);

struct NumericBounds
{
    int precision = 0;
    int scale = 0; // may be negative, and larger than the precision
};
// Nothing for a numeric without bounds.
std::optional<NumericBounds> numeric_bounds(int32_t modifier);

} // namespace basalt::pg
