#pragma once

// Data types. A type says what values mean; the physical column that holds them is one of a few
// (columns/column.h). Types are immutable and shared.

#include "columns/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

class Column;
class DataType;
class AggregateStateOps;
using TypePtr = std::shared_ptr<const DataType>;
using Types = std::vector<TypePtr>;
using MutableColumnPtr = std::shared_ptr<Column>;

enum class TypeId : uint8_t
{
    Nothing,
    Bool,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    UInt128,
    UInt256,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Int256,
    Float32,
    Float64,
    Decimal32,
    Decimal64,
    Decimal128,
    Decimal256,
    Date,       // UInt16 days
    Date32,     // Int32 days
    DateTime,   // UInt32 seconds
    DateTime64, // Int64 ticks of 10^-scale s
    Time,       // Int32 seconds
    Time64,     // Int64 ticks of 10^-scale s
    Interval,   // Int64
    Enum8,
    Enum16,
    UUID, // UInt128, the first text half in the high 64 bits
    IPv4, // UInt32
    IPv6, // FixedString(16) bytes in network order
    String,
    FixedString,
    Nullable,
    LowCardinality,
    Array,
    Tuple,
    Map,
    AggregateFunction,
    SimpleAggregateFunction, // a named wrapper; physically its inner type
    Function,                // type of a lambda argument
    Set,                     // right side of IN
};

// Which physical column holds a type's values when flat.
enum class PhysicalType : uint8_t
{
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    UInt128,
    UInt256,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Int256,
    Float32,
    Float64,
    String,
    FixedString,
    Nullable,
    Array, // also Map: an Array of Tuple(key, value)
    Tuple,
    AggregateState,
    Nothing,
    Function,
    Set,
};

enum class IntervalKind : uint8_t
{
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
};

class DataType
{
public:
    virtual ~DataType() = default;

    TypeId id() const { return id_; }
    PhysicalType physical() const { return physical_; }
    // ClickHouse's text of the type, e.g. "DateTime64(3, 'UTC')"; the inverse of type_from_name.
    const std::string& name() const { return name_; }

    // An empty flat column for this type. LowCardinality(T) gives a flat column of T: dictionary
    // form is a matter of the column, not of the type.
    virtual MutableColumnPtr create_column() const;
    virtual Value default_value() const;

    bool is(TypeId id) const { return id_ == id; }
    bool is_nullable() const { return id_ == TypeId::Nullable; }
    bool is_low_cardinality() const { return id_ == TypeId::LowCardinality; }
    bool is_integer() const { return id_ >= TypeId::Bool && id_ <= TypeId::Int256; }
    bool is_unsigned() const { return id_ >= TypeId::Bool && id_ <= TypeId::UInt256; }
    bool is_float() const { return id_ == TypeId::Float32 || id_ == TypeId::Float64; }
    bool is_decimal() const { return id_ >= TypeId::Decimal32 && id_ <= TypeId::Decimal256; }
    bool is_number() const { return id_ >= TypeId::Bool && id_ <= TypeId::Decimal256; }
    bool is_date_or_time() const { return id_ >= TypeId::Date && id_ <= TypeId::DateTime64; }
    bool is_enum() const { return id_ == TypeId::Enum8 || id_ == TypeId::Enum16; }
    bool is_string() const { return id_ == TypeId::String || id_ == TypeId::FixedString; }

protected:
    DataType(TypeId id, PhysicalType physical, std::string name)
        : id_(id), physical_(physical), name_(std::move(name))
    {
    }

private:
    TypeId id_;
    PhysicalType physical_;
    std::string name_;
};

inline bool same_type(const TypePtr& a, const TypePtr& b)
{
    return a == b || a->name() == b->name();
}

// Parametric types. Downcast with static_cast after asking id(), or type_as<T>().

inline constexpr size_t kMaxFixedStringWidth = 0xFFFFFF;
class FixedStringType final : public DataType
{
public:
    explicit FixedStringType(size_t width);
    MutableColumnPtr create_column() const override;
    Value default_value() const override;
    size_t width() const { return width_; }

private:
    size_t width_;
};

class DateTimeType final : public DataType // DateTime
{
public:
    explicit DateTimeType(std::string timezone = ""); // "" = the session's zone
    const std::string& timezone() const { return timezone_; }

private:
    std::string timezone_;
};

class DateTime64Type final : public DataType
{
public:
    explicit DateTime64Type(uint32_t scale, std::string timezone = ""); // scale 0 … 9
    uint32_t scale() const { return scale_; }
    const std::string& timezone() const { return timezone_; }

private:
    uint32_t scale_;
    std::string timezone_;
};

class Time64Type final : public DataType
{
public:
    explicit Time64Type(uint32_t scale);
    uint32_t scale() const { return scale_; }

private:
    uint32_t scale_;
};

class DecimalType final : public DataType // Decimal32 … Decimal256 by precision
{
public:
    DecimalType(uint32_t precision, uint32_t scale); // precision 1 … 76
    uint32_t precision() const { return precision_; }
    uint32_t scale() const { return scale_; }
    Value default_value() const override;

private:
    uint32_t precision_;
    uint32_t scale_;
};

class IntervalType final : public DataType
{
public:
    explicit IntervalType(IntervalKind kind);
    IntervalKind kind() const { return kind_; }

private:
    IntervalKind kind_;
};

class EnumType final : public DataType // Enum8 and Enum16
{
public:
    using Item = std::pair<std::string, int16_t>;
    EnumType(TypeId id, std::vector<Item> items); // throws on duplicates; sorts by value
    const std::vector<Item>& items() const { return items_; }
    const std::string* find_name(int16_t value) const;
    const int16_t* find_value(std::string_view name) const;
    Value default_value() const override; // the smallest value

private:
    std::vector<Item> items_;             // by value
    std::vector<uint16_t> order_by_name_; // indexes into items_
};

class NullableType final : public DataType
{
public:
    explicit NullableType(TypePtr nested);
    const TypePtr& nested() const { return nested_; }
    MutableColumnPtr create_column() const override;
    Value default_value() const override { return Null{}; }

private:
    TypePtr nested_;
};

class LowCardinalityType final : public DataType
{
public:
    explicit LowCardinalityType(TypePtr nested); // nested may be Nullable
    const TypePtr& nested() const { return nested_; }
    MutableColumnPtr create_column() const override;
    Value default_value() const override;

private:
    TypePtr nested_;
};

class ArrayType final : public DataType
{
public:
    explicit ArrayType(TypePtr nested);
    ArrayType(TypePtr nested, std::string name); // under another name: Nested(a T, …)
    const TypePtr& nested() const { return nested_; }
    MutableColumnPtr create_column() const override;
    Value default_value() const override { return ArrayValue{}; }

private:
    TypePtr nested_;
};

class TupleType final : public DataType
{
public:
    // names: one per element, or empty for an unnamed tuple.
    explicit TupleType(Types elements, std::vector<std::string> names = {});
    const Types& elements() const { return elements_; }
    const std::vector<std::string>& names() const { return names_; }
    bool named() const { return !names_.empty(); }
    int find(std::string_view name) const; // -1 when absent
    MutableColumnPtr create_column() const override;
    Value default_value() const override;

private:
    Types elements_;
    std::vector<std::string> names_;
};

class MapType final : public DataType
{
public:
    MapType(TypePtr key, TypePtr value);
    const TypePtr& key() const { return key_; }
    const TypePtr& value() const { return value_; }
    const TypePtr& entries() const { return entries_; } // Array(Tuple(keys K, values V))
    MutableColumnPtr create_column() const override;
    Value default_value() const override { return MapValue{}; }

private:
    TypePtr key_, value_, entries_;
};

class AggregateFunctionType final : public DataType
{
public:
    // name is the full text, e.g. "AggregateFunction(quantiles(0.5), Float64)".
    AggregateFunctionType(std::shared_ptr<const AggregateStateOps> ops, std::string name,
                          Types arguments);
    const std::shared_ptr<const AggregateStateOps>& ops() const { return ops_; }
    const Types& arguments() const { return arguments_; }
    MutableColumnPtr create_column() const override;

private:
    std::shared_ptr<const AggregateStateOps> ops_;
    Types arguments_;
};

class SimpleAggregateFunctionType final : public DataType
{
public:
    SimpleAggregateFunctionType(std::string function_text, TypePtr nested);
    const std::string& function_text() const { return function_text_; } // e.g. "sum"
    const TypePtr& nested() const { return nested_; }
    MutableColumnPtr create_column() const override;
    Value default_value() const override;

private:
    std::string function_text_;
    TypePtr nested_;
};

class FunctionType final : public DataType // of a lambda: known after its arguments are
{
public:
    FunctionType(Types arguments, TypePtr result);
    const Types& arguments() const { return arguments_; }
    const TypePtr& result() const { return result_; } // null while unknown

private:
    Types arguments_;
    TypePtr result_;
};

template <class T> const T& type_as(const TypePtr& type)
{
    return static_cast<const T&>(*type);
}

// Types without parameters, one shared object each: Nothing, Bool, integers, floats, Date, Date32,
// DateTime (session zone), Time, UUID, IPv4, IPv6, String, Set.
const TypePtr& simple_type(TypeId id);

TypePtr make_nullable(const TypePtr& type);      // keeps Nullable; LowCardinality(T) becomes LC(Nullable(T))
TypePtr remove_nullable(const TypePtr& type);    // Nullable(T) -> T; LC(Nullable(T)) -> LC(T)
TypePtr remove_low_cardinality(const TypePtr& type); // outermost only
TypePtr remove_low_cardinality_deep(const TypePtr& type); // also inside Array, Tuple, Map
TypePtr strip_wrappers(const TypePtr& type);     // LC, Nullable and SimpleAggregateFunction removed
bool can_be_inside_nullable(const TypePtr& type);
bool can_be_inside_low_cardinality(const TypePtr& type);
bool is_nullable_or_lc_nullable(const TypePtr& type);

// Parses ClickHouse's type text, aliases in any case that ClickHouse takes (int, varchar(10),
// timestamp, Decimal64(3), Nested(…)). Throws UNKNOWN_TYPE, NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
// SYNTAX_ERROR. Nesting depth at most kMaxTypeDepth.
inline constexpr size_t kMaxTypeDepth = 300;
TypePtr type_from_name(std::string_view name);

// The smallest type that holds all of them, as ClickHouse finds it for arrays, if(), UNION and
// CASE. Throws NO_COMMON_TYPE.
TypePtr common_type(const Types& types);
TypePtr try_common_type(const Types& types); // null instead of throwing

// The type ClickHouse gives to a literal: UInt8 for 1, Int8 for -1, Nullable(Nothing) for NULL.
TypePtr type_of_value(const Value& value);


// How AggregateFunction(name(params), types…) finds its state operations: set once at start by
// the room that has the aggregate functions. Returns null for an unknown name.
using AggregateResolver = std::shared_ptr<const AggregateStateOps> (*)(std::string_view name,
                                                                       const Types& arguments,
                                                                       const Values& parameters);
void set_aggregate_resolver(AggregateResolver resolver);

} // namespace basalt
