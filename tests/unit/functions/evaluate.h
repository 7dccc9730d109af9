#pragma once

// Test helper: a small reader of expressions like "plus(1, toUInt64('5'))" that builds bound
// expressions over literals, runs them and gives the answer as text.

#include "functions/expression.h"

#include <string>
#include <vector>

namespace basalt::test
{

// Literals: 1, -2, 1.5, 'text', NULL, true, [1, 2] and (1, 2) (by array() and tuple()), calls
// name(…), and inputs a, b, … of `block`. Lambdas are not read.
ExpressionPtr parse_expression(std::string_view text, const QueryContext& context,
                               const Block* block = nullptr);

// The value as toString() writes it, or "Code: N" when an Error is thrown.
std::string evaluate(std::string_view text);
std::string type_of(std::string_view text);

// Lines of "expression => answer".
void expect_answers(std::string_view lines);

} // namespace basalt::test
