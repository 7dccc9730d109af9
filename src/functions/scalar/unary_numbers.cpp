// negate, abs, sign, bitNot, bitCount, byteSwap, bitTest, bitTestAll, bitTestAny, factorial,
// intExp2, intExp10, isNaN, isFinite, isInfinite, ifNotFinite.

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/choose_rows.h"
#include "functions/cast.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace basalt
{

namespace
{

enum class UnaryOp : uint8_t
{
    Negate,
    Abs,
    Sign,
    BitNot,
    BitCount,
    ByteSwap,
};

template <class T> constexpr bool kSigned = std::is_floating_point_v<T> || T(-1) < T(0);
template <> constexpr bool kSigned<Int256> = true;
template <> constexpr bool kSigned<UInt256> = false;

template <class T> uint32_t bits_set(const T& value)
{
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    std::memcpy(words, &value, sizeof(T));
    uint32_t count = 0;
    for (const uint64_t word : words)
        count += static_cast<uint32_t>(__builtin_popcountll(word));
    return count;
}

template <class T> T bytes_swapped(const T& value)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    std::reverse(bytes, bytes + sizeof(T));
    T swapped;
    std::memcpy(&swapped, bytes, sizeof(T));
    return swapped;
}

template <class T, class R, class F> ColumnPtr mapped(const Column& column, size_t rows, F f)
{
    const VectorView<T> view(column);
    auto result = std::make_shared<VectorColumn<R>>(rows);
    R* const out = result->data().data();
    for (size_t i = 0; i < rows; ++i)
        out[i] = static_cast<R>(f(view[i]));
    return result;
}

class Unary final : public NamedFunction
{
public:
    Unary(std::string name, UnaryOp op) : NamedFunction(std::move(name)), op_(op) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        if (type->is(TypeId::Tuple) && op_ == UnaryOp::Negate)
        {
            Types types;
            for (const auto& element : type_as<TupleType>(type).elements())
                types.push_back(resolve_type(*this, {{nullptr, element}}));
            return std::make_shared<TupleType>(std::move(types));
        }
        if (TypePtr result = plain_type(type))
            return result;
        throw_illegal_type(*this, type);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Argument& from = arguments[0];
        if (from.type->is(TypeId::Tuple))
            return negate_tuple(from, result_type, rows, context);
        if (from.type->is_string())
            return of_text(*from.column, result_type, rows);
        if (op_ == UnaryOp::Negate)
            return number_arithmetic(
                ArithmeticOp::Minus,
                {make_constant(as_number(result_type), zero_of(result_type), rows), as_number(result_type)},
                {convert_numbers(from.column, from.type->physical(), result_type->physical()),
                 as_number(result_type)},
                as_number(result_type), rows);
        ColumnPtr result;
        dispatch_vector(from.type->physical(), [&]<class Tag>(Tag)
                        { result = of_number<typename Tag::type>(*from.column, result_type, rows); });
        return result;
    }

    bool worth_short_circuit() const override { return false; }
    Monotonicity monotonicity(const Arguments& arguments, size_t, const Value& left,
                              const Value& right) const override
    {
        const TypePtr& type = arguments[0].type;
        if (op_ == UnaryOp::Negate)
            return negation_keeps_order(type, left, right) ? Monotonicity::Decreasing
                                                           : Monotonicity::None;
        return op_ == UnaryOp::Sign ? Monotonicity::Increasing : Monotonicity::None;
    }

private:
    // Whether no number between the two wraps: the smallest of a signed type has no counterpart.
    static bool negation_keeps_order(const TypePtr& type, const Value& left, const Value& right)
    {
        if (type->is_float())
            return true;
        if (!is_plain_number(*type))
            return false;
        if (const auto* low = left.get_if<int64_t>())
            switch (type->physical())
            {
                case PhysicalType::Int8: return *low != INT8_MIN;
                case PhysicalType::Int16: return *low != INT16_MIN;
                case PhysicalType::Int32: return *low != INT32_MIN;
                default: return *low != INT64_MIN;
            }
        if (const auto* high = right.get_if<uint64_t>())
            return *high <= uint64_t{INT64_MAX};
        return false;
    }

    // The plain number that a decimal or an interval is in memory.
    static TypePtr as_number(const TypePtr& type)
    {
        if (!type->is_decimal() && !type->is(TypeId::Interval))
            return type;
        switch (type->physical())
        {
            case PhysicalType::Int32: return simple_type(TypeId::Int32);
            case PhysicalType::Int64: return simple_type(TypeId::Int64);
            case PhysicalType::Int128: return simple_type(TypeId::Int128);
            default: return simple_type(TypeId::Int256);
        }
    }
    static Value zero_of(const TypePtr& type) { return as_number(type)->default_value(); }

    TypePtr plain_type(const TypePtr& type) const
    {
        if (type->is(TypeId::Interval))
            return op_ == UnaryOp::Negate ? type : nullptr;
        if (type->is_string())
        {
            if (op_ == UnaryOp::BitCount)
                return simple_type(TypeId::UInt64);
            return op_ == UnaryOp::BitNot ? type : nullptr;
        }
        const bool decimal = type->is_decimal();
        if (!decimal && !is_plain_number(*type) &&
            !(op_ == UnaryOp::ByteSwap && type->is(TypeId::IPv4)))
            return nullptr;
        const NumberKind kind = decimal ? NumberKind{true, false, 8} : number_kind(*type);
        switch (op_)
        {
            case UnaryOp::Negate:
                if (decimal)
                    return type;
                return number_type({true, kind.is_float,
                                    kind.is_signed || kind.bytes >= 8 ? kind.bytes
                                                                      : kind.bytes * 2});
            case UnaryOp::Abs:
                if (decimal || kind.is_float)
                    return type;
                return number_type({false, false, kind.bytes});
            case UnaryOp::Sign: return simple_type(TypeId::Int8);
            case UnaryOp::BitNot:
                return decimal || kind.is_float ? nullptr
                                                : number_type({kind.is_signed, false, kind.bytes});
            case UnaryOp::BitCount:
                return decimal ? nullptr
                               : simple_type(kind.bytes > 16 ? TypeId::UInt16 : TypeId::UInt8);
            case UnaryOp::ByteSwap:
                return decimal || kind.is_float
                           ? nullptr
                           : number_type({kind.is_signed, false, kind.bytes});
        }
        return nullptr;
    }

    template <class T>
    ColumnPtr of_number(const Column& column, const TypePtr& result, size_t rows) const
    {
        switch (op_)
        {
            case UnaryOp::Abs:
                return convert_numbers(mapped<T, T>(column, rows,
                                                    [](const T& value)
                                                    {
                                                        if constexpr (kSigned<T>)
                                                            return value < T(0) ? T(T(0) - value)
                                                                                : value;
                                                        else
                                                            return value;
                                                    }),
                                       physical_of<T>(), result->physical());
            case UnaryOp::Sign:
                // NaN has the sign 1, whatever its own.
                return mapped<T, int8_t>(column, rows, [](const T& value)
                                         { return value < T(0) ? -1 : value == T(0) ? 0 : 1; });
            case UnaryOp::BitNot:
                if constexpr (!std::is_floating_point_v<T>)
                    return mapped<T, T>(column, rows, [](const T& value) { return T(~value); });
                break;
            case UnaryOp::BitCount:
            {
                const ColumnPtr counts =
                    mapped<T, uint16_t>(column, rows, [](const T& v) { return bits_set(v); });
                return convert_numbers(counts, PhysicalType::UInt16, result->physical());
            }
            case UnaryOp::ByteSwap:
                return mapped<T, T>(column, rows, [](const T& v) { return bytes_swapped(v); });
            default:
                break;
        }
        return nullptr;
    }

    template <class T> static PhysicalType physical_of()
    {
        PhysicalType found = PhysicalType::UInt8;
        for (int i = 0; i <= static_cast<int>(PhysicalType::Float64); ++i)
            dispatch_vector(static_cast<PhysicalType>(i),
                            [&]<class Tag>(Tag)
                            {
                                if constexpr (std::is_same_v<typename Tag::type, T>)
                                    found = static_cast<PhysicalType>(i);
                            });
        return found;
    }

    ColumnPtr of_text(const Column& column, const TypePtr& result, size_t rows) const
    {
        const TextView texts(column);
        if (op_ == UnaryOp::BitCount)
        {
            auto counts = std::make_shared<VectorColumn<uint64_t>>(rows, uint64_t{0});
            for (size_t i = 0; i < rows; ++i)
                for (const char c : texts[i])
                    counts->data()[i] += bits_set(static_cast<uint8_t>(c));
            return counts;
        }
        auto out = result->create_column();
        for (size_t i = 0; i < rows; ++i)
        {
            std::string text(texts[i]);
            for (char& c : text)
                c = static_cast<char>(~c);
            out->append_value(Value(std::move(text)));
        }
        return out;
    }

    ColumnPtr negate_tuple(const Argument& from, const TypePtr& result_type, size_t rows,
                           const QueryContext& context) const
    {
        const ColumnPtr flat = to_flat(from.column);
        const auto& tuple = column_as<TupleColumn>(flat);
        const auto& types = type_as<TupleType>(from.type).elements();
        const auto& results = type_as<TupleType>(result_type).elements();
        Columns columns;
        for (size_t i = 0; i < types.size(); ++i)
            columns.push_back(to_flat(call_function(*this, {{tuple.element(i), types[i]}},
                                                    results[i], rows, context)));
        return TupleColumn::make(std::move(columns), rows);
    }

    UnaryOp op_;
};

// Whether bits at positions are set: all of them, or any.
class BitTest final : public NamedFunction
{
public:
    BitTest(std::string name, bool any, size_t max_positions)
        : NamedFunction(std::move(name)), any_(any), max_positions_(max_positions)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        if (max_positions_ == 1)
            check_argument_count(*this, arguments.size(), 2);
        else
            check_enough_arguments(*this, arguments.size(), 2);
        for (const auto& argument : arguments)
        {
            if (!argument.type->is_integer())
                throw_illegal_types(*this, arguments);
            if (is_wide_integer(*argument.type))
                throw Error(error_codes::NOT_IMPLEMENTED,
                            name() + " is not implemented for big integers");
        }
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const auto numbers = [&](size_t i)
        {
            return convert_numbers(arguments[i].column, arguments[i].type->physical(),
                                   PhysicalType::UInt64);
        };
        const ColumnPtr values = numbers(0);
        const VectorView<uint64_t> view(*values);
        const uint64_t bits = number_kind(*arguments[0].type).bytes * 8;
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{!any_});
        for (size_t k = 1; k < arguments.size(); ++k)
        {
            const ColumnPtr positions = numbers(k);
            const VectorView<uint64_t> at(*positions);
            for (size_t i = 0; i < rows; ++i)
            {
                if (at[i] >= bits)
                    throw Error(error_codes::PARAMETER_OUT_OF_BOUND,
                                fmt::format("The bit position argument needs to a positive value "
                                            "and less or equal to {} for integer {}",
                                            bits - 1, view[i]));
                const bool set = (view[i] >> at[i]) & 1;
                uint8_t& answer = result->data()[i];
                answer = any_ ? answer || set : answer && set;
            }
        }
        return result;
    }

private:
    bool any_;
    size_t max_positions_;
};

// Whole numbers to UInt64 by a table or a formula.
class IntegerTable final : public NamedFunction
{
public:
    using Rule = uint64_t (*)(int64_t);
    IntegerTable(std::string name, Rule rule) : NamedFunction(std::move(name)), rule_(rule) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!is_plain_number(*arguments[0].type) || is_wide_integer(*arguments[0].type))
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(TypeId::UInt64);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr numbers = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::Int64);
        return mapped<int64_t, uint64_t>(*numbers, rows, rule_);
    }

private:
    Rule rule_;
};

uint64_t factorial_of(int64_t n)
{
    constexpr int64_t kMaxArgument = 20;
    if (n > kMaxArgument)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "The maximum value for the input argument of function factorial is 20");
    uint64_t product = 1;
    for (int64_t i = 2; i <= n; ++i)
        product *= static_cast<uint64_t>(i);
    return product;
}

uint64_t exp2_of(int64_t n)
{
    if (n < 0)
        return 0;
    return n >= 64 ? ~uint64_t{0} : uint64_t{1} << n;
}

uint64_t exp10_of(int64_t n)
{
    if (n < 0)
        return 0;
    if (n >= 20)
        return ~uint64_t{0};
    uint64_t power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

class FloatTest final : public NamedFunction
{
public:
    using Rule = bool (*)(double);
    FloatTest(std::string name, Rule rule) : NamedFunction(std::move(name)), rule_(rule) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_number())
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(TypeId::UInt8);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr floats = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::Float64);
        return mapped<double, uint8_t>(*floats, rows, rule_);
    }
    bool worth_short_circuit() const override { return false; }

private:
    Rule rule_;
};

class IfNotFinite final : public NamedFunction
{
public:
    IfNotFinite() : NamedFunction("ifNotFinite") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        return common_type({arguments[0].type, arguments[1].type});
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        if (!arguments[0].type->is_float())
            return cast_column(arguments[0].column, arguments[0].type, result_type, context);
        const ColumnPtr floats = convert_numbers(
            arguments[0].column, arguments[0].type->physical(), PhysicalType::Float64);
        const VectorView<double> view(*floats);
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
            which[i] = !std::isfinite(view[i]);
        return choose_rows(
            result_type,
            {{cast_column(arguments[0].column, arguments[0].type, result_type, context)},
             {cast_column(arguments[1].column, arguments[1].type, result_type, context)}},
            which);
    }
};

} // namespace

#define BASALT_UNARY(NAME, OP, CASE_INSENSITIVE)                                                   \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<Unary>(NAME, UnaryOp::OP); },                                    \
        CASE_INSENSITIVE);
#define BASALT_OBJECT(NAME, ...)                                                                   \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<__VA_ARGS__; });

void register_unary_numbers(ScalarRegistry& registry)
{
    BASALT_UNARY("negate", Negate, false)
    BASALT_UNARY("abs", Abs, true)
    BASALT_UNARY("sign", Sign, true)
    BASALT_UNARY("bitNot", BitNot, false)
    BASALT_UNARY("bitCount", BitCount, false)
    BASALT_UNARY("byteSwap", ByteSwap, true)
    BASALT_OBJECT("bitTest", BitTest>("bitTest", false, 1))
    BASALT_OBJECT("bitTestAll", BitTest>("bitTestAll", false, 0))
    BASALT_OBJECT("bitTestAny", BitTest>("bitTestAny", true, 0))
    BASALT_OBJECT("factorial", IntegerTable>("factorial", factorial_of))
    BASALT_OBJECT("intExp2", IntegerTable>("intExp2", exp2_of))
    BASALT_OBJECT("intExp10", IntegerTable>("intExp10", exp10_of))
    BASALT_OBJECT("isNaN", FloatTest>("isNaN", [](double v) { return std::isnan(v); }))
    BASALT_OBJECT("isInfinite", FloatTest>("isInfinite", [](double v) { return std::isinf(v); }))
    BASALT_OBJECT("isFinite", FloatTest>("isFinite", [](double v) { return std::isfinite(v); }))
    BASALT_OBJECT("ifNotFinite", IfNotFinite>())
}

#undef BASALT_UNARY
#undef BASALT_OBJECT

} // namespace basalt
