// plus, minus, multiply, divide, intDiv, modulo and their kind: choosing what to do by type.

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/elementwise.h"
#include "functions/physical_dispatch.h"
#include "functions/scalar/shift_texts.h"

#include <limits>
#include <optional>

namespace basalt
{

namespace
{

class Arithmetic final : public NamedFunction
{
public:
    // or_null: NULL where the divisor is zero.
    Arithmetic(std::string name, ArithmeticOp op, bool or_null = false)
        : NamedFunction(std::move(name)), op_(op), or_null_(or_null)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        const TypePtr type = plain_type(arguments[0].type, arguments[1].type);
        if (!type)
            throw_illegal_types(*this, arguments);
        return or_null_ ? make_nullable(type) : type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const Argument& a = arguments[0];
        Argument b = arguments[1];
        ColumnPtr zeros;
        if (or_null_)
            zeros = replace_zeros(a, b, rows);
        const TypePtr type = remove_nullable(result_type);
        ColumnPtr result;
        if (type->is_string())
            result = shift_texts(op_ == ArithmeticOp::BitShiftLeft, a, b, rows);
        else if (type->is(TypeId::Tuple) && !a.type->is(TypeId::Interval) &&
            !b.type->is(TypeId::Interval))
            result = execute_tuple(a, b, type, rows, context);
        else if (type->is(TypeId::Array))
            result = execute_array(a, b, type, rows, context);
        else if (a.type->is_decimal() || b.type->is_decimal())
            result = decimal_arithmetic(op_, a, b, type, rows, context);
        else if (is_number(a.type) && is_number(b.type))
            result = number_arithmetic(op_, number(a), number(b), type, rows);
        else
            result = date_arithmetic(op_, a, b, type, rows, context);
        return or_null_ ? NullableColumn::make(to_flat(result), zeros) : result;
    }

    bool worth_short_circuit() const override { return may_throw(); }
    bool worth_short_circuit_for(const Arguments& arguments) const override
    {
        if (!may_throw())
            return arguments[0].type->is_decimal() || arguments[1].type->is_decimal();
        const ColumnPtr& divisor = arguments[1].column;
        if (!divisor || divisor->is_null_at(0))
            return true;
        const Value value = divisor->value_at(0);
        const auto* unsigned_value = value.get_if<uint64_t>();
        return !(unsigned_value && *unsigned_value != 0);
    }

    Monotonicity monotonicity(const Arguments& arguments, size_t argument, const Value& left,
                              const Value& right) const override;

private:
    static bool is_number(const TypePtr& type)
    {
        return is_plain_number(*type) || type->is(TypeId::IPv4);
    }
    static Argument number(const Argument& argument)
    {
        if (argument.type->is(TypeId::IPv4))
            return {argument.column, simple_type(TypeId::UInt32)};
        return argument;
    }
    bool may_throw() const
    {
        switch (op_)
        {
            case ArithmeticOp::IntDiv:
            case ArithmeticOp::Modulo:
            case ArithmeticOp::ModuloLegacy:
            case ArithmeticOp::PositiveModulo:
            case ArithmeticOp::Gcd:
            case ArithmeticOp::Lcm:
                return true;
            default:
                return false;
        }
    }

    TypePtr plain_type(const TypePtr& a, const TypePtr& b) const
    {
        if (a->is_string() && b->is_integer() &&
            (op_ == ArithmeticOp::BitShiftLeft || op_ == ArithmeticOp::BitShiftRight))
            return a;
        if (is_number(a) && is_number(b))
            return number_result_type(op_, *number({nullptr, a}).type, *number({nullptr, b}).type);
        if ((a->is_decimal() && (is_plain_number(*b) || b->is_decimal())) ||
            (b->is_decimal() && is_plain_number(*a)))
            return decimal_result_type(op_, *a, *b);
        if (TypePtr type = date_result_type(op_, a, b))
            return type;
        return elementwise_type(a, b);
    }

    TypePtr nested_type(const TypePtr& a, const TypePtr& b) const
    {
        return resolve_type(*this, {{nullptr, a}, {nullptr, b}});
    }

    TypePtr elementwise_type(const TypePtr& a, const TypePtr& b) const
    {
        const bool additive = op_ == ArithmeticOp::Plus || op_ == ArithmeticOp::Minus;
        if (a->is(TypeId::Tuple) && b->is(TypeId::Tuple) && additive)
        {
            const auto& left = type_as<TupleType>(a).elements();
            const auto& right = type_as<TupleType>(b).elements();
            if (left.size() != right.size())
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            "Expected tuples of the same size as arguments of function " + name());
            Types types;
            for (size_t i = 0; i < left.size(); ++i)
                types.push_back(nested_type(left[i], right[i]));
            return std::make_shared<TupleType>(std::move(types));
        }
        const bool scaling = op_ == ArithmeticOp::Multiply || op_ == ArithmeticOp::Divide ||
                             op_ == ArithmeticOp::IntDiv || op_ == ArithmeticOp::IntDivOrZero ||
                             op_ == ArithmeticOp::Modulo;
        if (scaling && a->is(TypeId::Tuple) && b->is_number())
            return scaled_tuple(a, b, true);
        if (op_ == ArithmeticOp::Multiply && b->is(TypeId::Tuple) && a->is_number())
            return scaled_tuple(b, a, false);
        if (a->is(TypeId::Array) && b->is(TypeId::Array) && additive)
            return std::make_shared<ArrayType>(nested_type(type_as<ArrayType>(a).nested(),
                                                           type_as<ArrayType>(b).nested()));
        if (scaling && a->is(TypeId::Array) && b->is_number())
            return std::make_shared<ArrayType>(nested_type(type_as<ArrayType>(a).nested(), b));
        if (op_ == ArithmeticOp::Multiply && b->is(TypeId::Array) && a->is_number())
            return std::make_shared<ArrayType>(nested_type(a, type_as<ArrayType>(b).nested()));
        return nullptr;
    }

    TypePtr scaled_tuple(const TypePtr& tuple, const TypePtr& number, bool tuple_first) const
    {
        Types types;
        for (const auto& element : type_as<TupleType>(tuple).elements())
            types.push_back(tuple_first ? nested_type(element, number)
                                        : nested_type(number, element));
        return std::make_shared<TupleType>(std::move(types));
    }

    ColumnPtr execute_tuple(const Argument& a, const Argument& b, const TypePtr& type, size_t rows,
                            const QueryContext& context) const
    {
        const auto& results = type_as<TupleType>(type).elements();
        Columns columns;
        for (size_t i = 0; i < results.size(); ++i)
            columns.push_back(to_flat(call_function(
                *this, {tuple_element(a, i), tuple_element(b, i)}, results[i], rows, context)));
        return TupleColumn::make(std::move(columns), rows);
    }

    ColumnPtr execute_array(const Argument& a, const Argument& b, const TypePtr& type, size_t rows,
                            const QueryContext& context) const
    {
        const bool array_first = a.type->is(TypeId::Array);
        const Argument main = array_items(array_first ? a : b);
        const auto& array = column_as<ArrayColumn>(main.column);
        Argument items{array.items(), type_as<ArrayType>(main.type).nested()};
        Argument other = array_first ? b : a;
        if (other.type->is(TypeId::Array))
        {
            const Argument second = array_items(other);
            const auto& other_array = column_as<ArrayColumn>(second.column);
            for (size_t i = 0; i < rows; ++i)
                if (array.offsets()[i] != other_array.offsets()[i])
                    throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                                "Arrays of different sizes as arguments of function " + name());
            other = {other_array.items(), type_as<ArrayType>(second.type).nested()};
        }
        else
            other.column = other.column->replicate(array.offsets());
        const size_t count = items.column->size();
        const Arguments pair = array_first ? Arguments{items, other} : Arguments{other, items};
        const ColumnPtr values = call_function(*this, pair, type_as<ArrayType>(type).nested(),
                                               count, context);
        return ArrayColumn::make(to_flat(values), array.offsets_column());
    }

    static Argument array_items(const Argument& argument)
    {
        return {to_flat(argument.column), argument.type};
    }

    // Where the divisor is zero, or -1 under the least integer; it then becomes one.
    ColumnPtr replace_zeros(const Argument& dividend, Argument& divisor, size_t rows) const
    {
        auto mask = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        dispatch_vector(divisor.type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            const VectorView<T> view(*divisor.column);
                            auto replaced = std::make_shared<VectorColumn<T>>(rows);
                            for (size_t i = 0; i < rows; ++i)
                            {
                                mask->data()[i] = view[i] == T(0);
                                replaced->data()[i] = mask->data()[i] ? T(1) : view[i];
                            }
                            divisor.column = replaced;
                            if (op_ != ArithmeticOp::Divide && std::numeric_limits<T>::is_signed &&
                                std::numeric_limits<T>::is_integer)
                                mark_overflow(dividend, view, *replaced, *mask);
                        });
        return mask;
    }

    template <class T>
    static void mark_overflow(const Argument& dividend, const VectorView<T>& divisors,
                              VectorColumn<T>& replaced, VectorColumn<uint8_t>& mask)
    {
        if (!is_plain_number(*dividend.type))
            return;
        dispatch_vector(dividend.type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using U = typename Tag::type;
                            if constexpr (std::numeric_limits<U>::is_signed &&
                                          std::numeric_limits<U>::is_integer)
                            {
                                const VectorView<U> view(*dividend.column);
                                for (size_t i = 0; i < mask.size(); ++i)
                                    if (divisors[i] == T(-1) &&
                                        view[i] == std::numeric_limits<U>::min())
                                    {
                                        mask.data()[i] = 1;
                                        replaced.data()[i] = T(1);
                                    }
                            }
                        });
    }

    ArithmeticOp op_;
    bool or_null_;
};

bool is_negative(const Value& value)
{
    const auto* number = value.get_if<int64_t>();
    return number && *number < 0;
}

std::optional<double> as_double(const Value& value)
{
    if (const auto* number = value.get_if<uint64_t>())
        return static_cast<double>(*number);
    if (const auto* number = value.get_if<int64_t>())
        return static_cast<double>(*number);
    if (const auto* number = value.get_if<double>())
        return *number;
    return std::nullopt;
}

ScalarFunction::Monotonicity reversed(bool reverse)
{
    return reverse ? ScalarFunction::Monotonicity::Decreasing
                   : ScalarFunction::Monotonicity::Increasing;
}

ScalarFunction::Monotonicity Arithmetic::monotonicity(const Arguments& arguments, size_t argument,
                                                      const Value& left, const Value& right) const
{
    const size_t other = 1 - argument;
    const ColumnPtr& column = arguments[other].column;
    if (!column || !is_constant(*column) || column->is_null_at(0))
        return Monotonicity::None;
    const Value constant = column->value_at(0);
    if (op_ == ArithmeticOp::Plus || op_ == ArithmeticOp::Minus)
    {
        // Within the range of the result nothing wraps: checked on both ends.
        const auto low = as_double(left);
        const auto high = as_double(right);
        const auto moved = as_double(constant);
        if (!low || !high || !moved)
            return Monotonicity::None;
        const bool subtracts = op_ == ArithmeticOp::Minus;
        const bool reverse = subtracts && argument == 1;
        const auto at = [&](double x)
        {
            if (!subtracts)
                return x + *moved;
            return reverse ? *moved - x : x - *moved;
        };
        const TypePtr& type = arguments[argument].type;
        double lowest = -9.2e18;
        double highest = 9.2e18;
        if (type->is(TypeId::Date))
            lowest = 0, highest = 65535;
        else if (type->is(TypeId::DateTime))
            lowest = 0, highest = 4294967295.0;
        else if (!subtracts && !arguments[0].type->is_float() && !arguments[1].type->is_float() &&
                 type->is_unsigned() && number_kind(*arguments[other].type).is_signed == false)
            lowest = 0, highest = 1.8e19;
        const bool fits = at(*low) >= lowest && at(*low) <= highest && at(*high) >= lowest &&
                          at(*high) <= highest;
        return fits ? reversed(reverse) : Monotonicity::None;
    }
    if ((op_ == ArithmeticOp::IntDiv || op_ == ArithmeticOp::Divide) && argument == 0)
    {
        const auto divisor = as_double(constant);
        if (!divisor || *divisor == 0)
            return Monotonicity::None;
        // Mixed signs divide as signed numbers, where a large unsigned one turns negative.
        const TypePtr& type = arguments[0].type;
        const bool mixed = op_ == ArithmeticOp::IntDiv && type->is_unsigned() &&
                           is_plain_number(*arguments[1].type) &&
                           number_kind(*arguments[1].type).is_signed;
        if (mixed || !is_plain_number(*type))
            return Monotonicity::None;
        return reversed(is_negative(constant) || *divisor < 0);
    }
    return Monotonicity::None;
}

} // namespace

#define BASALT_ARITHMETIC(NAME, OP, OR_NULL, CASE_INSENSITIVE)                                     \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<Arithmetic>(NAME, ArithmeticOp::OP, OR_NULL); },                 \
        CASE_INSENSITIVE);

void register_arithmetic(ScalarRegistry& registry)
{
    BASALT_ARITHMETIC("plus", Plus, false, false)
    BASALT_ARITHMETIC("minus", Minus, false, false)
    BASALT_ARITHMETIC("multiply", Multiply, false, false)
    BASALT_ARITHMETIC("divide", Divide, false, false)
    BASALT_ARITHMETIC("divideOrNull", Divide, true, false)
    BASALT_ARITHMETIC("intDiv", IntDiv, false, false)
    BASALT_ARITHMETIC("intDivOrZero", IntDivOrZero, false, false)
    BASALT_ARITHMETIC("intDivOrNull", IntDiv, true, false)
    BASALT_ARITHMETIC("modulo", Modulo, false, false)
    BASALT_ARITHMETIC("moduloOrZero", ModuloOrZero, false, false)
    BASALT_ARITHMETIC("moduloOrNull", Modulo, true, false)
    BASALT_ARITHMETIC("positiveModuloOrNull", PositiveModulo, true, true)
    BASALT_ARITHMETIC("moduloLegacy", ModuloLegacy, false, false)
    BASALT_ARITHMETIC("positiveModulo", PositiveModulo, false, true)
    BASALT_ARITHMETIC("gcd", Gcd, false, false)
    BASALT_ARITHMETIC("lcm", Lcm, false, false)
    BASALT_ARITHMETIC("max2", Max2, false, true)
    BASALT_ARITHMETIC("min2", Min2, false, true)
    BASALT_ARITHMETIC("bitAnd", BitAnd, false, false)
    BASALT_ARITHMETIC("bitOr", BitOr, false, false)
    BASALT_ARITHMETIC("bitXor", BitXor, false, false)
    BASALT_ARITHMETIC("bitShiftLeft", BitShiftLeft, false, false)
    BASALT_ARITHMETIC("bitShiftRight", BitShiftRight, false, false)
    BASALT_ARITHMETIC("bitRotateLeft", BitRotateLeft, false, false)
    BASALT_ARITHMETIC("bitRotateRight", BitRotateRight, false, false)
    registry.add_alias("mod", "modulo", true);
    registry.add_alias("modOrNull", "moduloOrNull", true);
    registry.add_alias("positive_modulo", "positiveModulo", true);
    registry.add_alias("positive_modulo_or_null", "positiveModuloOrNull", true);
    registry.add_alias("pmod", "positiveModulo", true);
    registry.add_alias("pmodOrNull", "positiveModuloOrNull", true);
}

#undef BASALT_ARITHMETIC

} // namespace basalt
