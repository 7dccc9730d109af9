#pragma once

// Comparing columns row by row: what equals, less, IN on tuples, least and sorting functions use.

#include "functions/function.h"

namespace basalt
{

enum class ComparisonOp : uint8_t
{
    Equals,
    NotEquals,
    Less,
    Greater,
    LessOrEquals,
    GreaterOrEquals,
};

// UInt8 (0 or 1) per row for two columns without NULLs (flat or constant, of plain types). The
// types are what `equals` takes; constant strings are read as the other side's type. Arrays and
// tuples compare element by element, NULL inside them equal to NULL.
ColumnPtr compare_columns(ComparisonOp op, const Argument& a, const Argument& b, size_t rows,
                          const QueryContext& context);

// Whether the types may be compared (constants known).
bool comparable(const Argument& a, const Argument& b);

// Parts of compare_columns. ---------------------------------------------------------------------

// Plain numbers of any two types, compared exactly.
ColumnPtr compare_numbers(ComparisonOp op, const Argument& a, const Argument& b, size_t rows);
// String and FixedString; a FixedString ends before its trailing zero bytes.
ColumnPtr compare_texts(ComparisonOp op, const Column& a, const Column& b, size_t rows);
// Columns of one flat physical type by compare_at.
ColumnPtr compare_generic(ComparisonOp op, const ColumnPtr& a, const ColumnPtr& b, size_t rows);

inline bool comparison_holds(ComparisonOp op, int order)
{
    switch (op)
    {
        case ComparisonOp::Equals: return order == 0;
        case ComparisonOp::NotEquals: return order != 0;
        case ComparisonOp::Less: return order < 0;
        case ComparisonOp::Greater: return order > 0;
        case ComparisonOp::LessOrEquals: return order <= 0;
        case ComparisonOp::GreaterOrEquals: return order >= 0;
    }
    return false;
}

} // namespace basalt
