#pragma once

// A condition over the key index of a part: what it can be between two marks.

#include "storage/condition/atom_ranks.h"
#include "storage/table.h"

namespace basalt
{

class MarkCondition
{
public:
    // index: key values at the start of each granule and of the last row, flat, one column per
    // key expression. bounds_of(column name): least and greatest value of a stored column in the
    // part, NULL where unknown.
    MarkCondition(const Condition& condition, const KeyDescription& key, const Columns& index,
                  const std::function<std::pair<Value, Value>(const std::string&)>& bounds_of,
                  const QueryContext& context);

    // False: the key says nothing of it.
    bool useful() const;
    // In granules [begin, end).
    Outcomes decide(size_t begin, size_t end) const;
    // Key expressions that it uses, as numbers.
    const std::vector<size_t>& used_keys() const { return used_keys_; }

private:
    struct Known // of one atom through one key expression
    {
        size_t key = 0;
        std::unique_ptr<AtomRanks> atom;
        PodVector<uint32_t> ranks; // by mark
    };
    struct Side
    {
        size_t mark = SIZE_MAX; // SIZE_MAX: unbounded
        bool open = false;
    };
    struct Box
    {
        std::vector<std::pair<Side, Side>> keys; // unbounded where absent
    };

    void add_boxes(size_t key, Box& box, size_t begin, size_t end, bool left, bool right,
                   std::vector<Box>& boxes) const;
    Outcomes of_atom(size_t atom, const Box& box) const;

    const Condition& condition_;
    const KeyDescription& key_;
    std::vector<ColumnPtr> index_;                // without NULLs
    std::vector<PodVector<uint8_t>> index_nulls_; // by key; empty: none
    std::vector<std::vector<Known>> known_;       // by atom
    std::vector<size_t> used_keys_;
};

} // namespace basalt
