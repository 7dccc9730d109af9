#include "storage/mergetree/filter_steps.h"

#include "base/error.h"
#include "columns/forms.h"

#include <algorithm>

namespace basalt
{

FilterSteps::FilterSteps(const ExpressionPtr& prewhere, const ExpressionPtr& filter,
                         const std::function<uint64_t(const std::string&)>& bytes_of,
                         ColumnSlots& slots, const QueryContext& context)
{
    struct Candidate
    {
        ExpressionPtr condition;
        std::vector<std::string> inputs;
    };
    std::vector<std::string> read;
    const bool on_pages = context.settings.get_bool("basalt_predicates_on_encoded_pages");
    const auto take = [&](const Candidate& candidate)
    {
        FilterStep step;
        step.condition = candidate.condition;
        step.program = std::make_unique<ExpressionProgram>(Expressions{candidate.condition},
                                                           context);
        for (size_t i = 0; i < candidate.inputs.size(); ++i)
        {
            const int at = slots.find(candidate.inputs[i]);
            BASALT_ASSERT(at >= 0);
            step.slots.push_back(static_cast<size_t>(at));
            read.push_back(candidate.inputs[i]);
        }
        if (on_pages)
            step.predicate = page_predicate_of(candidate.condition);
        steps_.push_back(std::move(step));
    };
    if (prewhere)
        for (const auto& conjunct : split_conjuncts(prewhere))
            take({conjunct, inputs_of({conjunct})});
    if (!filter)
        return;
    std::vector<Candidate> left;
    for (const auto& conjunct : split_conjuncts(filter))
        left.push_back({conjunct, inputs_of({conjunct})});
    while (!left.empty())
    {
        // The conjunct that needs the fewest bytes that were not read for an earlier one.
        const auto cost = [&](const Candidate& candidate)
        {
            uint64_t bytes = 0;
            for (const auto& input : candidate.inputs)
                if (std::find(read.begin(), read.end(), input) == read.end())
                    bytes += bytes_of(input);
            return bytes;
        };
        const auto best = std::min_element(left.begin(), left.end(), [&](const auto& a, const auto& b)
                                           { return cost(a) < cost(b); });
        take(*best);
        left.erase(best);
    }
}

const ColumnPtr& ChunkRows::column(size_t slot)
{
    if (!columns_[slot])
        columns_[slot] = reader_.read(slot, rows_);
    return columns_[slot];
}

ColumnPtr ChunkRows::column_prefix(size_t slot, size_t bytes)
{
    return columns_[slot] || bytes == 0 ? column(slot) : reader_.read_prefix(slot, rows_, bytes);
}

bool ChunkRows::decide(size_t slot, const PagePredicate& predicate, Mask& mask)
{
    return !columns_[slot] && reader_.evaluate(slot, predicate, rows_, mask);
}

std::optional<size_t> ChunkRows::count_matching(size_t slot, const PagePredicate& predicate)
{
    if (columns_[slot])
        return std::nullopt;
    return reader_.count_matching(slot, predicate, rows_);
}

namespace
{

// When fewer than one row in so many is dropped, the others are not listed.
constexpr size_t kLeastDropped = 16;

// row(i) of the rows whose mask is not zero.
template <class Row> RowIndexes kept_rows(const Mask& mask, size_t kept, Row&& row)
{
    RowIndexes left;
    left.resize(kept + 1); // one more, that rows which are dropped last may be written to
    uint32_t* out = left.data();
    size_t at = 0;
    const size_t rows = mask.size();
    if (kept > rows / 8)
    {
        for (size_t i = 0; i < rows; ++i)
        {
            out[at] = row(i);
            at += mask[i] != 0;
        }
    }
    else
        for (size_t base = 0; base < rows; base += 64)
            for (uint64_t bits = mask_bits_from(mask, base); bits; bits &= bits - 1)
                out[at++] = row(base + static_cast<size_t>(__builtin_ctzll(bits)));
    left.resize(kept);
    return left;
}

} // namespace

void ChunkRows::keep(const Mask& mask, size_t kept)
{
    if (kept == rows_.size())
        return;
    if (!rows_.dense.empty())
        rows_ = rows_.listed();
    if (rows_.all && kept > rows_.count - rows_.count / kLeastDropped)
    {
        rows_.dense = mask;
        rows_.dense_count = kept;
    }
    else if (rows_.all)
    {
        const auto begin = static_cast<uint32_t>(rows_.begin);
        rows_.rows = kept_rows(mask, kept, [begin](size_t i)
                               { return begin + static_cast<uint32_t>(i); });
    }
    else
        rows_.rows = kept_rows(mask, kept, [&](size_t i) { return rows_.rows[i]; });
    rows_.all = false;
    for (auto& column : columns_)
        if (column)
            column = column->filter(mask, kept);
}

const StepMemory::Known& StepMemory::answers_for(size_t step, const ColumnPtr& dictionary)
{
    auto& known = known_[step];
    for (const auto& one : known)
        if (one.dictionary == dictionary)
            return one;
    const auto& what = steps_.steps()[step];
    Block block;
    const auto& slot = slots_[what.slots[0]];
    block.add({dictionary, slot.type, slot.name});
    Known made;
    made.dictionary = dictionary;
    try
    {
        column_to_mask(what.program->run(block, context_)[0], what.condition->type(),
                       made.answers);
    }
    catch (const Error&)
    {
        // An entry that no row uses may be what the condition refuses.
        made.complete = false;
    }
    // Answers may be any numbers; rows take 0 and 1.
    for (uint8_t& answer : made.answers)
        answer = answer != 0;
    if (known.size() == kKeptDictionaries)
        known.erase(known.begin());
    known.push_back(std::move(made));
    Known& kept = known.back();
    kept.by_code.emplace(std::span<const uint8_t>(kept.answers.data(), kept.answers.size()));
    return kept;
}

std::optional<size_t> StepMemory::count(size_t step, ChunkRows& chunk)
{
    const auto& what = steps_.steps()[step];
    return what.predicate ? chunk.count_matching(what.slots[0], *what.predicate) : std::nullopt;
}

void StepMemory::apply(size_t step, ChunkRows& chunk)
{
    const auto& what = steps_.steps()[step];
    Mask mask;
    size_t kept = 0;
    const size_t rows = chunk.size();
    if (what.predicate && chunk.decide(what.slots[0], *what.predicate, mask))
    {
        chunk.keep(mask, count_kept(mask));
        return;
    }
    if (what.slots.size() == 1 && what.condition->deterministic())
    {
        const ColumnPtr column = chunk.column(what.slots[0]);
        if (column->form() == ColumnForm::Dictionary)
        {
            const auto& dictionary = column_as<DictionaryColumn>(column);
            if (dictionary.dictionary()->size() <= 2 * rows + 1024)
            {
                const Known& known = answers_for(step, dictionary.dictionary());
                if (known.complete)
                {
                    mask.resize(rows);
                    known.by_code->apply(dictionary.codes().data(), rows, mask.data());
                    chunk.keep(mask, count_kept(mask));
                    return;
                }
            }
        }
    }
    Block block;
    for (const size_t slot : what.slots)
        block.add({chunk.column(slot), slots_[slot].type, slots_[slot].name});
    block.set_rows(rows);
    kept = column_to_mask(what.program->run(block, context_)[0], what.condition->type(), mask);
    chunk.keep(mask, kept);
}

} // namespace basalt
