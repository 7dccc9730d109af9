// tuplePlus, tupleMultiply, tupleDivideByNumber and their kind: arithmetic element by element.

#include "base/error.h"
#include "functions/elementwise.h"
#include "functions/named_function.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

class TupleArithmetic final : public NamedFunction
{
public:
    // by_number: the second argument is one number for all elements.
    TupleArithmetic(std::string name, const char* function, size_t arguments, bool by_number,
                    const QueryContext& context)
        : NamedFunction(std::move(name)), function_(scalar_functions().get(function, context)),
          arguments_(arguments), by_number_(by_number)
    {
    }

    TypePtr return_type(const Arguments& arguments) const override
    {
        if (!several())
            check_argument_count(*this, arguments.size(), arguments_);
        else
            check_enough_arguments(*this, arguments.size(), arguments_);
        const size_t size = tuple_size(arguments[0]);
        for (size_t k = 1; k < arguments.size() && !by_number_; ++k)
            if (tuple_size(arguments[k]) != size)
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            fmt::format("Expected tuples of the same size as arguments of function "
                                        "{}, got {} and {}",
                                        name(), arguments[0].type->name(),
                                        arguments[k].type->name()));
        TypePtr type = arguments[0].type;
        for (size_t k = 1; k < std::max<size_t>(arguments.size(), 2); ++k)
        {
            Types types;
            for (size_t i = 0; i < size; ++i)
                types.push_back(resolve_type(*function_, parts({arguments[0].column, type},
                                                               arguments, k, i)));
            type = std::make_shared<TupleType>(std::move(types));
        }
        return type;
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        Argument result = arguments[0];
        for (size_t k = 1; k < std::max<size_t>(arguments.size(), 2); ++k)
        {
            Columns columns;
            Types types;
            const size_t size = type_as<TupleType>(result.type).elements().size();
            for (size_t i = 0; i < size; ++i)
            {
                const Arguments pair = parts(result, arguments, k, i);
                types.push_back(resolve_type(*function_, pair));
                columns.push_back(
                    to_flat(call_function(*function_, pair, types[i], rows, context)));
            }
            result = {TupleColumn::make(std::move(columns), rows),
                      std::make_shared<TupleType>(std::move(types))};
        }
        return result.column;
    }

private:
    // Folds any number of tuples from left to right.
    bool several() const { return arguments_ == 2 && !by_number_; }

    size_t tuple_size(const Argument& argument) const
    {
        if (!argument.type->is(TypeId::Tuple))
            throw_illegal_type(*this, argument.type);
        return type_as<TupleType>(argument.type).elements().size();
    }
    // Element of the tuple so far, beside that of argument k.
    Arguments parts(const Argument& left, const Arguments& arguments, size_t k,
                    size_t element) const
    {
        Arguments result{tuple_element(left, element)};
        if (arguments_ == 2)
            result.push_back(by_number_ ? arguments[k] : tuple_element(arguments[k], element));
        return result;
    }

    ScalarFunctionPtr function_;
    size_t arguments_;
    bool by_number_;
};

} // namespace

#define BASALT_TUPLE(NAME, FUNCTION, ARGUMENTS, BY_NUMBER)                                         \
    registry.add(NAME, [](const QueryContext& context) -> ScalarFunctionPtr                        \
                 {                                                                                 \
                     return std::make_shared<TupleArithmetic>(NAME, FUNCTION, ARGUMENTS,           \
                                                              BY_NUMBER, context);                 \
                 });

void register_tuple_arithmetic(ScalarRegistry& registry)
{
    BASALT_TUPLE("tuplePlus", "plus", 2, false)
    BASALT_TUPLE("tupleMinus", "minus", 2, false)
    BASALT_TUPLE("tupleMultiply", "multiply", 2, false)
    BASALT_TUPLE("tupleDivide", "divide", 2, false)
    BASALT_TUPLE("tupleModulo", "modulo", 2, false)
    BASALT_TUPLE("tupleIntDiv", "intDiv", 2, false)
    BASALT_TUPLE("tupleIntDivOrZero", "intDivOrZero", 2, false)
    BASALT_TUPLE("tupleMultiplyByNumber", "multiply", 2, true)
    BASALT_TUPLE("tupleDivideByNumber", "divide", 2, true)
    BASALT_TUPLE("tupleModuloByNumber", "modulo", 2, true)
    BASALT_TUPLE("tuplePositiveModuloByNumber", "positiveModulo", 2, true)
    BASALT_TUPLE("tupleIntDivByNumber", "intDiv", 2, true)
    BASALT_TUPLE("tupleIntDivOrZeroByNumber", "intDivOrZero", 2, true)
    BASALT_TUPLE("tupleNegate", "negate", 1, false)
    registry.add_alias("vectorSum", "tuplePlus", true);
    registry.add_alias("vectorDifference", "tupleMinus", true);
}

#undef BASALT_TUPLE

} // namespace basalt
