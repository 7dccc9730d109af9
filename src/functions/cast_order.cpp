#include "functions/cast_order.h"

#include "functions/arithmetic.h"

#include <cmath>

namespace basalt
{

namespace
{

bool is_calendar(const DataType& type)
{
    return type.is_date_or_time();
}

// Both ends known and within what `type` holds without wrapping.
bool fits(const Value& value, const DataType& type)
{
    const NumberKind kind = number_kind(type);
    if (kind.is_float || kind.bytes > 8)
        return true;
    const auto bits = static_cast<int>(kind.bytes * 8 - (kind.is_signed ? 1 : 0));
    const long double high = std::ldexp(1.0L, bits);
    const long double low = kind.is_signed ? -high : 0;
    long double number = 0;
    if (const auto* unsigned_value = value.get_if<uint64_t>())
        number = static_cast<long double>(*unsigned_value);
    else if (const auto* signed_value = value.get_if<int64_t>())
        number = static_cast<long double>(*signed_value);
    else
        return false;
    return number >= low && number < high;
}

bool holds_all(const DataType& from, const DataType& to)
{
    const NumberKind a = number_kind(from);
    const NumberKind b = number_kind(to);
    if (a.is_float)
        return b.is_float;
    if (b.is_float)
        return true; // rounding keeps the order
    if (a.is_signed == b.is_signed)
        return b.bytes >= a.bytes;
    return b.is_signed && b.bytes > a.bytes;
}

} // namespace

ScalarFunction::Monotonicity cast_monotonicity(const TypePtr& given_from, const TypePtr& given_to,
                                               const Value& left, const Value& right)
{
    using Monotonicity = ScalarFunction::Monotonicity;
    const TypePtr from = strip_wrappers(given_from);
    const TypePtr to = strip_wrappers(given_to);
    if (same_type(from, to))
        return Monotonicity::Increasing;
    if (is_calendar(*from) && is_calendar(*to))
    {
        // Narrow types wrap around past their ranges.
        const bool narrowing = (to->is(TypeId::Date) && !from->is(TypeId::DateTime)) ||
                               (to->is(TypeId::DateTime) && !from->is(TypeId::Date));
        return narrowing && from->id() != to->id() ? Monotonicity::None
                                                   : Monotonicity::Increasing;
    }
    if (is_plain_number(*from) && is_plain_number(*to) && !to->is(TypeId::Bool))
    {
        if (holds_all(*from, *to))
            return Monotonicity::Increasing;
        if (from->is_float() || to->is_float())
            return Monotonicity::None;
        return fits(left, *to) && fits(right, *to) ? Monotonicity::Increasing
                                                   : Monotonicity::None;
    }
    if (is_calendar(*from) && to->is_integer() && !to->is(TypeId::Bool))
    {
        const size_t needed = from->is(TypeId::Date) ? 2 : from->is(TypeId::DateTime64) ? 8 : 4;
        const NumberKind kind = number_kind(*to);
        const bool enough = kind.bytes > needed || (kind.bytes == needed && !kind.is_signed &&
                                                    !from->is(TypeId::Date32) &&
                                                    !from->is(TypeId::DateTime64));
        return enough ? Monotonicity::Increasing : Monotonicity::None;
    }
    return Monotonicity::None;
}

} // namespace basalt
