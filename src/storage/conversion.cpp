#include "storage/conversion.h"

namespace basalt
{

namespace
{

TypePtr stored_form(const TypePtr& type)
{
    if (type->is(TypeId::LowCardinality))
        return stored_form(type_as<LowCardinalityType>(type).nested());
    if (type->is(TypeId::SimpleAggregateFunction))
        return stored_form(type_as<SimpleAggregateFunctionType>(type).nested());
    return type;
}

} // namespace

bool same_layout(const TypePtr& from, const TypePtr& to)
{
    const TypePtr a = stored_form(from), b = stored_form(to);
    if (same_type(a, b))
        return true;
    if (a->is(TypeId::DateTime) && b->is(TypeId::DateTime))
        return true;
    return a->is(TypeId::DateTime64) && b->is(TypeId::DateTime64) &&
           type_as<DateTime64Type>(a).scale() == type_as<DateTime64Type>(b).scale();
}

ExpressionPtr conversion_of(const std::string& input, const TypePtr& from, const TypePtr& to,
                            const ExpressionPtr& default_expression, const QueryContext& context)
{
    const auto cast = [&](ExpressionPtr value, const TypePtr& type)
    {
        return Expression::call(
            "CAST",
            {std::move(value), Expression::constant(simple_type(TypeId::String), type->name())},
            context);
    };
    ExpressionPtr value = Expression::input(input, from);
    if (is_nullable_or_lc_nullable(from) && !is_nullable_or_lc_nullable(to) &&
        default_expression && default_expression->is_constant() &&
        can_be_inside_nullable(remove_low_cardinality(to)))
        value = Expression::call(
            "ifNull", {cast(value, make_nullable(remove_low_cardinality(to))), default_expression},
            context);
    return cast(std::move(value), to);
}

} // namespace basalt
