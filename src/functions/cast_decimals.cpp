// Decimals to and from numbers and other decimals.

#include "functions/cast_parts.h"

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <cmath>

namespace basalt
{

namespace
{

[[noreturn]] void throw_overflow(const char* message)
{
    throw Error(error_codes::DECIMAL_OVERFLOW, message);
}

// Mantissas in 256 bits, divided or multiplied to the scale wanted, then narrowed.
template <class To>
ColumnPtr rescaled(const VectorColumn<Int256>& from, uint32_t from_scale, uint32_t to_scale,
                   const char* message, const CastJob& job)
{
    const size_t rows = from.size();
    auto result = std::make_shared<VectorColumn<To>>(rows);
    const bool up = to_scale >= from_scale;
    const Int256 factor =
        decimal_power_of_ten(up ? to_scale - from_scale : from_scale - to_scale);
    for (size_t i = 0; i < rows; ++i)
    {
        Int256 value = from.data()[i];
        bool overflow = false;
        if (up)
            overflow = factor != Int256(1) && checked_multiply(value, factor, value);
        else
            value /= factor;
        const To narrow = static_cast<To>(value);
        overflow = overflow || Int256(narrow) != value;
        if (overflow && !job.note_failure(i))
            throw_overflow(message);
        result->data()[i] = narrow;
    }
    return result;
}

// The common case, without 256-bit arithmetic.
template <class From, class To>
ColumnPtr rescaled_64(const Column& column, uint32_t from_scale, uint32_t to_scale,
                      const char* message, const CastJob& job)
{
    const auto& from = column_as<VectorColumn<From>>(column).data();
    auto result = std::make_shared<VectorColumn<To>>(from.size());
    const bool up = to_scale >= from_scale;
    const auto factor = static_cast<Int128>(
        decimal_power_of_ten(up ? to_scale - from_scale : from_scale - to_scale));
    for (size_t i = 0; i < from.size(); ++i)
    {
        const Int128 value = up ? static_cast<Int128>(from[i]) * factor
                                : static_cast<Int128>(from[i]) / factor;
        const To narrow = static_cast<To>(value);
        if (static_cast<Int128>(narrow) != value && !job.note_failure(i))
            throw_overflow(message);
        result->data()[i] = narrow;
    }
    return result;
}

ColumnPtr rescale(const ColumnPtr& column, PhysicalType from, uint32_t from_scale,
                  PhysicalType to, uint32_t to_scale, const char* message, const CastJob& job)
{
    const uint32_t distance =
        to_scale > from_scale ? to_scale - from_scale : from_scale - to_scale;
    constexpr uint32_t kMaxDistance64 = 18;
    ColumnPtr result;
    if (from == PhysicalType::Int64 && to == PhysicalType::Int64 && distance <= kMaxDistance64)
        return rescaled_64<int64_t, int64_t>(*column, from_scale, to_scale, message, job);
    const ColumnPtr wide = convert_numbers(column, from, PhysicalType::Int256);
    const auto& mantissas = column_as<VectorColumn<Int256>>(wide);
    dispatch_vector(to,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        if constexpr (std::is_same_v<T, UInt256>)
                        {
                            const ColumnPtr values = rescaled<Int256>(mantissas, from_scale,
                                                                      to_scale, message, job);
                            const auto& data = column_as<VectorColumn<Int256>>(values).data();
                            for (size_t i = 0; i < data.size(); ++i)
                                if (data[i].negative() && !job.note_failure(i))
                                    throw_overflow(message);
                            result = convert_numbers(values, PhysicalType::Int256, to);
                        }
                        else if constexpr (!std::is_floating_point_v<T>)
                            result = rescaled<T>(mantissas, from_scale, to_scale, message, job);
                    });
    return result;
}

template <class T>
ColumnPtr from_floats(const ColumnPtr& column, PhysicalType from, uint32_t scale,
                      const CastJob& job)
{
    const ColumnPtr floats = convert_numbers(column, from, PhysicalType::Float64);
    const auto& data = column_as<VectorColumn<double>>(floats).data();
    auto result = std::make_shared<VectorColumn<T>>(data.size());
    const double factor = decimal_power_of_ten(scale).to_double();
    const double limit = std::ldexp(1.0, static_cast<int>(sizeof(T) * 8 - 1));
    for (size_t i = 0; i < data.size(); ++i)
    {
        const double scaled = data[i] * factor;
        const bool fits = scaled > -limit && scaled < limit; // false for NaN
        if (!fits && !job.note_failure(i))
            throw_overflow(std::isfinite(data[i])
                               ? "Decimal convert overflow. Float is out of Decimal range"
                               : "Decimal convert overflow. Cannot convert infinity or NaN to "
                                 "decimal");
        result->data()[i] = fits ? numeric_cast<T>(scaled) : T(0);
    }
    return result;
}

ColumnPtr decimals_to_bool(const ColumnPtr& column, PhysicalType physical)
{
    const ColumnPtr wide = convert_numbers(column, physical, PhysicalType::Int256);
    const auto& data = column_as<VectorColumn<Int256>>(wide).data();
    auto result = std::make_shared<VectorColumn<uint8_t>>(data.size());
    for (size_t i = 0; i < data.size(); ++i)
        result->data()[i] = data[i] != Int256(0);
    return result;
}

} // namespace

ColumnPtr cast_decimals(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                        const CastJob& job)
{
    const bool from_ticks = from->is(TypeId::DateTime64) || from->is(TypeId::Time64);
    const auto scale_of = [](const TypePtr& type) -> uint32_t
    {
        if (type->is_decimal())
            return type_as<DecimalType>(type).scale();
        if (type->is(TypeId::DateTime64))
            return type_as<DateTime64Type>(type).scale();
        return type->is(TypeId::Time64) ? type_as<Time64Type>(type).scale() : 0;
    };
    const PhysicalType physical = from->physical();
    if (to->is_decimal())
    {
        if (from->is_float())
        {
            const uint32_t scale = scale_of(to);
            switch (to->physical())
            {
                case PhysicalType::Int32: return from_floats<int32_t>(column, physical, scale, job);
                case PhysicalType::Int64: return from_floats<int64_t>(column, physical, scale, job);
                case PhysicalType::Int128: return from_floats<Int128>(column, physical, scale, job);
                default: return from_floats<Int256>(column, physical, scale, job);
            }
        }
        if (!from->is_decimal() && !from->is_integer() && !from_ticks)
            return nullptr;
        return rescale(column, physical, scale_of(from), to->physical(), scale_of(to),
                       "Decimal convert overflow", job);
    }
    if (!from->is_decimal())
        return nullptr;
    if (to->is_float())
        return convert_numbers(decimal_as_float({column, from}), PhysicalType::Float64,
                               to->physical());
    if (to->is(TypeId::Bool))
        return decimals_to_bool(column, physical);
    if (to->is_integer() || to->is(TypeId::Interval))
        return rescale(column, physical, scale_of(from), to->physical(), 0, "Convert overflow",
                       job);
    if (to->is(TypeId::DateTime64))
        return rescale(column, physical, scale_of(from), PhysicalType::Int64, scale_of(to),
                       "Decimal convert overflow", job);
    return nullptr;
}

} // namespace basalt
