#pragma once

// Parts of ExpressionProgram that its compiler and its runner share.

#include "functions/dictionary_results.h"
#include "functions/expression.h"

#include <atomic>

namespace basalt
{

// How a call decides which rows of which argument it needs.
enum class Branching : uint8_t
{
    None,
    Choose, // if, multiIf: conditions and values
    And,
    Or,
};

struct ExpressionProgram::Step
{
    ExpressionPtr expression;
    std::vector<uint32_t> arguments; // of a call; of a lambda: the columns its body captures
    Branching branching = Branching::None;
    bool worth_skipping = false; // it or something below it may throw or is slow
    bool always = false;         // needed for every row of the block
    uint32_t uses = 0;
    std::shared_ptr<DictionaryResults> dictionary_results;
    // Set once a value of this choice was refused for a row that has not chosen it: from then on
    // values are computed for their own rows only.
    std::shared_ptr<std::atomic<bool>> is_strict;
    ColumnPtr domain; // of x % n: 0 … n - 1, when that is few values; else null
    std::shared_ptr<const ExpressionProgram> lambda_program;
};

} // namespace basalt
