#include "storage/condition/mark_condition.h"

#include <algorithm>

namespace basalt
{

MarkCondition::MarkCondition(
    const Condition& condition, const KeyDescription& key, const Columns& index,
    const std::function<std::pair<Value, Value>(const std::string&)>& bounds_of,
    const QueryContext& context)
    : condition_(condition), key_(key), index_nulls_(index.size()),
      known_(condition.atoms().size())
{
    for (size_t i = 0; i < index.size(); ++i)
    {
        ColumnPtr column = to_flat(index[i]);
        if (column->form() == ColumnForm::Nullable)
        {
            const auto& nullable = column_as<NullableColumn>(column);
            if (nullable.has_nulls())
                index_nulls_[i] = nullable.null_map();
            column = nullable.nested();
        }
        index_.push_back(std::move(column));
    }
    for (size_t a = 0; a < condition.atoms().size(); ++a)
    {
        const ConditionAtom& atom = condition.atoms()[a];
        if (!atom.argument)
            continue;
        for (size_t k = 0; k < index_.size(); ++k)
        {
            const ExpressionPtr& expression = key.expressions[k];
            Known known;
            known.key = k;
            // The bounds of the first key are its ends; of later ones anything may be between.
            Value low, high;
            if (k == 0 && index_nulls_[0].empty() && index_[0]->size())
            {
                low = index_[0]->value_at(0);
                high = index_[0]->value_at(index_[0]->size() - 1);
                if (!key.descending.empty() && key.descending[0])
                    std::swap(low, high);
            }
            else if (expression->kind() == ExpressionKind::Input)
                std::tie(low, high) = bounds_of(expression->name());
            known.atom = AtomRanks::over(atom, expression, low, high, context);
            if (!known.atom && expression->kind() != ExpressionKind::Input)
            {
                std::pair<Value, Value> bounds;
                if (atom.argument->kind() == ExpressionKind::Input)
                    bounds = bounds_of(atom.argument->name());
                known.atom = AtomRanks::through(atom, expression, bounds.first, bounds.second,
                                                context);
            }
            if (!known.atom)
                continue;
            known.ranks = known.atom->rank(index_[k]);
            for (size_t i = 0; i < index_nulls_[k].size(); ++i)
                if (index_nulls_[k][i])
                    known.ranks[i] = kNoRank;
            known_[a].push_back(std::move(known));
            if (std::find(used_keys_.begin(), used_keys_.end(), k) == used_keys_.end())
                used_keys_.push_back(k);
        }
    }
    std::sort(used_keys_.begin(), used_keys_.end());
}

bool MarkCondition::useful() const
{
    return !used_keys_.empty();
}

// The rows between two marks as boxes: the keys before some position are equal to one of the
// marks, the key there lies between, those behind are free.
void MarkCondition::add_boxes(size_t key, Box& box, size_t begin, size_t end, bool left,
                              bool right, std::vector<Box>& boxes) const
{
    if (key == index_.size())
    {
        boxes.push_back(box);
        return;
    }
    const auto with = [&](Side low, Side high, auto&& then)
    {
        box.keys.emplace_back(low, high);
        then();
        box.keys.pop_back();
    };
    const auto emit = [&] { boxes.push_back(box); };
    if (left && right)
    {
        const bool nulls = !index_nulls_[key].empty();
        const bool same =
            nulls && (index_nulls_[key][begin] || index_nulls_[key][end])
                ? index_nulls_[key][begin] == index_nulls_[key][end]
                : index_[key]->compare_at(begin, *index_[key], end, 1) == 0;
        if (same)
        {
            with({begin, false}, {begin, false},
                 [&] { add_boxes(key + 1, box, begin, end, true, true, boxes); });
            return;
        }
        with({begin, true}, {end, true}, emit);
    }
    else
        with(left ? Side{begin, true} : Side{}, right ? Side{end, true} : Side{}, emit);
    if (left)
        with({begin, false}, {begin, false},
             [&] { add_boxes(key + 1, box, begin, end, true, false, boxes); });
    if (right)
        with({end, false}, {end, false},
             [&] { add_boxes(key + 1, box, begin, end, false, true, boxes); });
}

Outcomes MarkCondition::of_atom(size_t atom, const Box& box) const
{
    Outcomes outcomes = Outcomes::anything();
    for (const auto& known : known_[atom])
    {
        Side low, high;
        if (known.key < box.keys.size())
            std::tie(low, high) = box.keys[known.key];
        if (known.key < key_.descending.size() && key_.descending[known.key])
            std::swap(low, high);
        const auto bound = [&](const Side& side)
        {
            return side.mark == SIZE_MAX
                       ? AtomRanks::Bound{}
                       : AtomRanks::Bound{known.ranks[side.mark], side.open};
        };
        Outcomes one = known.atom->decide(bound(low), bound(high));
        const auto& type = key_.expressions[known.key]->type();
        one.can_be_null = is_nullable_or_lc_nullable(type);
        // A set that holds NULL may take it for a member.
        const auto& what = condition_.atoms()[atom];
        if (one.can_be_null && what.set && what.set->has_null())
            one.can_be_true = true;
        outcomes = outcomes.narrowed_by(one);
    }
    return outcomes;
}

Outcomes MarkCondition::decide(size_t begin, size_t end) const
{
    std::vector<Box> boxes;
    Box box;
    add_boxes(0, box, begin, end, true, true, boxes);
    Outcomes all{false, false, false};
    for (const auto& one : boxes)
    {
        const Outcomes outcomes =
            condition_.evaluate([&](size_t atom) { return of_atom(atom, one); });
        all.can_be_true |= outcomes.can_be_true;
        all.can_be_false |= outcomes.can_be_false;
        all.can_be_null |= outcomes.can_be_null;
    }
    return all;
}

} // namespace basalt
