#include "columns/date_text.h"
#include "columns/number_text.h"
#include "columns/serialization.h"

#include <cmath>
#include <limits>

namespace basalt
{

namespace
{

using Converted = std::optional<Value>;

constexpr int64_t kNanosecondsPerSecond = 1000000000;

// A number as mantissa / 10^scale.
struct ExactNumber
{
    Int256 mantissa;
    uint32_t scale = 0;
};

// nullopt: not a whole number that fits in 256 bits with sign.
std::optional<Int256> whole_number(const Value& value)
{
    if (const auto* number = value.get_if<uint64_t>())
        return Int256(*number);
    if (const auto* number = value.get_if<int64_t>())
        return Int256(*number);
    if (const auto* number = value.get_if<UInt128>())
        return Int256(*number);
    if (const auto* number = value.get_if<Int128>())
        return Int256(*number);
    if (const auto* number = value.get_if<Int256>())
        return *number;
    if (const auto* number = value.get_if<UInt256>())
    {
        const Int256 signed_number(*number);
        if (!signed_number.negative())
            return signed_number;
        return std::nullopt;
    }
    if (const auto* number = value.get_if<double>())
    {
        constexpr double kLimit = 1e76;
        if (!(std::fabs(*number) < kLimit) || *number != std::trunc(*number))
            return std::nullopt;
        return Int256::from_double(*number);
    }
    if (const auto* number = value.get_if<DecimalValue>())
    {
        const Int256& unit = power_of_ten_256(number->scale);
        if (number->mantissa % unit != Int256(0))
            return std::nullopt;
        return number->mantissa / unit;
    }
    return std::nullopt;
}

std::optional<Int256> multiply(const Int256& value, const Int256& factor)
{
    const Int256 product = value * factor;
    if (factor != Int256(0) && product / factor != value)
        return std::nullopt;
    return product;
}

std::optional<Int256> rescale(const ExactNumber& number, uint32_t scale)
{
    if (scale >= number.scale)
        return multiply(number.mantissa, power_of_ten_256(scale - number.scale));
    const Int256& unit = power_of_ten_256(number.scale - scale);
    if (number.mantissa % unit != Int256(0))
        return std::nullopt;
    return number.mantissa / unit;
}

// A double counts as the shortest decimal that names it.
std::optional<Int256> scaled_number(const Value& value, uint32_t scale)
{
    if (const auto* decimal = value.get_if<DecimalValue>())
        return rescale({decimal->mantissa, decimal->scale}, scale);
    if (const auto* number = value.get_if<double>())
    {
        if (!std::isfinite(*number))
            return std::nullopt;
        std::string text;
        StringOutputBuffer out(text);
        write_number(out, *number);
        out.finish();
        constexpr uint32_t kMaxPrecision = 76;
        constexpr uint32_t kSpareDigits = 20;
        TextCursor cursor(text, true);
        Int256 rough, fine;
        if (!parse_decimal(cursor, kMaxPrecision, scale, rough))
            return std::nullopt;
        TextCursor again(text, true);
        const uint32_t fine_scale = std::min(scale + kSpareDigits, kMaxPrecision);
        if (!parse_decimal(again, kMaxPrecision, fine_scale, fine) ||
            rough * power_of_ten_256(fine_scale - scale) != fine)
            return std::nullopt;
        return rough;
    }
    if (const auto whole = whole_number(value))
        return multiply(*whole, power_of_ten_256(scale));
    return std::nullopt;
}

template <class T> Converted fit(const Int256& number)
{
    const auto narrow = static_cast<T>(number);
    if (Int256(narrow) != number)
        return std::nullopt;
    if constexpr (sizeof(T) > 8)
        return Value(narrow);
    else if constexpr (std::is_signed_v<T>)
        return Value(int64_t{narrow});
    else
        return Value(uint64_t{narrow});
}

Converted to_integer(const Value& value, const DataType& type)
{
    if (type.physical() == PhysicalType::UInt256 && value.get_if<UInt256>())
        return value;
    const auto number = whole_number(value);
    if (!number)
        return std::nullopt;
    if (type.is(TypeId::Bool))
    {
        if (*number != Int256(0) && *number != Int256(1))
            return std::nullopt;
        return Value(static_cast<uint64_t>(*number));
    }
    switch (type.physical())
    {
    case PhysicalType::UInt8:
        return fit<uint8_t>(*number);
    case PhysicalType::UInt16:
        return fit<uint16_t>(*number);
    case PhysicalType::UInt32:
        return fit<uint32_t>(*number);
    case PhysicalType::UInt64:
        return fit<uint64_t>(*number);
    case PhysicalType::UInt128:
        return number->negative() ? std::nullopt : fit<UInt128>(*number);
    case PhysicalType::UInt256:
        if (number->negative())
            return std::nullopt;
        return Value(UInt256(*number));
    case PhysicalType::Int8:
        return fit<int8_t>(*number);
    case PhysicalType::Int16:
        return fit<int16_t>(*number);
    case PhysicalType::Int32:
        return fit<int32_t>(*number);
    case PhysicalType::Int64:
        return fit<int64_t>(*number);
    case PhysicalType::Int128:
        return fit<Int128>(*number);
    default:
        return Value(*number);
    }
}

Converted to_float(const Value& value, bool is_32)
{
    double number;
    if (const auto* held = value.get_if<double>())
        number = *held;
    else if (const auto* decimal = value.get_if<DecimalValue>())
    {
        number = decimal->mantissa.to_double() / power_of_ten_256(decimal->scale).to_double();
        if (scaled_number(Value(number), decimal->scale) != decimal->mantissa)
            return std::nullopt;
    }
    else
    {
        const auto whole = whole_number(value);
        if (!whole)
            return std::nullopt;
        number = whole->to_double();
        if (Int256::from_double(number) != *whole)
            return std::nullopt;
    }
    if (is_32 && !std::isnan(number) && double{static_cast<float>(number)} != number)
        return std::nullopt;
    return Value(number);
}

Converted to_decimal(const Value& value, const DecimalType& type)
{
    const auto mantissa = scaled_number(value, type.scale());
    if (!mantissa)
        return std::nullopt;
    const Int256& limit = power_of_ten_256(type.precision());
    if (*mantissa >= limit || *mantissa <= -limit)
        return std::nullopt;
    return Value(DecimalValue{*mantissa, type.scale()});
}

const TimeZone& zone_of(const TypePtr& type, const TextOptions& options)
{
    const std::string* name = nullptr;
    if (type->is(TypeId::DateTime))
        name = &type_as<DateTimeType>(type).timezone();
    else if (type->is(TypeId::DateTime64))
        name = &type_as<DateTime64Type>(type).timezone();
    return name && !name->empty() ? timezone(*name) : session_timezone(options);
}

// The instant that a value of a date or time type names, in nanoseconds since 1970 UTC. A date
// names the midnight that begins it in `zone`.
std::optional<Int128> instant_of(const Value& value, const TypePtr& from, const TimeZone& zone)
{
    const auto number = whole_number(value);
    if (!number || Int256(static_cast<int64_t>(*number)) != *number)
        return std::nullopt;
    const auto count = static_cast<int64_t>(*number);
    switch (from->id())
    {
    case TypeId::Date:
    case TypeId::Date32:
        return Int128{zone.day_start(static_cast<int32_t>(count))} * kNanosecondsPerSecond;
    case TypeId::DateTime:
        return Int128{count} * kNanosecondsPerSecond;
    default:
        return Int128{count} * kPowersOfTen64[9 - type_as<DateTime64Type>(from).scale()];
    }
}

Converted date_to(const Value& value, const TypePtr& from, const TypePtr& type,
                  const TextOptions& options)
{
    const bool to_date = type->is(TypeId::Date) || type->is(TypeId::Date32);
    if (to_date && (from->is(TypeId::Date) || from->is(TypeId::Date32)))
        return to_integer(value, *type);
    const TimeZone& zone = zone_of(to_date ? from : type, options);
    const auto instant = instant_of(value, from, zone);
    if (!instant)
        return std::nullopt;
    const bool whole_second = *instant % kNanosecondsPerSecond == 0;
    const auto second = static_cast<int64_t>(*instant / kNanosecondsPerSecond);
    if (to_date)
    {
        const int32_t day = zone.local_day(second);
        if (!whole_second || zone.day_start(day) != second)
            return std::nullopt;
        return to_integer(Value(int64_t{day}), *type);
    }
    if (type->is(TypeId::DateTime))
        return whole_second ? to_integer(Value(second), *type) : std::nullopt;
    const int64_t unit = kPowersOfTen64[9 - type_as<DateTime64Type>(type).scale()];
    if (*instant % unit != 0)
        return std::nullopt;
    return to_integer(Value(Int128(*instant / unit)), *type);
}

// Through the text parser of the type.
Converted from_text(const std::string& text, const TypePtr& type, const TextOptions& options)
{
    if (type->is_integer() && !type->is(TypeId::Bool))
    {
        // Parsers of integers wrap around; here what does not fit is no match.
        TextCursor cursor(text, true);
        Int256 number;
        if (parse_integer_checked(cursor, number) && cursor.at_end())
            return to_integer(Value(number), *type);
        return std::nullopt;
    }
    const MutableColumnPtr column = type->create_column();
    if (!try_parse_whole(text, type, *column, options))
        return std::nullopt;
    Value parsed = column->value_at(0);
    if (type->is_decimal())
        return Value(DecimalValue{*whole_number(parsed), type_as<DecimalType>(type).scale()});
    return parsed;
}

Converted to_items(const Values& items, const Types& types, const TextOptions& options,
                   const Types* from, Values& result)
{
    for (size_t i = 0; i < items.size(); ++i)
    {
        const TypePtr& type = types.size() == 1 ? types[0] : types[i];
        const TypePtr source = !from ? nullptr : from->size() == 1 ? (*from)[0] : (*from)[i];
        auto item = convert_value(items[i], type, options, source);
        if (!item)
            return std::nullopt;
        result.push_back(std::move(*item));
    }
    return Value(uint64_t{1});
}

Converted to_array(const Value& value, const ArrayType& type, const TextOptions& options,
                   const TypePtr& from)
{
    const auto* array = value.get_if<ArrayValue>();
    if (!array)
        return std::nullopt;
    Types source;
    if (from && from->is(TypeId::Array))
        source.push_back(type_as<ArrayType>(from).nested());
    ArrayValue result;
    if (!to_items(array->items, {type.nested()}, options, source.empty() ? nullptr : &source,
                  result.items))
        return std::nullopt;
    return Value(std::move(result));
}

Converted to_tuple(const Value& value, const TupleType& type, const TextOptions& options,
                   const TypePtr& from)
{
    const auto* tuple = value.get_if<TupleValue>();
    if (!tuple || tuple->items.size() != type.elements().size())
        return std::nullopt;
    const Types* source = nullptr;
    if (from && from->is(TypeId::Tuple) &&
        type_as<TupleType>(from).elements().size() == tuple->items.size())
        source = &type_as<TupleType>(from).elements();
    TupleValue result;
    if (!to_items(tuple->items, type.elements(), options, source, result.items))
        return std::nullopt;
    return Value(std::move(result));
}

// Maps live in columns as arrays of pairs.
Converted to_map(const Value& value, const MapType& type, const TextOptions& options,
                 const TypePtr& from)
{
    const Values* entries = nullptr;
    if (const auto* map = value.get_if<MapValue>())
        entries = &map->items;
    else if (const auto* array = value.get_if<ArrayValue>())
        entries = &array->items;
    else
        return std::nullopt;
    const Types types{type.key(), type.value()};
    Types source;
    if (from && from->is(TypeId::Map))
        source = {type_as<MapType>(from).key(), type_as<MapType>(from).value()};
    MapValue result;
    for (const Value& entry : *entries)
    {
        const auto* pair = entry.get_if<TupleValue>();
        TupleValue converted;
        if (!pair || pair->items.size() != 2 ||
            !to_items(pair->items, types, options, source.empty() ? nullptr : &source,
                      converted.items))
            return std::nullopt;
        result.items.push_back(std::move(converted));
    }
    return Value(std::move(result));
}

} // namespace

Converted convert_value(const Value& value, const TypePtr& type, const TextOptions& options,
                        const TypePtr& from)
{
    switch (type->id())
    {
    case TypeId::Nullable:
        if (value.is_null())
            return value;
        return convert_value(value, type_as<NullableType>(type).nested(), options,
                             from ? remove_nullable(from) : from);
    case TypeId::LowCardinality:
        return convert_value(value, type_as<LowCardinalityType>(type).nested(), options, from);
    case TypeId::SimpleAggregateFunction:
        return convert_value(value, type_as<SimpleAggregateFunctionType>(type).nested(), options,
                             from);
    default:
        break;
    }
    if (value.is_null())
        return std::nullopt;
    const TypePtr source = from ? strip_wrappers(from) : nullptr;
    if (source && source->name() == type->name() && !type->is_decimal())
        return value;
    // A decimal from a column is its mantissa.
    if (source && source->is_decimal() && !value.get_if<DecimalValue>())
        if (const auto mantissa = whole_number(value))
            return convert_value(DecimalValue{*mantissa, type_as<DecimalType>(source).scale()},
                                 type, options);

    const auto* text = value.get_if<std::string>();
    switch (type->id())
    {
    case TypeId::String:
        if (text)
            return value;
        if (source && source->is_enum())
            if (const auto number = whole_number(value))
                if (const auto* name = type_as<EnumType>(source).find_name(
                        static_cast<int16_t>(static_cast<int64_t>(*number))))
                    return Value(*name);
        return std::nullopt;
    case TypeId::FixedString:
    {
        const size_t width = type_as<FixedStringType>(type).width();
        if (!text || text->size() > width)
            return std::nullopt;
        std::string padded = *text;
        padded.resize(width, '\0');
        return Value(std::move(padded));
    }
    case TypeId::Array:
        return text ? from_text(*text, type, options)
                    : to_array(value, type_as<ArrayType>(type), options, source);
    case TypeId::Tuple:
        return text ? from_text(*text, type, options)
                    : to_tuple(value, type_as<TupleType>(type), options, source);
    case TypeId::Map:
        return text ? from_text(*text, type, options)
                    : to_map(value, type_as<MapType>(type), options, source);
    case TypeId::IPv6:
        // Already bytes when it comes from such a column.
        if (source && source->is(TypeId::IPv4))
            if (const auto number = whole_number(value))
            {
                const auto address = static_cast<uint32_t>(static_cast<uint64_t>(*number));
                std::string bytes(10, '\0');
                bytes += "\xFF\xFF";
                for (int shift = 24; shift >= 0; shift -= 8)
                    bytes += static_cast<char>(address >> shift);
                return Value(std::move(bytes));
            }
        [[fallthrough]];
    case TypeId::UUID:
        return text ? from_text(*text, type, options) : std::nullopt;
    default:
        break;
    }
    if (text)
        return from_text(*text, type, options);
    if (type->is_decimal())
        return to_decimal(value, type_as<DecimalType>(type));
    if (type->is_float())
        return to_float(value, type->is(TypeId::Float32));
    if (type->is_date_or_time() && source && source->is_date_or_time())
        return date_to(value, source, type, options);
    if (type->is(TypeId::DateTime64))
    {
        const auto ticks = scaled_number(value, type_as<DateTime64Type>(type).scale());
        return ticks ? fit<int64_t>(*ticks) : std::nullopt;
    }
    if (type->is_enum())
    {
        const auto number = whole_number(value);
        if (!number || Int256(static_cast<int16_t>(static_cast<int64_t>(*number))) != *number ||
            !type_as<EnumType>(type).find_name(
                static_cast<int16_t>(static_cast<int64_t>(*number))))
            return std::nullopt;
        return Value(static_cast<int64_t>(*number));
    }
    if (type->is_integer() || type->is_date_or_time() || type->is(TypeId::Interval) ||
        type->is(TypeId::IPv4) || type->is(TypeId::Time) || type->is(TypeId::Time64))
        return to_integer(value, *type);
    return std::nullopt;
}

} // namespace basalt
