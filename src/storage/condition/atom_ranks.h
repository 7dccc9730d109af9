#pragma once

// What bounds of an expression's values say of an atom. Values are turned into ranks against the
// atom's constants with the very functions that the query would run, whole columns at a time;
// afterwards an interval is decided by comparing ranks.
//
// Ranks against n sorted points: 2i below point i and above those before it, 2i + 1 at point i,
// 2n above all. A prefix is one point as wide as all texts that begin with it.

#include "storage/condition/condition.h"

namespace basalt
{

inline constexpr uint32_t kNoRank = UINT32_MAX; // nothing is known of the value: unbounded

class AtomRanks
{
public:
    // The atom's argument is `key` or a monotone function of it. low, high: bounds of all values
    // that will be ranked, NULL where unknown. Null when nothing can be said.
    static std::unique_ptr<AtomRanks> over(const ConditionAtom& atom, const ExpressionPtr& key,
                                           const Value& low, const Value& high,
                                           const QueryContext& context);
    // `key` is a function of the atom's argument, whose values are between low and high (NULL
    // where unknown). The result never says that the atom is certain.
    static std::unique_ptr<AtomRanks> through(const ConditionAtom& atom, const ExpressionPtr& key,
                                              const Value& low, const Value& high,
                                              const QueryContext& context);

    // values: flat, of the key's type without wrappers.
    PodVector<uint32_t> rank(const ColumnPtr& values) const;

    struct Bound
    {
        uint32_t rank = kNoRank;
        bool open = false; // the value itself is not in the interval
    };
    // Of values that are not NULL.
    Outcomes decide(Bound left, Bound right) const;

private:
    AtomRanks(const ConditionAtom& atom, const QueryContext& context)
        : kind_(atom.kind), relaxed_(atom.relaxed), prefix_(atom.prefix), context_(context)
    {
    }
    bool take_constants(const ConditionAtom& atom, const TypePtr& type);
    bool settle_direction(const ExpressionPtr& chain, const TypePtr& key_type, const Value& low,
                          const Value& high);
    PodVector<uint32_t> rank_by_comparison(const ColumnPtr& values) const;
    PodVector<uint32_t> rank_in_set(const Column& values) const;
    PodVector<uint32_t> rank_by_prefix(const Column& values) const;

    ConditionAtom::Kind kind_;
    bool relaxed_;
    bool reversed_ = false;
    std::unique_ptr<ExpressionProgram> program_; // of "key"; null: the key itself
    TypePtr key_type_;                           // without wrappers
    TypePtr type_;                               // of what is compared
    ColumnPtr constant_; // one row
    TypePtr constant_type_;
    ColumnPtr members_; // sorted, not NULL
    std::string prefix_;
    const QueryContext& context_;
};

} // namespace basalt
