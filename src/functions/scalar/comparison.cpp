// equals, notEquals, less, greater, lessOrEquals, greaterOrEquals, isNotDistinctFrom,
// isDistinctFrom.

#include "functions/comparison.h"

#include "base/error.h"
#include "functions/cast.h"
#include "functions/condition_masks.h"
#include "functions/elementwise.h"
#include "functions/named_function.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

const Types& elements_of(const TypePtr& type)
{
    return type_as<TupleType>(type).elements();
}

ColumnPtr from_ternary(const TernaryMask& mask)
{
    const size_t rows = mask.size();
    auto values = std::make_shared<VectorColumn<uint8_t>>(rows);
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
    {
        values->data()[i] = mask[i] == 1;
        nulls->data()[i] = mask[i] == kTernaryNull;
    }
    return NullableColumn::make(values, nulls);
}

uint8_t ternary_and(uint8_t a, uint8_t b)
{
    if (a == 0 || b == 0)
        return 0;
    return a == kTernaryNull || b == kTernaryNull ? kTernaryNull : 1;
}

uint8_t ternary_or(uint8_t a, uint8_t b)
{
    if (a == 1 || b == 1)
        return 1;
    return a == kTernaryNull || b == kTernaryNull ? kTernaryNull : 0;
}

class Comparison final : public NamedFunction
{
public:
    Comparison(std::string name, ComparisonOp op) : NamedFunction(std::move(name)), op_(op) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        if (!comparable(arguments[0], arguments[1]))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal types of arguments (`{}`, `{}`) of function `{}`",
                                    arguments[0].type->name(), arguments[1].type->name(), name()));
        return both_tuples(arguments) && may_be_null(arguments[0].type, arguments[1].type)
                   ? make_nullable(simple_type(TypeId::UInt8))
                   : simple_type(TypeId::UInt8);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        if (both_tuples(arguments) && !elements_of(arguments[0].type).empty())
            return compare_tuples(arguments, result_type, rows, context);
        return compare_columns(op_, arguments[0], arguments[1], rows, context);
    }

    bool worth_short_circuit() const override { return false; }

private:
    static bool both_tuples(const Arguments& arguments)
    {
        return arguments[0].type->is(TypeId::Tuple) && arguments[1].type->is(TypeId::Tuple);
    }

    static bool may_be_null(const TypePtr& a, const TypePtr& b)
    {
        const auto& left = elements_of(a);
        const auto& right = elements_of(b);
        for (size_t i = 0; i < left.size(); ++i)
        {
            if (is_nullable_or_lc_nullable(left[i]) || is_nullable_or_lc_nullable(right[i]))
                return true;
            if (left[i]->is(TypeId::Tuple) && right[i]->is(TypeId::Tuple) &&
                may_be_null(left[i], right[i]))
                return true;
        }
        return false;
    }

    // One element pair under another operation.
    static TernaryMask element_mask(ComparisonOp op, const Arguments& arguments, size_t element,
                                    size_t rows, const QueryContext& context)
    {
        const Comparison function("equals", op);
        const Arguments pair{tuple_element(arguments[0], element),
                             tuple_element(arguments[1], element)};
        const TypePtr type = resolve_type(function, pair);
        TernaryMask mask;
        column_to_ternary(*call_function(function, pair, type, rows, context), mask);
        return mask;
    }

    ColumnPtr compare_tuples(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                             const QueryContext& context) const
    {
        const auto& left = elements_of(arguments[0].type);
        const auto& right = elements_of(arguments[1].type);
        const size_t count = left.size();
        for (size_t i = 0; i < count; ++i)
            if (is_null_type(left[i]) || is_null_type(right[i]))
                return make_constant(result_type, Null{}, rows);
        const bool equality = op_ == ComparisonOp::Equals || op_ == ComparisonOp::NotEquals;
        TernaryMask result = element_mask(op_, arguments, count - 1, rows, context);
        for (size_t i = count - 1; i-- > 0;)
        {
            if (equality)
            {
                const TernaryMask next = element_mask(op_, arguments, i, rows, context);
                for (size_t row = 0; row < rows; ++row)
                    result[row] = op_ == ComparisonOp::Equals ? ternary_and(next[row], result[row])
                                                              : ternary_or(next[row], result[row]);
                continue;
            }
            const bool below = op_ == ComparisonOp::Less || op_ == ComparisonOp::LessOrEquals;
            const TernaryMask strict =
                element_mask(below ? ComparisonOp::Less : ComparisonOp::Greater, arguments, i,
                             rows, context);
            const TernaryMask equal =
                element_mask(ComparisonOp::Equals, arguments, i, rows, context);
            for (size_t row = 0; row < rows; ++row)
                result[row] = ternary_or(strict[row], ternary_and(equal[row], result[row]));
        }
        if (result_type->is_nullable())
            return from_ternary(result);
        return std::make_shared<VectorColumn<uint8_t>>(std::move(result));
    }

    ComparisonOp op_;
};

// NULL is a value like another here.
class DistinctFrom final : public NamedFunction
{
public:
    DistinctFrom(std::string name, bool distinct)
        : NamedFunction(std::move(name)), distinct_(distinct)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 2);
        const Argument a{arguments[0].column, strip_wrappers(arguments[0].type)};
        const Argument b{arguments[1].column, strip_wrappers(arguments[1].type)};
        if (!comparable(a, b))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("Illegal types of arguments (`{}`, `{}`) of function `{}`",
                                    arguments[0].type->name(), arguments[1].type->name(), name()));
        return simple_type(TypeId::UInt8);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        auto result = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        auto& out = result->data();
        const TypePtr plain_a = strip_wrappers(arguments[0].type);
        const TypePtr plain_b = strip_wrappers(arguments[1].type);
        if (plain_a->is(TypeId::Tuple) && plain_b->is(TypeId::Tuple))
        {
            const TypePtr common = common_type({arguments[0].type, arguments[1].type});
            const ColumnPtr equal = compare_generic(
                ComparisonOp::Equals,
                cast_column(arguments[0].column, arguments[0].type, common, context),
                cast_column(arguments[1].column, arguments[1].type, common, context), rows);
            out = column_as<VectorColumn<uint8_t>>(equal).data();
        }
        else
        {
            const Comparison equals("equals", ComparisonOp::Equals);
            const TypePtr type = resolve_type(equals, arguments);
            TernaryMask mask;
            column_to_ternary(*call_function(equals, arguments, type, rows, context), mask);
            for (size_t i = 0; i < rows; ++i)
                out[i] = mask[i] == 1 ||
                         (mask[i] == kTernaryNull && arguments[0].column->is_null_at(i) &&
                          arguments[1].column->is_null_at(i));
        }
        if (distinct_)
            for (auto& value : out)
                value ^= 1;
        return result;
    }

    bool default_nulls() const override { return false; }
    bool worth_short_circuit() const override { return false; }

private:
    bool distinct_;
};

} // namespace

#define BASALT_COMPARISON(NAME, OP)                                                                \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<Comparison>(NAME, ComparisonOp::OP); });
#define BASALT_DISTINCT(NAME, DISTINCT)                                                            \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<DistinctFrom>(NAME, DISTINCT); });

void register_comparison(ScalarRegistry& registry)
{
    BASALT_COMPARISON("equals", Equals)
    BASALT_COMPARISON("notEquals", NotEquals)
    BASALT_COMPARISON("less", Less)
    BASALT_COMPARISON("greater", Greater)
    BASALT_COMPARISON("lessOrEquals", LessOrEquals)
    BASALT_COMPARISON("greaterOrEquals", GreaterOrEquals)
    BASALT_DISTINCT("isNotDistinctFrom", false)
    BASALT_DISTINCT("isDistinctFrom", true)
}

#undef BASALT_COMPARISON
#undef BASALT_DISTINCT

} // namespace basalt
