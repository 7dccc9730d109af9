#pragma once

// Scalar functions: whole columns in, one column out. A function is one file in
// functions/scalar/ that registers itself (see scalar_registry.h); everything common to all of
// them - NULLs, constants, dictionaries, LowCardinality - is done once, in call_function().

#include "base/query_context.h"
#include "columns/block.h"

#include <memory>
#include <string>
#include <vector>

namespace basalt
{

// While resolving types `column` is set only for constants (a ConstantColumn of one row); while
// executing it is always set and has the block's row count.
struct Argument
{
    ColumnPtr column;
    TypePtr type;
};
using Arguments = std::vector<Argument>;

class ScalarFunction
{
public:
    virtual ~ScalarFunction() = default;

    virtual const std::string& name() const = 0;

    // The type of the result. Throws NUMBER_OF_ARGUMENTS_DOESNT_MATCH (42),
    // ILLEGAL_TYPE_OF_ARGUMENT (43) and so on. With default_nulls() and
    // default_low_cardinality() the types it sees have those wrappers removed, and the result gets
    // them back.
    virtual TypePtr return_type(const Arguments& arguments) const = 0;

    // arguments: flat or constant columns (see the traits below) of `rows` rows; rows may be 0.
    // The result: a flat or constant column of result_type with `rows` rows.
    virtual ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                              const QueryContext& context) const = 0;

    // Traits. --------------------------------------------------------------------------------

    // Any NULL argument makes the result NULL; execute() sees unwrapped values.
    virtual bool default_nulls() const { return true; }
    // With all arguments constant, execute() is run on one row and the result is constant.
    virtual bool default_constants() const { return true; }
    // Argument numbers that must be constant: execute() gets them as ConstantColumn even when all
    // are constant.
    virtual std::vector<size_t> constant_arguments() const { return {}; }
    // With one dictionary argument and the rest constant, execute() is run on the dictionary.
    virtual bool default_dictionary() const { return true; }
    // LowCardinality is removed from argument types and put back on the result as ClickHouse does.
    virtual bool default_low_cardinality() const { return true; }
    // Takes dictionary columns as they are in execute().
    virtual bool takes_dictionaries() const { return false; }

    virtual bool deterministic() const { return true; }          // same arguments, same answer
    virtual bool deterministic_in_query() const { return true; } // the same within one query
    // Whether a call with constant arguments may be computed while binding.
    virtual bool foldable() const { return deterministic_in_query(); }
    // The result when it follows from types and constants alone (toTypeName, ignore); else null.
    // One row, flat.
    virtual ColumnPtr constant_result(const Arguments& arguments, const TypePtr& result_type,
                                      const QueryContext& context) const
    {
        return nullptr;
    }
    // Worth skipping for rows that an enclosing if/and/or does not need: it may throw or is slow.
    virtual bool worth_short_circuit() const { return true; }
    // The same knowing which arguments are constant (their columns are set).
    virtual bool worth_short_circuit_for(const Arguments& arguments) const
    {
        return worth_short_circuit();
    }
    virtual bool injective(const Arguments& arguments) const { return false; }
    // For key pruning: monotone on [left, right] of its only non-constant argument.
    enum class Monotonicity : uint8_t
    {
        None,
        Increasing, // not necessarily strictly
        Decreasing,
    };
    virtual Monotonicity monotonicity(const Arguments& arguments, size_t argument,
                                      const Value& left, const Value& right) const
    {
        return Monotonicity::None;
    }

    // Higher-order functions: the lambda's argument types, given the types of the other
    // arguments (FunctionType with unknown types at lambda places). Called before return_type(),
    // which then sees a FunctionType with its result known. In execute() a lambda argument is a
    // LambdaColumn (expression.h).
    virtual bool takes_lambda() const { return false; }
    virtual std::vector<Types> lambda_argument_types(const Arguments& arguments) const
    {
        return {};
    }
};
using ScalarFunctionPtr = std::shared_ptr<const ScalarFunction>;

// Nullable(Nothing), the type of a bare NULL.
bool is_null_type(const TypePtr& type);

// The type of name(arguments) with the defaults for NULL and LowCardinality applied.
TypePtr resolve_type(const ScalarFunction& function, const Arguments& arguments);

// Runs a function with the defaults applied. Arguments in any column form.
ColumnPtr call_function(const ScalarFunction& function, const Arguments& arguments,
                        const TypePtr& result_type, size_t rows, const QueryContext& context);

} // namespace basalt
