#include "functions/expression_run.h"

#include "base/error.h"
#include "functions/cast.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace basalt
{

namespace
{

// Values below the domain's size as a dictionary, where that pays.
ColumnPtr as_codes(ColumnPtr values, const ColumnPtr& domain)
{
    if (values->form() != ColumnForm::Vector || values->size() < 4 * domain->size())
        return values;
    const auto& data = column_as<VectorColumn<uint8_t>>(*values).data();
    PodVector<uint32_t> codes(data.size());
    for (size_t i = 0; i < codes.size(); ++i)
        codes[i] = data[i];
    return std::make_shared<DictionaryColumn>(domain, std::move(codes));
}

bool is_ancestor(const Selection* ancestor, const Selection& selection)
{
    for (const Selection* at = selection.parent; at; at = at->parent)
        if (at == ancestor)
            return true;
    return false;
}

} // namespace

ExpressionProgram::Run::Run(const ExpressionProgram& program, const Block& block,
                            const QueryContext& context)
    : program_(program), block_(block), context_(context)
{
    whole_.size = block.rows();
    memos_.resize(program.steps_.size());
}

const Selection& ExpressionProgram::Run::narrow(const Selection& parent, RowIndexes positions)
{
    if (positions.size() == parent.size)
        return parent;
    Selection& made = selections_.emplace_back();
    made.parent = &parent;
    made.size = positions.size();
    if (parent.whole())
        made.rows = positions;
    else
    {
        made.rows.resize(positions.size());
        for (size_t i = 0; i < positions.size(); ++i)
            made.rows[i] = parent.rows[positions[i]];
    }
    made.positions = std::move(positions);
    return made;
}

ColumnPtr ExpressionProgram::Run::from_ancestor(const Known& known,
                                                const Selection& selection) const
{
    if (known.selection->whole())
        return known.column->take(selection.rows);
    if (selection.parent == known.selection)
        return known.column->take(selection.positions);
    RowIndexes positions = selection.positions;
    for (const Selection* at = selection.parent; at != known.selection; at = at->parent)
        for (auto& position : positions)
            position = at->positions[position];
    return known.column->take(positions);
}

ColumnPtr ExpressionProgram::Run::get(uint32_t number, const Selection& selection)
{
    const Step& step = program_.steps_[number];
    if (step.expression->is_constant())
    {
        const auto& one = column_as<ConstantColumn>(step.expression->constant_column());
        return one.with_rows(selection.size);
    }
    Memo& memo = memos_[number];
    const Known* ancestor = nullptr;
    for (const auto& known : memo.known)
    {
        if (known.selection == &selection)
            return known.column;
        if (is_ancestor(known.selection, selection))
            ancestor = &known;
    }
    ColumnPtr column;
    if (ancestor)
        column = from_ancestor(*ancestor, selection);
    else if (!selection.whole() &&
             (step.always || step.expression->kind() == ExpressionKind::Input))
        column = from_ancestor({&whole_, get(number, whole_)}, selection);
    else if (!memo.known.empty())
        column = from_pieces(number, selection);
    else
        column = compute(step, selection);
    memos_[number].known.push_back({&selection, column});
    return column;
}

// The step is known for some other selections: takes from them what they have and computes the
// rest.
ColumnPtr ExpressionProgram::Run::from_pieces(uint32_t number, const Selection& selection)
{
    const Step& step = program_.steps_[number];
    constexpr uint32_t kUnknown = ~uint32_t{0};
    PodVector<uint32_t> place(whole_.size, kUnknown); // row of the block -> row of `joined`
    const auto& known = memos_[number].known;
    uint32_t next = 0;
    for (const auto& piece : known)
        for (size_t i = 0; i < piece.selection->size; ++i)
            place[piece.selection->row(i)] = next++;
    RowIndexes missing;
    size_t overlap = 0;
    for (size_t i = 0; i < selection.size; ++i)
    {
        if (place[selection.row(i)] == kUnknown)
            missing.push_back(static_cast<uint32_t>(i));
        else
            ++overlap;
    }
    if (overlap == 0)
        return compute(step, selection);
    auto joined = step.expression->type()->create_column();
    for (const auto& piece : known)
        joined->append_range(*piece.column, 0, piece.column->size());
    if (!missing.empty())
    {
        const Selection& rest = narrow(selection, std::move(missing));
        const ColumnPtr column = compute(step, rest);
        for (size_t i = 0; i < rest.size; ++i)
            place[rest.row(i)] = next++;
        joined->append_range(*column, 0, column->size());
    }
    RowIndexes rows(selection.size);
    for (size_t i = 0; i < selection.size; ++i)
        rows[i] = place[selection.row(i)];
    return joined->take(rows);
}

ColumnPtr ExpressionProgram::Run::compute(const Step& step, const Selection& selection)
{
    const Expression& expression = *step.expression;
    if (expression.kind() == ExpressionKind::Input)
    {
        const int at = block_.find(expression.name());
        if (at < 0)
            throw Error(error_codes::LOGICAL_ERROR,
                        fmt::format("Column {} is missing in the block", expression.name()));
        return block_[static_cast<size_t>(at)].column;
    }
    if (expression.kind() == ExpressionKind::Lambda)
        return compute_lambda(step, selection);
    if (selection.size == 0)
        return expression.type()->create_column();
    if (step.branching == Branching::Choose)
        return compute_choice(step, selection);
    if (step.branching != Branching::None)
        return compute_logic(step, selection);
    Arguments arguments;
    arguments.reserve(step.arguments.size());
    for (size_t i = 0; i < step.arguments.size(); ++i)
        arguments.push_back(
            {get(step.arguments[i], selection), expression.arguments()[i]->type()});
    ColumnPtr result = call_function(*expression.function(), arguments, expression.type(),
                                     selection.size, context_, step.dictionary_results.get());
    return step.domain ? as_codes(std::move(result), step.domain) : result;
}

TernaryMask ExpressionProgram::Run::condition(uint32_t number, const Selection& selection)
{
    TernaryMask mask;
    const bool fine = column_to_ternary(*get(number, selection), mask);
    BASALT_ASSERT(fine);
    return mask;
}

ColumnPtr ExpressionProgram::Run::compute_choice(const Step& step, const Selection& selection)
{
    const size_t conditions = step.arguments.size() / 2;
    const auto value_number = [&](size_t branch)
    {
        return branch == conditions ? step.arguments.size() - 1 : branch * 2 + 1;
    };
    const size_t rows = selection.size;
    PodVector<uint16_t> which(rows, static_cast<uint16_t>(conditions));
    RowIndexes open(rows); // positions in the selection that no condition has taken yet
    for (size_t i = 0; i < rows; ++i)
        open[i] = static_cast<uint32_t>(i);
    for (size_t branch = 0; branch < conditions && !open.empty(); ++branch)
    {
        const uint32_t number = step.arguments[branch * 2];
        const bool narrowed = program_.steps_[number].worth_skipping && open.size() < rows;
        const Selection& asked = narrowed ? narrow(selection, open) : selection;
        const TernaryMask mask = condition(number, asked);
        size_t left = 0;
        for (size_t i = 0; i < open.size(); ++i)
        {
            const uint32_t position = open[i];
            const bool taken = mask[narrowed ? i : position] == 1;
            which[position] = taken ? static_cast<uint16_t>(branch) : which[position];
            open[left] = position;
            left += !taken;
        }
        open.resize(left);
    }

    PodVector<size_t> counts(conditions + 1, size_t{0});
    for (size_t i = 0; i < rows; ++i)
        ++counts[which[i]];
    const TypePtr& type = step.expression->type();
    std::vector<ChoiceSource> sources(conditions + 1);
    // The most frequent first: what others need of the same steps is then taken from there.
    std::vector<size_t> branches(conditions + 1);
    std::iota(branches.begin(), branches.end(), size_t{0});
    std::stable_sort(branches.begin(), branches.end(),
                     [&](size_t a, size_t b) { return counts[a] > counts[b]; });
    for (const size_t branch : branches)
    {
        if (counts[branch] == 0)
        {
            sources[branch].column = make_constant(type, type->default_value(), 0);
            continue;
        }
        const size_t argument = value_number(branch);
        const uint32_t number = step.arguments[argument];
        const auto as_result = [&](const ColumnPtr& column)
        {
            return cast_column(column, step.expression->arguments()[argument]->type(), type,
                               context_);
        };
        const bool may_narrow = counts[branch] < rows && program_.steps_[number].worth_skipping;
        // Nearly all rows: to compute the others too is cheaper than to pick rows out.
        if (may_narrow && counts[branch] >= rows - rows / 8)
            if (const ColumnPtr whole = try_whole(step, number, selection))
            {
                sources[branch] = {as_result(whole), false};
                continue;
            }
        const Selection* asked = &selection;
        if (may_narrow)
        {
            RowIndexes positions;
            positions.reserve(counts[branch]);
            for (size_t i = 0; i < rows; ++i)
                if (which[i] == branch)
                    positions.push_back(static_cast<uint32_t>(i));
            asked = &narrow(selection, std::move(positions));
        }
        const ColumnPtr values = as_result(get(number, *asked));
        if (counts[branch] == rows)
            return values;
        sources[branch] = {values, may_narrow};
    }
    return choose_rows(type, std::move(sources), which);
}

ColumnPtr ExpressionProgram::Run::try_whole(const Step& step, uint32_t value,
                                            const Selection& selection)
{
    if (step.is_strict->load(std::memory_order_relaxed))
        return nullptr;
    try
    {
        return get(value, selection);
    }
    catch (const Error&)
    {
        step.is_strict->store(true, std::memory_order_relaxed);
        return nullptr;
    }
}

ColumnPtr ExpressionProgram::Run::compute_logic(const Step& step, const Selection& selection)
{
    const bool is_and = step.branching == Branching::And;
    const uint8_t deciding = is_and ? 0 : 1;
    const size_t rows = selection.size;
    TernaryMask result(rows, is_and ? uint8_t{1} : uint8_t{0});
    RowIndexes open(rows);
    for (size_t i = 0; i < rows; ++i)
        open[i] = static_cast<uint32_t>(i);
    for (size_t j = 0; j < step.arguments.size() && !open.empty(); ++j)
    {
        const uint32_t number = step.arguments[j];
        const bool narrowed = program_.steps_[number].worth_skipping && open.size() < rows;
        const Selection& asked = narrowed ? narrow(selection, open) : selection;
        const TernaryMask mask = condition(number, asked);
        size_t left = 0;
        for (size_t i = 0; i < open.size(); ++i)
        {
            const uint32_t position = open[i];
            const uint8_t value = mask[narrowed ? i : position];
            if (value == deciding || value == kTernaryNull)
                result[position] = value;
            open[left] = position;
            left += value != deciding;
        }
        open.resize(left);
    }
    if (!is_nullable_or_lc_nullable(step.expression->type()))
    {
        return std::make_shared<VectorColumn<uint8_t>>(std::move(result));
    }
    auto nulls = std::make_shared<VectorColumn<uint8_t>>(rows);
    for (size_t i = 0; i < rows; ++i)
    {
        nulls->data()[i] = result[i] == kTernaryNull;
        result[i] = result[i] == 1;
    }
    return NullableColumn::make(std::make_shared<VectorColumn<uint8_t>>(std::move(result)), nulls);
}

ColumnPtr ExpressionProgram::Run::compute_lambda(const Step& step, const Selection& selection)
{
    std::vector<NamedColumn> captured;
    for (const uint32_t number : step.arguments)
    {
        const Expression& input = *program_.steps_[number].expression;
        captured.push_back({get(number, selection), input.type(), input.name()});
    }
    return std::make_shared<LambdaColumn>(step.expression, std::move(captured), selection.size,
                                          context_, step.lambda_program);
}

} // namespace basalt
