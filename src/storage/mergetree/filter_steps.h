#pragma once

// A scan's condition as steps: conjuncts in the order in which they are decided, cheap columns
// first. Dictionary columns are decided once for each value.

#include "encodings/code_answers.h"
#include "storage/mergetree/row_source.h"

#include <map>
#include <optional>

namespace basalt
{

// The most conjuncts that pruning tells apart; further ones are decided row by row only.
inline constexpr size_t kMaxCertainSteps = 64;

struct FilterStep
{
    ExpressionPtr condition;
    std::unique_ptr<ExpressionProgram> program;
    std::vector<size_t> slots; // its inputs
    // The same condition for encoded pages, when it compares one column with constants.
    std::optional<PagePredicate> predicate;
};

// column <op> constant, LIKE, startsWith and endsWith, where the constant is exactly of the column's
// type; nothing for other conditions.
std::optional<PagePredicate> page_predicate_of(const ExpressionPtr& condition);

class FilterSteps
{
public:
    // bytes_of(column name): what reading it costs. Explicit PREWHERE comes first as it is.
    FilterSteps(const ExpressionPtr& prewhere, const ExpressionPtr& filter,
                const std::function<uint64_t(const std::string&)>& bytes_of, ColumnSlots& slots,
                const QueryContext& context);

    const std::vector<FilterStep>& steps() const { return steps_; }
    size_t size() const { return steps_.size(); }

private:
    std::vector<FilterStep> steps_;
};

// Rows of a chunk while they are being decided: which are left, and the columns read so far.
class ChunkRows
{
public:
    ChunkRows(RowReader& reader, size_t slot_count, PageRows rows)
        : reader_(reader), columns_(slot_count), rows_(std::move(rows))
    {
    }

    const ColumnPtr& column(size_t slot);
    // At least the first `bytes` of each text; 0: all.
    ColumnPtr column_prefix(size_t slot, size_t bytes);
    // Asks the encoded page; false when it cannot tell, or the column's values are at hand anyway.
    bool decide(size_t slot, const PagePredicate& predicate, Mask& mask);
    // The same, only how many; nothing when it cannot tell so.
    std::optional<size_t> count_matching(size_t slot, const PagePredicate& predicate);
    const PageRows& rows() const { return rows_; }
    size_t size() const { return rows_.size(); }
    // Keeps the rows whose mask is not zero.
    void keep(const Mask& mask, size_t kept);

private:
    RowReader& reader_;
    Columns columns_; // by slot, null: not read
    PageRows rows_;
};

// Answers for dictionaries, kept by their address. One for each stream.
class StepMemory
{
public:
    explicit StepMemory(const FilterSteps& steps, const Header& slots, const QueryContext& context)
        : steps_(steps), slots_(slots), context_(context), known_(steps.size())
    {
    }
    // Decides step i for the chunk's rows and drops those that fail.
    void apply(size_t step, ChunkRows& chunk);
    // How many of the chunk's rows step i keeps, where that is known without a mask.
    std::optional<size_t> count(size_t step, ChunkRows& chunk);

private:
    struct Known
    {
        ColumnPtr dictionary; // kept alive, so that its address stays its own
        Mask answers;
        bool complete = true; // every entry has one
        std::optional<CodeAnswers> by_code; // over `answers`
    };
    // by_code follows `answers` to where they move.
    static_assert(std::is_nothrow_move_constructible_v<Known>);
    static constexpr size_t kKeptDictionaries = 16;

    const Known& answers_for(size_t step, const ColumnPtr& dictionary);

    const FilterSteps& steps_;
    const Header& slots_;
    const QueryContext& context_;
    std::vector<std::vector<Known>> known_; // by step
};

} // namespace basalt
