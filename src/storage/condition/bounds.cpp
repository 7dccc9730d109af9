#include "storage/condition/bounds.h"

#include <algorithm>

namespace basalt
{

namespace
{

// The least of the known lower bounds, or the greatest of the upper ones; NULL when none is known.
Value extreme(const BoundColumn& bounds, bool greatest)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < bounds.known.size(); ++i)
    {
        if (!bounds.known[i])
            continue;
        if (best == SIZE_MAX)
            best = i;
        const int order = bounds.values->compare_at(i, *bounds.values, best, 1);
        if (greatest ? order > 0 : order < 0)
            best = i;
    }
    return best == SIZE_MAX ? Value() : bounds.values->value_at(best);
}

PodVector<uint32_t> ranks_of(const AtomRanks& atom, const BoundColumn& bounds)
{
    auto ranks = atom.rank(bounds.values);
    for (size_t i = 0; i < ranks.size(); ++i)
        if (!bounds.known[i])
            ranks[i] = kNoRank;
    return ranks;
}

} // namespace

BoundColumn bound_column(const TypePtr& type, const std::vector<std::optional<Value>>& values)
{
    BoundColumn bounds;
    auto column = strip_wrappers(type)->create_column();
    for (const auto& value : values)
    {
        const bool known = value && !value->is_null();
        if (known)
            column->append_value(*value);
        else
            column->append_default();
        bounds.known.push_back(known);
    }
    bounds.values = std::move(column);
    return bounds;
}

BoundedCondition::BoundedCondition(const Condition& condition, const std::vector<KeyBounds>& keys,
                                   const QueryContext& context)
    : condition_(condition), keys_(keys), known_(condition.atoms().size())
{
    std::vector<std::pair<Value, Value>> extremes;
    for (const auto& key : keys)
        extremes.emplace_back(extreme(key.min, false), extreme(key.max, true));
    for (size_t a = 0; a < known_.size(); ++a)
    {
        const ConditionAtom& atom = condition.atoms()[a];
        if (!atom.argument)
            continue;
        for (size_t k = 0; k < keys.size(); ++k)
        {
            Known known;
            known.key = k;
            if (atom.kind == ConditionAtom::Kind::IsNull)
            {
                if (atom.argument->fingerprint() != keys[k].key->fingerprint())
                    continue;
            }
            else
            {
                known.atom = AtomRanks::over(atom, keys[k].key, extremes[k].first,
                                             extremes[k].second, context);
                if (!known.atom)
                    continue;
                known.low = ranks_of(*known.atom, keys[k].min);
                known.high = ranks_of(*known.atom, keys[k].max);
            }
            known_[a].push_back(std::move(known));
            if (std::find(used_keys_.begin(), used_keys_.end(), k) == used_keys_.end())
                used_keys_.push_back(k);
        }
    }
    std::sort(used_keys_.begin(), used_keys_.end());
}

Outcomes BoundedCondition::of_atom(size_t atom, size_t entry) const
{
    Outcomes outcomes = Outcomes::anything();
    for (const auto& known : known_[atom])
    {
        const KeyBounds& key = keys_[known.key];
        const bool has_null = key.has_null[entry], only_null = key.only_null[entry];
        if (!known.atom)
        {
            outcomes = outcomes.narrowed_by({has_null, !only_null, false});
            continue;
        }
        Outcomes one{false, false, false};
        if (!only_null)
            one = known.atom->decide({known.low[entry], false}, {known.high[entry], false});
        one.can_be_null = has_null;
        // A set that holds NULL may take it for a member.
        const auto& what = condition_.atoms()[atom];
        if (has_null && what.set && what.set->has_null())
            one.can_be_true = true;
        outcomes = outcomes.narrowed_by(one);
    }
    return outcomes;
}

Outcomes BoundedCondition::decide(size_t entry) const
{
    return condition_.evaluate([&](size_t atom) { return of_atom(atom, entry); });
}

} // namespace basalt
