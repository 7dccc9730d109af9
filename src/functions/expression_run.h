#pragma once

// One run of an ExpressionProgram over one block. Steps are pulled by their users for the rows
// that those need (a selection) and remembered, so no step is computed twice for a row that is
// needed twice.

#include "functions/choose_rows.h"
#include "functions/condition_masks.h"
#include "functions/expression_step.h"

#include <deque>

namespace basalt
{

// Some rows of the block, in order. The block itself is the selection without a parent.
struct Selection
{
    const Selection* parent = nullptr;
    size_t size = 0;
    RowIndexes rows;      // in the block; not filled for the whole block
    RowIndexes positions; // in the parent

    bool whole() const { return parent == nullptr; }
    uint32_t row(size_t i) const { return whole() ? static_cast<uint32_t>(i) : rows[i]; }
};

class ExpressionProgram::Run
{
public:
    Run(const ExpressionProgram& program, const Block& block, const QueryContext& context);

    ColumnPtr whole(uint32_t step) { return get(step, whole_); }

private:
    struct Known
    {
        const Selection* selection;
        ColumnPtr column;
    };
    struct Memo
    {
        std::vector<Known> known;
    };

    ColumnPtr get(uint32_t step, const Selection& selection);
    ColumnPtr from_ancestor(const Known& known, const Selection& selection) const;
    ColumnPtr from_pieces(uint32_t step, const Selection& selection);
    ColumnPtr compute(const Step& step, const Selection& selection);
    ColumnPtr compute_choice(const Step& step, const Selection& selection);
    // The value of a branch of a choice for all rows of the selection; null when it is refused.
    ColumnPtr try_whole(const Step& step, uint32_t value, const Selection& selection);
    ColumnPtr compute_logic(const Step& step, const Selection& selection);
    ColumnPtr compute_lambda(const Step& step, const Selection& selection);

    // The rows at `positions` of `parent`; parent itself when it is all of them.
    const Selection& narrow(const Selection& parent, RowIndexes positions);
    TernaryMask condition(uint32_t step, const Selection& selection);

    const ExpressionProgram& program_;
    const Block& block_;
    const QueryContext& context_;
    Selection whole_;
    std::deque<Selection> selections_;
    std::vector<Memo> memos_;
};

} // namespace basalt
