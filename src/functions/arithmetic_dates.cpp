#include "functions/arithmetic_loops.h"
#include "functions/date_arithmetic.h"

#include <algorithm>

namespace basalt
{

namespace
{

bool is_interval_tuple(const DataType& type)
{
    if (!type.is(TypeId::Tuple))
        return false;
    const auto& elements = static_cast<const TupleType&>(type).elements();
    return !elements.empty() && std::all_of(elements.begin(), elements.end(),
                                            [](const TypePtr& element)
                                            { return element->is(TypeId::Interval); });
}

bool is_date(const DataType& type)
{
    return type.is_date_or_time() || type.is(TypeId::Time) || type.is(TypeId::Time64);
}

const char* verb_of(ArithmeticOp op)
{
    return op == ArithmeticOp::Plus ? "add" : "subtract";
}

uint32_t tick_scale(const DataType& type)
{
    if (type.is(TypeId::DateTime64))
        return static_cast<const DateTime64Type&>(type).scale();
    if (type.is(TypeId::Time64))
        return static_cast<const Time64Type&>(type).scale();
    return 0;
}

TypePtr difference_type(const DataType& a, const DataType& b)
{
    const bool ticks_a = a.is(TypeId::DateTime64);
    const bool ticks_b = b.is(TypeId::DateTime64);
    if ((ticks_a && (ticks_b || b.is(TypeId::DateTime))) || (ticks_b && a.is(TypeId::DateTime)))
        return std::make_shared<DecimalType>(18, std::max(tick_scale(a), tick_scale(b)));
    if (a.id() == b.id() && (a.is(TypeId::Date) || a.is(TypeId::DateTime) || a.is(TypeId::Time)))
        return simple_type(TypeId::Int32);
    return nullptr;
}

// The interval side second.
struct Sides
{
    TypePtr date;
    TypePtr interval;
};

Sides sides_of(const TypePtr& a, const TypePtr& b)
{
    if (a->is(TypeId::Interval) || is_interval_tuple(*a))
        return {b, a};
    return {a, b};
}

ColumnPtr difference(const Argument& a, const Argument& b, const TypePtr& result, size_t rows)
{
    const uint32_t scale = result->is_decimal() ? type_as<DecimalType>(result).scale() : 0;
    const auto ticks = [&](const Argument& argument)
    {
        return convert_numbers(argument.column, argument.type->physical(), PhysicalType::Int64);
    };
    const ColumnPtr x = ticks(a);
    const ColumnPtr y = ticks(b);
    const VectorView<int64_t> left(*x);
    const VectorView<int64_t> right(*y);
    const int64_t widen_left = power_of_ten(scale - tick_scale(*a.type));
    const int64_t widen_right = power_of_ten(scale - tick_scale(*b.type));
    auto out = std::make_shared<VectorColumn<int64_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
        out->data()[i] = static_cast<int64_t>(static_cast<uint64_t>(left[i]) * widen_left -
                                              static_cast<uint64_t>(right[i]) * widen_right);
    return convert_numbers(out, PhysicalType::Int64, result->physical());
}

ColumnPtr move_by_number(ArithmeticOp op, const Argument& date, const Argument& number,
                         const TypePtr& result, size_t rows)
{
    const PhysicalType physical = date.type->physical();
    ColumnPtr steps = convert_numbers(number.column, number.type->physical(), PhysicalType::Int64);
    if (const uint32_t scale = tick_scale(*date.type))
        steps = number_arithmetic(
            ArithmeticOp::Multiply, {steps, simple_type(TypeId::Int64)},
            {make_constant(simple_type(TypeId::Int64), Value(int64_t{power_of_ten(scale)}), rows),
             simple_type(TypeId::Int64)},
            simple_type(TypeId::Int64), rows);
    const ColumnPtr same = convert_numbers(steps, PhysicalType::Int64, physical);
    return wrapping_arithmetic(op, *date.column, *same, physical, rows);
}

ColumnPtr element_of(const ColumnPtr& tuple, size_t element)
{
    if (is_constant(*tuple))
        return std::make_shared<ConstantColumn>(
            column_as<TupleColumn>(column_as<ConstantColumn>(tuple).nested()).element(element),
            tuple->size());
    return column_as<TupleColumn>(tuple).element(element);
}

} // namespace

TypePtr date_result_type(ArithmeticOp op, const TypePtr& a, const TypePtr& b)
{
    if (op != ArithmeticOp::Plus && op != ArithmeticOp::Minus)
        return nullptr;
    if (a->is(TypeId::Interval) && b->is(TypeId::Interval))
    {
        if (same_type(a, b))
            return a;
        return std::make_shared<TupleType>(Types{a, b});
    }
    if (is_interval_tuple(*a) && b->is(TypeId::Interval))
    {
        Types elements = type_as<TupleType>(a).elements();
        if (same_type(elements.back(), b))
            return a;
        elements.push_back(b);
        return std::make_shared<TupleType>(std::move(elements));
    }
    const Sides sides = sides_of(a, b);
    const bool date_first = sides.date == a;
    if (sides.interval->is(TypeId::Interval) || is_interval_tuple(*sides.interval))
    {
        if (!is_date(*sides.date) && !sides.date->is_string())
            return nullptr;
        if (!date_first && op == ArithmeticOp::Minus)
            return nullptr;
        if (sides.interval->is(TypeId::Interval))
            return add_interval_type(sides.date, type_as<IntervalType>(sides.interval).kind(),
                                     verb_of(op));
        TypePtr type = sides.date;
        for (const auto& element : type_as<TupleType>(sides.interval).elements())
            type = add_interval_type(type, type_as<IntervalType>(element).kind(), verb_of(op));
        return type;
    }
    if (op == ArithmeticOp::Minus && is_date(*a) && is_date(*b))
        return difference_type(*a, *b);
    if (is_date(*a) && is_plain_number(*b))
        return a;
    if (is_date(*b) && is_plain_number(*a) && op == ArithmeticOp::Plus)
        return b;
    return nullptr;
}

ColumnPtr date_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                          const TypePtr& result, size_t rows, const QueryContext& context)
{
    if (a.type->is(TypeId::Interval) && b.type->is(TypeId::Interval))
    {
        if (result->is(TypeId::Interval))
            return wrapping_arithmetic(op, *a.column, *b.column, PhysicalType::Int64, rows);
        ColumnPtr second = b.column;
        if (op == ArithmeticOp::Minus)
            second = wrapping_arithmetic(op, *make_constant(b.type, Value(int64_t{0}), rows),
                                         *second, PhysicalType::Int64, rows);
        return TupleColumn::make({to_flat(a.column), to_flat(second)}, rows);
    }
    if (is_interval_tuple(*a.type) && b.type->is(TypeId::Interval))
    {
        const size_t given = type_as<TupleType>(a.type).elements().size();
        Columns elements;
        for (size_t i = 0; i < given; ++i)
            elements.push_back(to_flat(element_of(a.column, i)));
        const bool merged = type_as<TupleType>(result).elements().size() == given;
        const ColumnPtr base =
            merged ? elements.back() : make_constant(b.type, Value(int64_t{0}), rows);
        const ColumnPtr last =
            wrapping_arithmetic(op, *base, *b.column, PhysicalType::Int64, rows);
        if (merged)
            elements.pop_back();
        elements.push_back(last);
        return TupleColumn::make(std::move(elements), rows);
    }
    const bool date_first = sides_of(a.type, b.type).date == a.type;
    const Argument& date = date_first ? a : b;
    const Argument& other = date_first ? b : a;
    const int sign = op == ArithmeticOp::Plus ? 1 : -1;
    if (other.type->is(TypeId::Interval))
        return add_interval(date, other.column, type_as<IntervalType>(other.type).kind(), sign,
                            result, rows, context);
    if (is_interval_tuple(*other.type))
    {
        Argument moved = date;
        const auto& elements = type_as<TupleType>(other.type).elements();
        for (size_t i = 0; i < elements.size(); ++i)
        {
            const IntervalKind kind = type_as<IntervalType>(elements[i]).kind();
            const TypePtr type = add_interval_type(moved.type, kind, verb_of(op));
            moved.column = add_interval(moved, element_of(other.column, i), kind, sign, type, rows,
                                        context);
            moved.type = type;
        }
        return moved.column;
    }
    if (is_date(*a.type) && is_date(*b.type))
        return difference(a, b, result, rows);
    return is_date(*a.type) ? move_by_number(op, a, b, result, rows)
                            : move_by_number(op, b, a, result, rows);
}

} // namespace basalt
