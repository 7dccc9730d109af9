#pragma once

// One value outside a column: literals, constants, partition values, statistics. Not for hot loops.
// Enums, dates, Bool, UUID and IPs appear as the integer that their column holds; a type next to
// the value tells which it is.

#include "base/wide_int.h"

#include <string>
#include <variant>
#include <vector>

namespace basalt
{

class Value;
using Values = std::vector<Value>;

struct Null
{
    bool operator==(const Null&) const = default;
};
struct ArrayValue
{
    Values items;
    bool operator==(const ArrayValue&) const;
};
struct TupleValue
{
    Values items;
    bool operator==(const TupleValue&) const;
};
// Pairs as TupleValue of two, in order.
struct MapValue
{
    Values items;
    bool operator==(const MapValue&) const;
};
struct DecimalValue
{
    Int256 mantissa;
    uint32_t scale = 0;
    bool operator==(const DecimalValue&) const = default;
};

class Value
    : public std::variant<Null, uint64_t, int64_t, double, UInt128, Int128, UInt256, Int256,
                          DecimalValue, std::string, ArrayValue, TupleValue, MapValue>
{
public:
    using variant::variant;
    Value() : variant(Null{}) {}
    Value(bool) = delete; // say uint64_t{…}

    bool is_null() const { return std::holds_alternative<Null>(*this); }
    template <class T> const T* get_if() const { return std::get_if<T>(this); }
    template <class T> const T& get() const { return std::get<T>(*this); }

    // For messages and EXPLAIN: 1, 'text', [1, 2], (1, 'a'), NULL.
    std::string to_text() const;
};

inline bool ArrayValue::operator==(const ArrayValue& o) const
{
    return items == o.items;
}
inline bool TupleValue::operator==(const TupleValue& o) const
{
    return items == o.items;
}
inline bool MapValue::operator==(const MapValue& o) const
{
    return items == o.items;
}

} // namespace basalt
