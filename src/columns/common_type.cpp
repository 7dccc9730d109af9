// The least type that holds several, by the rules that ClickHouse's arrays, if() and UNION show;
// where ClickHouse falls back to Variant there is no common type here.

#include "base/error.h"
#include "columns/type.h"

#include <algorithm>

namespace basalt
{

namespace
{

// The type of an integer literal above the range of UInt32 but within Int64: it is UInt64 by name
// and gives way to Int64 beside signed types.
const TypePtr& literal_uint64()
{
    class LiteralType final : public DataType
    {
    public:
        LiteralType() : DataType(TypeId::UInt64, PhysicalType::UInt64, "UInt64") {}
    };
    static const TypePtr type = std::make_shared<LiteralType>();
    return type;
}

size_t integer_bits(TypeId id)
{
    switch (id)
    {
    case TypeId::Bool:
    case TypeId::UInt8:
    case TypeId::Int8:
    case TypeId::Enum8: return 8;
    case TypeId::UInt16:
    case TypeId::Int16:
    case TypeId::Enum16: return 16;
    case TypeId::UInt32:
    case TypeId::Int32: return 32;
    case TypeId::UInt64:
    case TypeId::Int64: return 64;
    case TypeId::UInt128:
    case TypeId::Int128: return 128;
    default: return 256;
    }
}

TypePtr integer_of(size_t bits, bool is_signed)
{
    switch (bits)
    {
    case 8: return simple_type(is_signed ? TypeId::Int8 : TypeId::UInt8);
    case 16: return simple_type(is_signed ? TypeId::Int16 : TypeId::UInt16);
    case 32: return simple_type(is_signed ? TypeId::Int32 : TypeId::UInt32);
    case 64: return simple_type(is_signed ? TypeId::Int64 : TypeId::UInt64);
    case 128: return simple_type(is_signed ? TypeId::Int128 : TypeId::UInt128);
    default: return simple_type(is_signed ? TypeId::Int256 : TypeId::UInt256);
    }
}

bool is_plain_number(const DataType& type)
{
    return type.is_integer() || type.is_float() || type.is_enum();
}

TypePtr common_number(const Types& types)
{
    size_t signed_bits = 0;
    size_t unsigned_bits = 0;
    size_t float_bits = 0;
    bool all_wide_are_literals = true; // every UInt64 is a literal that fits Int64
    for (const TypePtr& type : types)
    {
        if (type->is_float())
            float_bits = std::max<size_t>(float_bits, type->is(TypeId::Float32) ? 32 : 64);
        else if (type->is_unsigned())
        {
            unsigned_bits = std::max(unsigned_bits, integer_bits(type->id()));
            if (type->is(TypeId::UInt64))
                all_wide_are_literals = all_wide_are_literals && type == literal_uint64();
        }
        else
            signed_bits = std::max(signed_bits, integer_bits(type->id()));
    }
    const size_t integer_size = std::max(signed_bits, unsigned_bits);
    if (float_bits)
    {
        if (integer_size > 32)
            return nullptr;
        return simple_type(float_bits == 32 && integer_size <= 16 ? TypeId::Float32
                                                                  : TypeId::Float64);
    }
    if (!signed_bits)
        return integer_of(unsigned_bits, false);
    if (unsigned_bits == 64 && signed_bits <= 64)
        return all_wide_are_literals ? integer_of(64, true) : nullptr;
    const size_t bits = unsigned_bits >= signed_bits ? unsigned_bits * 2 : signed_bits;
    return bits > 256 ? nullptr : integer_of(bits, true);
}

TypePtr common_decimal(const Types& types)
{
    uint32_t scale = 0;
    uint32_t precision = 1;
    uint32_t integer_digits = 0;
    for (const TypePtr& type : types)
    {
        if (type->is_decimal())
        {
            const auto& decimal = type_as<DecimalType>(type);
            scale = std::max(scale, decimal.scale());
            precision = std::max(precision, decimal.precision());
            continue;
        }
        if (!type->is_integer() || integer_bits(type->id()) > 64)
            return nullptr;
        const size_t bits = integer_bits(type->id());
        const uint32_t digits =
            bits == 8 ? 3 : (bits == 16 ? 5 : (bits == 32 ? 10 : (type->is_unsigned() ? 20 : 19)));
        integer_digits = std::max(integer_digits, digits);
    }
    uint32_t needed = integer_digits + scale;
    if (scale == 0 && !types.empty() && integer_digits)
        for (const TypePtr& type : types)
        {
            // Whole numbers of 32 and 64 bits are taken to fit the decimal of their width.
            if (type->is(TypeId::Int32) && integer_digits == 10)
                needed = 9;
            if (type->is(TypeId::Int64) && integer_digits == 19)
                needed = 18;
        }
    needed = std::max(needed, precision);
    if (needed > 76)
        return nullptr;
    const uint32_t widest = needed <= 9 ? 9 : (needed <= 18 ? 18 : (needed <= 38 ? 38 : 76));
    return std::make_shared<DecimalType>(widest, scale);
}

TypePtr common_date_time(const Types& types)
{
    bool has_date = false;
    bool has_date32 = false;
    bool has_time = false;
    TypePtr date_time;   // the first
    TypePtr date_time64; // of the largest scale
    TypePtr time64;
    for (const TypePtr& type : types)
    {
        switch (type->id())
        {
        case TypeId::Date: has_date = true; break;
        case TypeId::Date32: has_date32 = true; break;
        case TypeId::Time: has_time = true; break;
        case TypeId::DateTime:
            if (!date_time)
                date_time = type;
            break;
        case TypeId::DateTime64:
            if (!date_time64 || type_as<DateTime64Type>(type).scale() >
                                    type_as<DateTime64Type>(date_time64).scale())
                date_time64 = type;
            break;
        case TypeId::Time64:
            if (!time64 ||
                type_as<Time64Type>(type).scale() > type_as<Time64Type>(time64).scale())
                time64 = type;
            break;
        default: return nullptr;
        }
    }
    const bool has_any_time = has_time || time64;
    if (!date_time && !date_time64)
    {
        if (has_any_time)
            return has_date || has_date32 ? nullptr : (time64 ? time64 : simple_type(TypeId::Time));
        return simple_type(has_date32 ? TypeId::Date32 : TypeId::Date);
    }
    const uint32_t time_scale = time64 ? type_as<Time64Type>(time64).scale() : 0;
    if (date_time64)
    {
        const auto& type = type_as<DateTime64Type>(date_time64);
        if (time_scale > type.scale())
            return std::make_shared<DateTime64Type>(time_scale, type.timezone());
        return date_time64;
    }
    if (has_date32)
        return std::make_shared<DateTime64Type>(time_scale);
    if (has_any_time)
        return std::make_shared<DateTime64Type>(time_scale,
                                                type_as<DateTimeType>(date_time).timezone());
    return date_time;
}

TypePtr common_interval(const Types& types)
{
    IntervalKind finest = IntervalKind::Year;
    bool has_days = false;
    bool has_months = false;
    TypePtr first;
    for (const TypePtr& type : types)
    {
        if (!type->is(TypeId::Interval))
        {
            if (!is_plain_number(*type))
                return nullptr;
            continue;
        }
        const IntervalKind kind = type_as<IntervalType>(type).kind();
        (kind <= IntervalKind::Week ? has_days : has_months) = true;
        finest = std::min(finest, kind);
    }
    if (has_days && has_months)
        return nullptr;
    return std::make_shared<IntervalType>(finest);
}

TypePtr common_array(const Types& types)
{
    Types nested;
    for (const TypePtr& type : types)
    {
        if (!type->is(TypeId::Array))
            return nullptr;
        nested.push_back(type_as<ArrayType>(type).nested());
    }
    TypePtr common = try_common_type(nested);
    return common ? std::make_shared<ArrayType>(std::move(common)) : nullptr;
}

TypePtr common_tuple(const Types& types)
{
    const auto& first = type_as<TupleType>(types[0]);
    bool same_names = true;
    for (const TypePtr& type : types)
    {
        if (!type->is(TypeId::Tuple))
            return nullptr;
        const auto& tuple = type_as<TupleType>(type);
        if (tuple.elements().size() != first.elements().size())
            return nullptr;
        same_names = same_names && tuple.names() == first.names();
    }
    Types elements;
    for (size_t i = 0; i < first.elements().size(); ++i)
    {
        Types column;
        for (const TypePtr& type : types)
            column.push_back(type_as<TupleType>(type).elements()[i]);
        elements.push_back(try_common_type(column));
        if (!elements.back())
            return nullptr;
    }
    return std::make_shared<TupleType>(std::move(elements), same_names
                                                                ? first.names()
                                                                : std::vector<std::string>());
}

TypePtr common_map(const Types& types)
{
    Types keys;
    Types values;
    for (const TypePtr& type : types)
    {
        if (!type->is(TypeId::Map))
            return nullptr;
        keys.push_back(type_as<MapType>(type).key());
        values.push_back(type_as<MapType>(type).value());
    }
    TypePtr key = try_common_type(keys);
    TypePtr value = try_common_type(values);
    if (!key || !value || is_nullable_or_lc_nullable(key))
        return nullptr;
    return std::make_shared<MapType>(std::move(key), std::move(value));
}

TypePtr without_aggregate_wrapper(const TypePtr& type)
{
    return type->is(TypeId::SimpleAggregateFunction)
               ? type_as<SimpleAggregateFunctionType>(type).nested()
               : type;
}

// Of types without LowCardinality and Nullable.
TypePtr common_plain(const Types& types)
{
    const auto all = [&](auto&& is) { return std::all_of(types.begin(), types.end(), is); };
    const auto any = [&](auto&& is) { return std::any_of(types.begin(), types.end(), is); };

    // Types that differ in a name given to the same thing: the first wins.
    if (all([](const TypePtr& t) { return t->is(TypeId::Bool) || t->is(TypeId::UInt8); }))
        return types[0];
    if (types[0]->is(TypeId::Array))
        return common_array(types);
    if (types[0]->is(TypeId::Tuple))
        return common_tuple(types);
    if (types[0]->is(TypeId::Map))
        return common_map(types);
    if (any([](const TypePtr& t) { return t->is_string(); }))
        return all([](const TypePtr& t) { return t->is_string() || t->is_enum(); })
                   ? simple_type(TypeId::String)
                   : nullptr;
    if (any([](const TypePtr& t) { return t->is(TypeId::Interval); }))
        return common_interval(types);
    if (any([](const TypePtr& t) { return t->is_date_or_time() || t->is(TypeId::Time64); }))
        return common_date_time(types);
    if (any([](const TypePtr& t) { return t->is_decimal(); }))
        return common_decimal(types);
    if (all([](const TypePtr& t) { return is_plain_number(*t); }))
        return common_number(types);
    return nullptr;
}

TypePtr wrap_nullable(TypePtr type)
{
    return can_be_inside_nullable(type) ? make_nullable(type) : nullptr;
}

} // namespace

TypePtr try_common_type(const Types& types)
{
    if (types.empty())
        return simple_type(TypeId::Nothing);
    // Equal types, whatever they are.
    if (std::all_of(types.begin(), types.end(),
                    [&](const TypePtr& t) { return same_type(t, types[0]); }))
    {
        for (const TypePtr& type : types)
            if (type != literal_uint64())
                return type; // rather than the literal of the same name
        return types[0];
    }

    bool has_low_cardinality = false;
    bool has_other = false;
    bool has_nullable = false;
    Types plain;
    for (const TypePtr& type : types)
    {
        if (type->is(TypeId::Nothing))
            continue;
        (type->is_low_cardinality() ? has_low_cardinality : has_other) = true;
        TypePtr stripped = without_aggregate_wrapper(remove_low_cardinality(type));
        if (stripped->is_nullable())
        {
            has_nullable = true;
            stripped = without_aggregate_wrapper(type_as<NullableType>(stripped).nested());
        }
        if (!stripped->is(TypeId::Nothing))
            plain.push_back(std::move(stripped));
    }
    TypePtr common;
    if (plain.empty())
        common = simple_type(TypeId::Nothing);
    else if (std::all_of(plain.begin(), plain.end(),
                         [&](const TypePtr& t) { return same_type(t, plain[0]); }))
        common = plain[0];
    else
        common = common_plain(plain);
    if (common && has_nullable)
        common = wrap_nullable(std::move(common));
    if (common && has_low_cardinality && !has_other)
        common = std::make_shared<LowCardinalityType>(std::move(common));
    return common;
}

TypePtr common_type(const Types& types)
{
    if (TypePtr type = try_common_type(types))
        return type;
    std::string names;
    for (const TypePtr& type : types)
        names += (names.empty() ? "" : ", ") + type->name();
    throw Error(error_codes::NO_COMMON_TYPE,
                "There is no supertype for types " + names +
                    " because they are of different kinds and none holds the values of all");
}

TypePtr type_of_value(const Value& value)
{
    if (value.is_null())
    {
        static const TypePtr null_type =
            std::make_shared<NullableType>(simple_type(TypeId::Nothing));
        return null_type;
    }
    if (const auto* number = value.get_if<uint64_t>())
    {
        if (*number <= UINT8_MAX)
            return simple_type(TypeId::UInt8);
        if (*number <= UINT16_MAX)
            return simple_type(TypeId::UInt16);
        if (*number <= UINT32_MAX)
            return simple_type(TypeId::UInt32);
        return *number <= INT64_MAX ? literal_uint64() : simple_type(TypeId::UInt64);
    }
    if (const auto* number = value.get_if<int64_t>())
    {
        if (*number >= INT8_MIN && *number <= INT8_MAX)
            return simple_type(TypeId::Int8);
        if (*number >= INT16_MIN && *number <= INT16_MAX)
            return simple_type(TypeId::Int16);
        return simple_type(*number >= INT32_MIN && *number <= INT32_MAX ? TypeId::Int32
                                                                        : TypeId::Int64);
    }
    if (value.get_if<double>())
        return simple_type(TypeId::Float64);
    if (value.get_if<UInt128>())
        return simple_type(TypeId::UInt128);
    if (value.get_if<Int128>())
        return simple_type(TypeId::Int128);
    if (value.get_if<UInt256>())
        return simple_type(TypeId::UInt256);
    if (value.get_if<Int256>())
        return simple_type(TypeId::Int256);
    if (const auto* decimal = value.get_if<DecimalValue>())
    {
        std::string digits = to_text(decimal->mantissa);
        const auto needed = std::max<uint32_t>(
            static_cast<uint32_t>(digits.size() - (digits[0] == '-' ? 1 : 0)), decimal->scale);
        const uint32_t precision = needed <= 9 ? 9 : (needed <= 18 ? 18 : (needed <= 38 ? 38 : 76));
        return std::make_shared<DecimalType>(precision, decimal->scale);
    }
    if (value.get_if<std::string>())
        return simple_type(TypeId::String);
    if (const auto* tuple = value.get_if<TupleValue>())
    {
        Types elements;
        for (const Value& item : tuple->items)
            elements.push_back(type_of_value(item));
        return std::make_shared<TupleType>(std::move(elements));
    }
    if (const auto* array = value.get_if<ArrayValue>())
    {
        Types items;
        for (const Value& item : array->items)
            items.push_back(type_of_value(item));
        return std::make_shared<ArrayType>(common_type(items));
    }
    Types keys;
    Types values;
    for (const Value& item : value.get<MapValue>().items)
    {
        const Values& pair = item.get<TupleValue>().items;
        keys.push_back(type_of_value(pair.at(0)));
        values.push_back(type_of_value(pair.at(1)));
    }
    return std::make_shared<MapType>(common_type(keys), common_type(values));
}

} // namespace basalt
