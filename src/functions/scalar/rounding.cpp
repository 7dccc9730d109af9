// round, roundBankers, floor, ceil, trunc; roundDown, roundAge, roundDuration, roundToExp2.

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/cast.h"
#include "functions/decimal_scale.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <cmath>

namespace basalt
{

namespace
{

enum class Rounding : uint8_t
{
    Nearest, // floats: half to even; integers and decimals: half away from zero
    Bankers, // half to even
    Floor,
    Ceil,
    Trunc,
};

// Digits beyond these change nothing that a number can show.
constexpr int64_t kMaxDigits = 32767;

template <class T> T round_float(Rounding mode, T value)
{
    switch (mode)
    {
        case Rounding::Floor: return std::floor(value);
        case Rounding::Ceil: return std::ceil(value);
        case Rounding::Trunc: return std::trunc(value);
        default: return std::nearbyint(value);
    }
}

template <class T, Rounding kMode>
void round_float_loop(const VectorView<T>& from, int64_t digits, T* out, size_t rows)
{
    if (digits == 0)
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = round_float<T>(kMode, from[i]);
        return;
    }
    const T scale = static_cast<T>(std::pow(10.0, static_cast<double>(std::abs(digits))));
    if (!std::isfinite(scale))
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = digits > 0 ? from[i] : T(0);
        return;
    }
    if (digits > 0)
        for (size_t i = 0; i < rows; ++i)
        {
            const T scaled = from[i] * scale;
            const T rounded = round_float<T>(kMode, scaled) / scale;
            // A value too large to scale has no such digits.
            out[i] = std::isfinite(scaled) ? rounded : from[i];
        }
    else
        for (size_t i = 0; i < rows; ++i)
            out[i] = round_float<T>(kMode, from[i] / scale) * scale;
}

template <class T>
void round_floats(Rounding mode, const VectorView<T>& from, int64_t digits, T* out, size_t rows)
{
    switch (mode)
    {
        case Rounding::Nearest:
        case Rounding::Bankers:
            round_float_loop<T, Rounding::Nearest>(from, digits, out, rows);
            break;
        case Rounding::Floor:
            round_float_loop<T, Rounding::Floor>(from, digits, out, rows);
            break;
        case Rounding::Ceil:
            round_float_loop<T, Rounding::Ceil>(from, digits, out, rows);
            break;
        case Rounding::Trunc:
            round_float_loop<T, Rounding::Trunc>(from, digits, out, rows);
            break;
    }
}

// To a multiple of `unit` (a power of ten); wraps like the type does.
template <class T> T round_integer(Rounding mode, T value, T unit)
{
    const bool negative = value < T(0);
    const T rest = static_cast<T>(value % unit); // the sign of value
    const T base = static_cast<T>(value - rest);
    if (rest == T(0))
        return value;
    const T magnitude = negative ? static_cast<T>(T(0) - rest) : rest;
    const T away = negative ? static_cast<T>(base - unit) : static_cast<T>(base + unit);
    if (mode == Rounding::Nearest && sizeof(T) >= 8)
    {
        // Near the end of the range half a unit too much wraps, as it does in ClickHouse.
        const T absolute = negative ? static_cast<T>(T(0) - value) : value;
        const T rounded =
            static_cast<T>(static_cast<T>(absolute + static_cast<T>(unit / T(2))) / unit * unit);
        return negative ? static_cast<T>(T(0) - rounded) : rounded;
    }
    switch (mode)
    {
        case Rounding::Trunc: return base;
        case Rounding::Floor: return negative ? away : base;
        case Rounding::Ceil: return negative ? base : away;
        case Rounding::Nearest: return magnitude >= static_cast<T>(unit - magnitude) ? away : base;
        case Rounding::Bankers:
        {
            const T other = static_cast<T>(unit - magnitude);
            if (magnitude != other)
                return magnitude > other ? away : base;
            const T quotient = static_cast<T>(value / unit);
            return static_cast<T>(quotient % T(2)) == T(0) ? base : away;
        }
    }
    return value;
}

template <class T>
void round_integers(Rounding mode, const VectorView<T>& from, int64_t digits, T* out, size_t rows)
{
    if (digits >= 0)
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = from[i];
        return;
    }
    // The largest power of ten that the type holds.
    constexpr size_t kDigits = sizeof(T) == 1    ? 2
                               : sizeof(T) == 2  ? 4
                               : sizeof(T) == 4  ? 9
                               : sizeof(T) == 8  ? 18
                               : sizeof(T) == 16 ? 38
                                                 : 76;
    if (static_cast<uint64_t>(-digits) > kDigits)
    {
        for (size_t i = 0; i < rows; ++i)
            out[i] = T(0);
        return;
    }
    const T unit = static_cast<T>(decimal_power_of_ten(static_cast<uint32_t>(-digits)));
    for (size_t i = 0; i < rows; ++i)
        out[i] = round_integer<T>(mode, from[i], unit);
}

ColumnPtr round_column(Rounding mode, const Column& column, const TypePtr& type, int64_t digits,
                       size_t rows)
{
    ColumnPtr result;
    dispatch_vector(type->physical(),
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        auto out = std::make_shared<VectorColumn<T>>(rows);
                        const VectorView<T> from(column);
                        if constexpr (std::is_floating_point_v<T>)
                            round_floats<T>(mode, from, digits, out->data().data(), rows);
                        else if (type->is_decimal())
                            round_integers<T>(mode, from,
                                              digits - type_as<DecimalType>(type).scale(),
                                              out->data().data(), rows);
                        else
                            round_integers<T>(mode, from, digits, out->data().data(), rows);
                        result = out;
                    });
    return result;
}

class Round final : public NamedFunction
{
public:
    Round(std::string name, Rounding mode) : NamedFunction(std::move(name)), mode_(mode) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, 2);
        if (!arguments[0].type->is_number())
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("A value of illegal type was provided as 1st argument 'x' to "
                                    "function '{}'. Expected: A number to round, got: {}",
                                    name(), arguments[0].type->name()));
        if (arguments.size() == 2 && !arguments[1].type->is_integer())
            throw_illegal_argument(*this, 1, arguments[1].type);
        return arguments[0].type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        if (arguments.size() == 1)
            return round_column(mode_, *arguments[0].column, result_type, 0, rows);
        const ColumnPtr digits = convert_numbers(arguments[1].column,
                                                 arguments[1].type->physical(),
                                                 PhysicalType::Int64);
        const VectorView<int64_t> view(*digits);
        for (size_t i = 0; i < (view.constant() ? 1 : rows); ++i)
            if (view[i] > kMaxDigits || view[i] < -kMaxDigits)
                throw Error(error_codes::ARGUMENT_OUT_OF_BOUND,
                            "Scale argument for rounding function is too large");
        if (view.constant() || rows == 1)
            return round_column(mode_, *arguments[0].column, result_type, view[0], rows);
        // Runs of equal digits; they seldom change.
        const ColumnPtr flat = to_flat(arguments[0].column);
        auto result = result_type->create_column();
        for (size_t begin = 0; begin < rows;)
        {
            size_t end = begin + 1;
            while (end < rows && view[end] == view[begin])
                ++end;
            const ColumnPtr part = flat->slice(begin, end - begin);
            result->append_range(
                *round_column(mode_, *part, result_type, view[begin], end - begin), 0,
                end - begin);
            begin = end;
        }
        return result;
    }

    bool worth_short_circuit() const override { return false; }
    Monotonicity monotonicity(const Arguments&, size_t argument, const Value&,
                              const Value&) const override
    {
        return argument == 0 ? Monotonicity::Increasing : Monotonicity::None;
    }

private:
    Rounding mode_;
};

class RoundToTable final : public NamedFunction
{
public:
    using Rule = uint64_t (*)(double);
    RoundToTable(std::string name, Rule rule, TypeId result)
        : NamedFunction(std::move(name)), rule_(rule), result_(result)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!is_plain_number(*arguments[0].type))
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(result_);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr floats = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::Float64);
        const VectorView<double> view(*floats);
        auto result = std::make_shared<VectorColumn<uint64_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = rule_(view[i]);
        return convert_numbers(result, PhysicalType::UInt64, result_type->physical());
    }

private:
    Rule rule_;
    TypeId result_;
};

uint64_t age_of(double age)
{
    if (!(age >= 1))
        return 0;
    constexpr uint64_t kAges[] = {18, 25, 35, 45, 55};
    if (age < 18)
        return 17;
    uint64_t found = 18;
    for (const uint64_t step : kAges)
        found = age >= static_cast<double>(step) ? step : found;
    return found;
}

uint64_t duration_of(double duration)
{
    constexpr uint64_t kDurations[] = {1,   10,  30,  60,   120,  180,  240, 300,
                                       600, 1200, 1800, 3600, 7200, 18000, 36000};
    uint64_t found = 0;
    for (const uint64_t step : kDurations)
        found = duration >= static_cast<double>(step) ? step : found;
    return found;
}

class RoundToExp2 final : public NamedFunction
{
public:
    RoundToExp2() : NamedFunction("roundToExp2") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        if (!is_plain_number(*type) || is_wide_integer(*type))
            throw_illegal_type(*this, type);
        return type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        ColumnPtr result;
        dispatch_vector(result_type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            if constexpr (sizeof(T) <= 8)
                            {
                                auto out = std::make_shared<VectorColumn<T>>(rows);
                                const VectorView<T> view(*arguments[0].column);
                                for (size_t i = 0; i < rows; ++i)
                                    out->data()[i] = power_below(view[i]);
                                result = out;
                            }
                        });
        return result;
    }

private:
    template <class T> static T power_below(T value)
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            if (value == T(0) || !std::isfinite(value))
                return value;
            return std::copysign(std::ldexp(T(1), std::ilogb(value)), value);
        }
        else
        {
            if (value <= T(0))
                return T(0);
            return static_cast<T>(uint64_t{1}
                                  << (63 - __builtin_clzll(static_cast<uint64_t>(value))));
        }
    }
};

class RoundDown final : public NamedFunction
{
public:
    RoundDown() : NamedFunction("roundDown") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        if (!arguments[0].type->is_number())
            throw_illegal_type(*this, arguments[0].type);
        if (!arguments[1].type->is(TypeId::Array))
            throw_illegal_argument(*this, 1, arguments[1].type);
        const TypePtr& steps = type_as<ArrayType>(arguments[1].type).nested();
        if (!steps->is_number())
            throw_illegal_argument(*this, 1, arguments[1].type);
        return common_type({arguments[0].type, steps});
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr values =
            to_flat(cast_column(arguments[0].column, arguments[0].type, result_type, context));
        const auto array_type = std::make_shared<ArrayType>(result_type);
        const ColumnPtr steps_array =
            cast_column(arguments[1].column, arguments[1].type, array_type, context);
        const auto& array =
            column_as<ArrayColumn>(column_as<ConstantColumn>(steps_array).nested());
        const ColumnPtr& steps = array.items();
        if (steps->empty())
            throw Error(error_codes::BAD_ARGUMENTS,
                        "Empty array is illegal for boundaries in function roundDown");
        auto result = result_type->create_column();
        for (size_t i = 0; i < rows; ++i)
        {
            // The largest step not above the value; the smallest when all are.
            size_t best = 0;
            size_t lowest = 0;
            bool found = false;
            for (size_t k = 0; k < steps->size(); ++k)
            {
                lowest = steps->compare_at(k, *steps, lowest, 1) < 0 ? k : lowest;
                if (steps->compare_at(k, *values, i, 1) <= 0 &&
                    (!found || steps->compare_at(k, *steps, best, 1) > 0))
                {
                    best = k;
                    found = true;
                }
            }
            result->append_from(*steps, found ? best : lowest);
        }
        return result;
    }
    std::vector<size_t> constant_arguments() const override { return {1}; }
};

} // namespace

#define BASALT_ROUND(NAME, MODE)                                                                   \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<Round>(NAME, Rounding::MODE); },                                 \
        std::string_view(NAME) != "roundBankers");

void register_rounding(ScalarRegistry& registry)
{
    BASALT_ROUND("round", Nearest)
    BASALT_ROUND("roundBankers", Bankers)
    BASALT_ROUND("floor", Floor)
    BASALT_ROUND("ceil", Ceil)
    BASALT_ROUND("trunc", Trunc)
    registry.add_alias("ceiling", "ceil", true);
    registry.add_alias("truncate", "trunc", true);
    registry.add("roundAge", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<RoundToTable>("roundAge", age_of, TypeId::UInt8); });
    registry.add("roundDuration",
                 [](const QueryContext&) -> ScalarFunctionPtr
                 {
                     return std::make_shared<RoundToTable>("roundDuration", duration_of,
                                                           TypeId::UInt16);
                 });
    registry.add("roundToExp2", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<RoundToExp2>(); });
    registry.add("roundDown", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<RoundDown>(); });
}

#undef BASALT_ROUND

} // namespace basalt
