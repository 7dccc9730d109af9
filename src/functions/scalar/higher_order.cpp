#include "functions/scalar/higher_order.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

bool is_lambda(const TypePtr& type)
{
    return type->is(TypeId::Function);
}

} // namespace

size_t HigherFunction::first_array(const Arguments& arguments) const
{
    const bool has_lambda = !arguments.empty() && is_lambda(arguments[0].type);
    const size_t first = (has_lambda ? 1 : 0) + spec_.fixed_arguments;
    if (arguments.size() <= first)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("Function {} needs at least {} arguments, passed {}", name_,
                                first + 1, arguments.size()));
    return first;
}

std::vector<Types> HigherFunction::lambda_argument_types(const Arguments& arguments) const
{
    const size_t first = first_array(arguments);
    Types types;
    for (size_t i = first; i < arguments.size(); ++i)
    {
        const TypePtr type = remove_low_cardinality(arguments[i].type);
        if (type->is(TypeId::Array))
            types.push_back(item_type(type));
        else
            throw_illegal_type(name_, arguments, i, "Array");
    }
    const auto& lambda = type_as<FunctionType>(arguments[0].type);
    if (lambda.arguments().size() != types.size())
    {
        // One parameter over an array of tuples takes them apart.
        if (types.size() == 1 && types[0]->is(TypeId::Tuple) &&
            type_as<TupleType>(types[0]).elements().size() == lambda.arguments().size())
            return {type_as<TupleType>(types[0]).elements()};
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    fmt::format("The lambda of function {} takes {} arguments, but {} arrays are "
                                "passed",
                                name_, lambda.arguments().size(), types.size()));
    }
    return {types};
}

TypePtr HigherFunction::return_type(const Arguments& arguments) const
{
    const size_t first = first_array(arguments);
    const bool has_lambda = is_lambda(arguments[0].type);
    if (spec_.needs_lambda && !has_lambda)
        throw Error(arguments.size() == 1 ? error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH
                                          : error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Function {} needs a lambda as its first argument", name_));
    if (!has_lambda && arguments.size() > first + 1)
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Function {} of several arrays needs a lambda as its first "
                                "argument",
                                name_));
    for (size_t i = first - spec_.fixed_arguments; i < first; ++i)
        if (!strip_wrappers(arguments[i].type)->is_integer())
            throw_illegal_type(name_, arguments, i, "integer");
    for (size_t i = first; i < arguments.size(); ++i)
        if (!arguments[i].type->is(TypeId::Array))
            throw_illegal_type(name_, arguments, i, "Array");
    HigherTypes types{name_, nullptr, item_type(arguments[first].type), has_lambda};
    types.mapped = has_lambda ? type_as<FunctionType>(arguments[0].type).result() : types.first;
    if (spec_.condition)
    {
        const TypePtr plain = strip_wrappers(types.mapped);
        if (!plain->is(TypeId::UInt8) && !plain->is(TypeId::Bool) && !plain->is(TypeId::Nothing))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        fmt::format("The expression for function {} must give UInt8 or "
                                    "Nullable(UInt8), found {}",
                                    name_, types.mapped->name()));
    }
    return spec_.type(types);
}

ColumnPtr HigherFunction::execute(const Arguments& arguments, const TypePtr& result_type,
                                  size_t rows, const QueryContext& context) const
{
    const size_t first = first_array(arguments);
    Columns owners;
    std::vector<ArrayRows> arrays;
    for (size_t i = first; i < arguments.size(); ++i)
    {
        owners.push_back(to_flat(arguments[i].column));
        arrays.emplace_back(owners.back());
    }
    check_equal_lengths(name_, arrays, rows);
    HigherCall call{name_,   arguments, result_type, rows,  context, nullptr, nullptr,
                    nullptr, nullptr,   nullptr,     false, 0};
    call.first = arrays[0].items();
    call.first_type = item_type(arguments[first].type);
    call.offsets_column = arrays[0].array().offsets_column();
    call.has_lambda = is_lambda(arguments[0].type);
    call.fixed_at = first - spec_.fixed_arguments;
    call.mapped = call.first;
    call.mapped_type = call.first_type;
    if (call.has_lambda)
    {
        const auto& lambda = column_as<LambdaColumn>(arguments[0].column);
        Columns items;
        for (const ArrayRows& array : arrays)
            items.push_back(array.items());
        if (items.size() == 1 && lambda.parameter_count() > 1)
        {
            const ColumnPtr tuples = items[0];
            items = column_as<TupleColumn>(tuples).elements();
        }
        call.mapped = to_flat(lambda.apply(items, call.offsets()));
        call.mapped_type = lambda.result_type();
    }
    return spec_.run(call);
}

Mask condition_mask(const ColumnPtr& values, const TypePtr& type)
{
    Mask mask;
    column_to_mask(values, type, mask);
    return mask;
}

} // namespace basalt
