#pragma once

// A condition over bounds of expressions: of a part, a page, an entry of a minmax index.

#include "storage/condition/atom_ranks.h"

#include <optional>
#include <vector>

namespace basalt
{

// Bounds as a flat column of the type without wrappers; where there is none the column has some
// value and `known` 0.
struct BoundColumn
{
    ColumnPtr values;
    PodVector<uint8_t> known;
};
BoundColumn bound_column(const TypePtr& type, const std::vector<std::optional<Value>>& values);

// What is known of one expression in each of several sets of rows.
struct KeyBounds
{
    ExpressionPtr key;
    BoundColumn min, max;
    PodVector<uint8_t> has_null; // some value may be NULL
    PodVector<uint8_t> only_null; // every value is NULL
};

class BoundedCondition
{
public:
    // condition and keys outlive it.
    BoundedCondition(const Condition& condition, const std::vector<KeyBounds>& keys,
                     const QueryContext& context);

    bool useful() const { return !used_keys_.empty(); }
    const std::vector<size_t>& used_keys() const { return used_keys_; }
    Outcomes of_atom(size_t atom, size_t entry) const;
    Outcomes decide(size_t entry) const;

private:
    struct Known
    {
        size_t key = 0;
        std::unique_ptr<AtomRanks> atom; // null: an IS NULL of the key
        PodVector<uint32_t> low, high;
    };
    const Condition& condition_;
    const std::vector<KeyBounds>& keys_;
    std::vector<std::vector<Known>> known_; // by atom
    std::vector<size_t> used_keys_;
};

} // namespace basalt
