#include "functions/comparison.h"

#include "base/error.h"
#include "columns/serialization.h"
#include "functions/arithmetic.h"
#include "functions/cast.h"
#include "functions/date_arithmetic.h"
#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

bool is_ip(const DataType& type)
{
    return type.is(TypeId::IPv4) || type.is(TypeId::IPv6);
}

// Types that hold instants or days.
bool is_calendar(const DataType& type)
{
    return type.is_date_or_time();
}

// What a constant text may be read as.
bool reads_text(const DataType& type)
{
    return type.is_number() || is_calendar(type) || type.is(TypeId::UUID) || is_ip(type) ||
           type.is(TypeId::Time) || type.is(TypeId::Time64) || type.is(TypeId::Array) ||
           type.is(TypeId::Tuple) || type.is(TypeId::Map) || type.is(TypeId::Interval);
}

bool is_constant_text(const Argument& argument)
{
    // With all arguments constant a function sees columns of one row.
    return argument.type->is(TypeId::String) && argument.column &&
           (is_constant(*argument.column) || argument.column->size() == 1);
}

bool number_like(const DataType& type)
{
    return is_plain_number(type) || type.is(TypeId::Interval);
}

// Columns that VectorColumn comparison may take with numbers.
bool numeric_pair(const DataType& a, const DataType& b)
{
    const auto stands_for_number = [](const DataType& type)
    {
        return number_like(type) || type.is_enum() || type.is(TypeId::DateTime) ||
               type.is(TypeId::IPv4);
    };
    return (number_like(a) && stands_for_number(b)) || (number_like(b) && stands_for_number(a));
}

// A DateTime64 beside a number of seconds.
bool ticks_and_number(const DataType& a, const DataType& b)
{
    return (a.is(TypeId::DateTime64) && b.is_number()) ||
           (b.is(TypeId::DateTime64) && a.is_number());
}

Argument as_seconds(const Argument& argument)
{
    if (!argument.type->is(TypeId::DateTime64))
        return argument;
    constexpr uint32_t kPrecision = 18;
    return {argument.column,
            std::make_shared<DecimalType>(kPrecision,
                                          type_as<DateTime64Type>(argument.type).scale())};
}

// The interval in its smallest comparable unit: months, or nanoseconds.
ColumnPtr compare_intervals(ComparisonOp op, const Argument& a, const Argument& b, size_t rows)
{
    const IntervalKind kind_a = type_as<IntervalType>(a.type).kind();
    const IntervalKind kind_b = type_as<IntervalType>(b.type).kind();
    if (kind_a == kind_b)
        return compare_numbers(op, a, b, rows);
    const bool months_a = interval_months(kind_a) != 0;
    const bool months_b = interval_months(kind_b) != 0;
    if (months_a != months_b)
        throw Error(error_codes::NO_COMMON_TYPE,
                    fmt::format("Cannot compare intervals {} and {} because the number of days in "
                                "a month is not fixed",
                                a.type->name(), b.type->name()));
    const auto unit = [](IntervalKind kind) -> Int128
    {
        if (const int32_t months = interval_months(kind))
            return months;
        if (const int32_t days = interval_days(kind))
            return Int128(days) * 86400 * 1000000000;
        return interval_nanoseconds(kind);
    };
    const auto scaled = [&](const Argument& argument, IntervalKind kind)
    {
        const VectorView<int64_t> view(*argument.column);
        auto result = std::make_shared<VectorColumn<Int128>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = Int128(view[i]) * unit(kind);
        return Argument{result, simple_type(TypeId::Int128)};
    };
    return compare_numbers(op, scaled(a, kind_a), scaled(b, kind_b), rows);
}

ColumnPtr compare_decimals(ComparisonOp op, const Argument& a, const Argument& b, size_t rows)
{
    if (a.type->is_float() || b.type->is_float())
        return compare_numbers(op, {decimal_as_float(a), simple_type(TypeId::Float64)},
                               {decimal_as_float(b), simple_type(TypeId::Float64)}, rows);
    const auto scale_of = [](const Argument& argument) -> uint32_t
    {
        return argument.type->is_decimal() ? type_as<DecimalType>(argument.type).scale() : 0;
    };
    const uint32_t scale = std::max(scale_of(a), scale_of(b));
    if (scale_of(a) == scale_of(b))
        return compare_numbers(op, a, b, rows);
    const auto scaled = [&](const Argument& argument) -> Argument
    {
        const Int256 factor = decimal_power_of_ten(scale - scale_of(argument));
        const ColumnPtr numbers =
            convert_numbers(argument.column, argument.type->physical(), PhysicalType::Int256);
        const VectorView<Int256> view(*numbers);
        auto result = std::make_shared<VectorColumn<Int256>>(rows);
        for (size_t i = 0; i < rows; ++i)
        {
            Int256 product;
            if (checked_multiply(view[i], factor, product))
                throw Error(error_codes::DECIMAL_OVERFLOW, "Can't compare decimals: overflow");
            result->data()[i] = product;
        }
        return {result, simple_type(TypeId::Int256)};
    };
    return compare_numbers(op, scaled(a), scaled(b), rows);
}

// The constant text as a value of `type`; a number beyond the type's range gets a wider type.
Argument read_text(const Argument& text, const TypePtr& type, size_t rows,
                   const QueryContext& context)
{
    const ColumnPtr one = make_constant(text.type, text.column->value_at(0), 1);
    const auto as = [&](const TypePtr& target) -> Argument
    {
        const ColumnPtr value = cast_column(one, text.type, target, context);
        return {std::make_shared<ConstantColumn>(to_flat(value), rows), target};
    };
    try
    {
        if (!type->is_integer())
            return as(type);
        auto column = type->create_column();
        const std::string spelled = text.column->value_at(0).get<std::string>();
        if (try_parse_whole(spelled, type, *column, TextOptions{}))
            return {std::make_shared<ConstantColumn>(column, rows), type};
        for (const TypeId wider : {TypeId::Int256, TypeId::UInt256, TypeId::Float64})
        {
            auto wide = simple_type(wider)->create_column();
            if (try_parse_whole(spelled, simple_type(wider), *wide, TextOptions{}))
                return {std::make_shared<ConstantColumn>(wide, rows), simple_type(wider)};
        }
    }
    catch (const Error& error)
    {
        if (!type->is_number() && !type->is(TypeId::Date) && !type->is(TypeId::Date32))
            throw;
    }
    throw Error(error_codes::TYPE_MISMATCH,
                fmt::format("Cannot convert string {} to type {}",
                            text.column->value_at(0).to_text(), type->name()));
}

ColumnPtr compare_enum_with_text(ComparisonOp op, const Argument& enumeration,
                                 const Argument& text, bool enum_first, size_t rows,
                                 const QueryContext& context)
{
    if (is_constant_text(text))
    {
        const std::string name = text.column->value_at(0).get<std::string>();
        const auto& type = type_as<EnumType>(enumeration.type);
        if (const int16_t* value = type.find_value(name))
        {
            const Argument number{make_constant(simple_type(TypeId::Int16),
                                                Value(int64_t{*value}), rows),
                                  simple_type(TypeId::Int16)};
            return enum_first ? compare_numbers(op, enumeration, number, rows)
                              : compare_numbers(op, number, enumeration, rows);
        }
    }
    const TypePtr& string = simple_type(TypeId::String);
    const ColumnPtr names = cast_column(enumeration.column, enumeration.type, string, context);
    return enum_first ? compare_texts(op, *names, *text.column, rows)
                      : compare_texts(op, *text.column, *names, rows);
}

ColumnPtr with_common_type(ComparisonOp op, const Argument& a, const Argument& b, size_t rows,
                           const QueryContext& context)
{
    const TypePtr common = common_type({a.type, b.type});
    const Argument left{cast_column(a.column, a.type, common, context), common};
    const Argument right{cast_column(b.column, b.type, common, context), common};
    if (is_vector_physical(common->physical()))
        return compare_numbers(op, left, right, rows);
    return compare_generic(op, left.column, right.column, rows);
}

bool comparable_types(const TypePtr& a, const TypePtr& b, bool text_may_be_read);

bool same_shape(const TypePtr& a, const TypePtr& b, bool text_may_be_read)
{
    return comparable_types(strip_wrappers(a), strip_wrappers(b), text_may_be_read);
}

bool comparable_types(const TypePtr& a, const TypePtr& b, bool text_may_be_read)
{
    const DataType& left = *a;
    const DataType& right = *b;
    if (left.is(TypeId::Nothing) || right.is(TypeId::Nothing) || same_type(a, b))
        return true;
    if ((left.is_number() && right.is_number()) || numeric_pair(left, right) ||
        ticks_and_number(left, right))
        return true;
    if ((left.is_string() || left.is_enum()) && (right.is_string() || right.is_enum()))
        return true;
    if (left.is(TypeId::Interval) && right.is(TypeId::Interval))
        return true;
    if ((is_calendar(left) && is_calendar(right)) || (is_ip(left) && is_ip(right)))
        return true;
    if ((left.is(TypeId::Time) || left.is(TypeId::Time64)) &&
        (right.is(TypeId::Time) || right.is(TypeId::Time64)))
        return true;
    // Texts that are not constant are refused when there are rows to compare.
    if (text_may_be_read && ((left.is(TypeId::String) && reads_text(right)) ||
                             (right.is(TypeId::String) && reads_text(left))))
        return true;
    if (left.is(TypeId::Array) && right.is(TypeId::Array))
        return same_shape(type_as<ArrayType>(a).nested(), type_as<ArrayType>(b).nested(),
                          false);
    if (left.is(TypeId::Map) && right.is(TypeId::Map))
        return same_shape(type_as<MapType>(a).entries(), type_as<MapType>(b).entries(),
                          false);
    if (left.is(TypeId::Tuple) && right.is(TypeId::Tuple))
    {
        const auto& x = type_as<TupleType>(a).elements();
        const auto& y = type_as<TupleType>(b).elements();
        if (x.size() != y.size())
            return false;
        for (size_t i = 0; i < x.size(); ++i)
            if (!same_shape(x[i], y[i], text_may_be_read))
                return false;
        return true;
    }
    return false;
}

} // namespace

bool comparable(const Argument& a, const Argument& b)
{
    return comparable_types(a.type, b.type, true);
}

ColumnPtr compare_columns(ComparisonOp op, const Argument& a, const Argument& b, size_t rows,
                          const QueryContext& context)
{
    const DataType& left = *a.type;
    const DataType& right = *b.type;
    if (left.is_string() && right.is_string())
        return compare_texts(op, *a.column, *b.column, rows);
    if (left.is(TypeId::Interval) && right.is(TypeId::Interval))
        return compare_intervals(op, a, b, rows);
    if (left.is_decimal() && right.is_decimal() && !same_type(a.type, b.type))
        return compare_decimals(op, a, b, rows);
    const bool vectors =
        is_vector_physical(left.physical()) && is_vector_physical(right.physical());
    if (vectors && (same_type(a.type, b.type) || numeric_pair(left, right) ||
                    (left.is(TypeId::DateTime) && right.is(TypeId::DateTime))))
        return compare_numbers(op, a, b, rows);
    if (left.is_decimal() || right.is_decimal())
        if (left.is_number() && right.is_number())
            return compare_decimals(op, a, b, rows);
    if (ticks_and_number(left, right))
        return compare_decimals(op, as_seconds(a), as_seconds(b), rows);
    if (left.is_enum() && right.is_string())
        return compare_enum_with_text(op, a, b, true, rows, context);
    if (left.is_string() && right.is_enum())
        return compare_enum_with_text(op, b, a, false, rows, context);
    if (left.is_enum() && right.is_enum())
    {
        const TypePtr& string = simple_type(TypeId::String);
        return compare_texts(op, *cast_column(a.column, a.type, string, context),
                             *cast_column(b.column, b.type, string, context), rows);
    }
    if (is_constant_text(b) && reads_text(left))
        return compare_columns(op, a, read_text(b, a.type, rows, context), rows, context);
    if (is_constant_text(a) && reads_text(right))
        return compare_columns(op, read_text(a, b.type, rows, context), b, rows, context);
    if (is_ip(left) && is_ip(right) && left.id() != right.id())
    {
        const TypePtr& wide = simple_type(TypeId::IPv6);
        return compare_texts(op, *cast_column(a.column, a.type, wide, context),
                             *cast_column(b.column, b.type, wide, context), rows);
    }
    if (same_type(a.type, b.type))
        return compare_generic(op, a.column, b.column, rows);
    return with_common_type(op, a, b, rows, context);
}

} // namespace basalt
