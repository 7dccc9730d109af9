#pragma once

// The arithmetic of numbers, decimals and dates behind plus, minus and their kind; used by the
// functions in scalar/ and by others that add intervals.

#include "functions/named_function.h"

namespace basalt
{

enum class ArithmeticOp : uint8_t
{
    Plus,
    Minus,
    Multiply,
    Divide,
    IntDiv,
    IntDivOrZero,
    Modulo,
    ModuloOrZero,
    ModuloLegacy,
    PositiveModulo,
    Gcd,
    Lcm,
    Max2,
    Min2,
    BitAnd,
    BitOr,
    BitXor,
    BitShiftLeft,
    BitShiftRight,
    BitRotateLeft,
    BitRotateRight,
};

struct NumberKind
{
    bool is_signed = false;
    bool is_float = false;
    size_t bytes = 1;
};
// Of Bool, integers and floats.
NumberKind number_kind(const DataType& type);
TypePtr number_type(const NumberKind& kind);
bool is_plain_number(const DataType& type); // Bool, an integer or a float
bool is_wide_integer(const DataType& type); // more than 64 bits

// The type of `a op b` for plain numbers; null when there is none.
TypePtr number_result_type(ArithmeticOp op, const DataType& a, const DataType& b);
// a, b: flat or constant vectors of `rows` rows; not both constant unless rows is 1.
ColumnPtr number_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                            const TypePtr& result, size_t rows);

// Decimals: at least one of a and b is, the other is a decimal or a plain number. Null when the
// operation has no meaning for them. Throws ARGUMENT_OUT_OF_BOUND for impossible scales.
TypePtr decimal_result_type(ArithmeticOp op, const DataType& a, const DataType& b);
// Throws DECIMAL_OVERFLOW, ILLEGAL_DIVISION.
ColumnPtr decimal_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                             const TypePtr& result, size_t rows, const QueryContext& context);

// Dates, times and intervals with plus and minus. Null when the operation has no meaning.
TypePtr date_result_type(ArithmeticOp op, const TypePtr& a, const TypePtr& b);
ColumnPtr date_arithmetic(ArithmeticOp op, const Argument& a, const Argument& b,
                          const TypePtr& result, size_t rows, const QueryContext& context);

// "Division by zero" (ILLEGAL_DIVISION).
[[noreturn]] void throw_division_by_zero();

} // namespace basalt
