#pragma once

// Expressions from short text for tests: literals, calls, arrays, tuples, lambdas and `::Type`.
// No operators. Literals become constants, or columns of kTextRows equal rows, so that every
// function is tried on both forms.

#include "functions/expression.h"

namespace basalt
{

inline constexpr size_t kTextRows = 3;

enum class LiteralForm
{
    Constant,
    Column,
};

struct TextResult
{
    std::string type;
    std::vector<std::string> rows; // as TabSeparated writes them
};

// Parses, binds and runs. Throws what the functions throw.
TextResult run_expression_text(std::string_view text, LiteralForm form,
                               const QueryContext& context);

} // namespace basalt
