#pragma once

// The groups of one thread or one partition of GROUP BY: keys, states, and what they weigh.

#include "base/thread_allocation.h"
#include "executor/key_combinations.h"
#include "executor/key_index.h"
#include "planner/plan.h"

namespace basalt
{

// Where the states of one group lie, side by side.
struct StateLayout
{
    std::vector<AggregateFunctionPtr> functions;
    std::vector<size_t> offsets;
    size_t bytes = 0;
    size_t alignment = 8;
    bool trivially_destroyed = true;

    explicit StateLayout(const std::vector<AggregateCall>& calls)
    {
        for (const auto& call : calls)
        {
            const size_t a = std::max<size_t>(call.function->state_alignment(), 1);
            bytes = (bytes + a - 1) / a * a;
            offsets.push_back(bytes);
            bytes += call.function->state_size();
            alignment = std::max(alignment, a);
            trivially_destroyed = trivially_destroyed && call.function->trivially_destroyed();
            functions.push_back(call.function);
        }
        bytes = (bytes + alignment - 1) / alignment * alignment;
    }

    char* create(Arena& arena) const
    {
        char* place = arena.allocate(std::max<size_t>(bytes, 1), alignment);
        for (size_t i = 0; i < functions.size(); ++i)
            functions[i]->create_state(place + offsets[i]);
        return place;
    }
    void destroy(char* place) const
    {
        for (size_t i = 0; i < functions.size(); ++i)
            functions[i]->destroy_state(place + offsets[i]);
    }
    void merge(char* into, const char* from, Arena& arena) const
    {
        for (size_t i = 0; i < functions.size(); ++i)
            functions[i]->merge_state(into + offsets[i], from + offsets[i], arena);
    }
};

class GroupTable
{
public:
    GroupTable(const Types& key_types, const StateLayout& layout, MemoryTracker& memory)
        : layout_(layout), index_(key_types), charge_(&memory, 0)
    {
        for (const auto& type : key_types)
            keys_.push_back(type->create_column());
        if (keys_.empty())
            add_group();
    }
    GroupTable(const GroupTable&) = delete;
    GroupTable& operator=(const GroupTable&) = delete;
    ~GroupTable()
    {
        if (!layout_.trivially_destroyed)
        {
            for (char* state : states_)
                layout_.destroy(state);
            if (unused_)
                layout_.destroy(unused_);
        }
    }

    size_t size() const { return states_.size(); }
    const std::vector<MutableColumnPtr>& keys() const { return keys_; }
    char* state(size_t group) { return states_[group]; }
    const PodVector<char*>& states() const { return states_; }
    Arena& arena() { return arena_; }

    // No new groups from now on: group_by_overflow_mode = 'any'.
    void close() { closed_ = true; }
    bool is_closed() const { return closed_; }

    // The group of each row; new groups get states. In a closed table kMissingKey for rows of
    // other groups.
    void find_groups(const Columns& key_columns, size_t rows)
    {
        if (keys_.empty())
        {
            ids_.assign(rows, 0);
            return;
        }
        if (closed_)
        {
            index_.find(key_columns, rows, ids_);
            return;
        }
        index_.insert(key_columns, rows, ids_, new_rows_);
        if (new_rows_.empty())
            return;
        for (size_t k = 0; k < keys_.size(); ++k)
        {
            const ColumnPtr fresh = to_flat(key_columns[k]->take(new_rows_));
            keys_[k]->append_range(*fresh, 0, fresh->size());
        }
        for (size_t i = 0; i < new_rows_.size(); ++i)
            add_group();
        update_charge();
    }
    const PodVector<uint32_t>& ids() const { return ids_; }

    // For blocks whose rows are of few groups: then combinations() numbers the rows, and
    // state_of_number() says where the state of each number is. False, and nothing is done, when
    // it is not so.
    bool find_few_groups(const Columns& key_columns, size_t rows)
    {
        if (closed_ || keys_.empty() || !number_combinations(key_columns, rows, combinations_))
            return false;
        Columns few;
        for (const auto& column : key_columns)
            few.push_back(column->take(combinations_.first_rows));
        find_groups(few, combinations_.first_rows.size());
        if (combinations_.used.size() < combinations_.numbers && !unused_)
            unused_ = layout_.create(arena_);
        state_of_number_.assign(combinations_.numbers, unused_);
        for (size_t i = 0; i < combinations_.used.size(); ++i)
            state_of_number_[combinations_.used[i]] = states_[ids_[i]];
        return true;
    }
    const RowCombinations& combinations() const { return combinations_; }
    // Of a number that no row has: a state that is never looked at.
    const PodVector<char*>& state_of_number() const { return state_of_number_; }

    // Runs work that changes states and charges what they took, on the heap or in the arena.
    template <class Work> void change_states(Work&& work)
    {
        const size_t arena_before = arena_.allocated_bytes();
        const int64_t heap_before = thread_heap_bytes();
        work();
        const int64_t grown = thread_heap_bytes() - heap_before;
        const auto arena_grown = static_cast<int64_t>(arena_.allocated_bytes() - arena_before);
        heap_bytes_ += grown - (grown ? arena_grown : 0);
        if (grown || arena_grown)
            update_charge();
    }

    // All groups of `from`, or those of `rows`, into this one.
    void merge(GroupTable& from, const RowIndexes* rows)
    {
        const size_t count = rows ? rows->size() : from.size();
        if (count == 0)
            return;
        Columns keys;
        for (const auto& key : from.keys())
            keys.push_back(rows ? key->take(*rows) : ColumnPtr(key));
        find_groups(keys, count);
        change_states(
            [&]
            {
                for (size_t i = 0; i < count; ++i)
                    layout_.merge(states_[ids_[i]], from.state(rows ? (*rows)[i] : i), arena_);
            });
    }

    ColumnPtr results(size_t aggregate, const TypePtr& type)
    {
        auto column = type->create_column();
        column->reserve(size());
        for (char* state : states_)
            layout_.functions[aggregate]->append_result(state + layout_.offsets[aggregate],
                                                        *column, arena_);
        return column;
    }

private:
    void add_group() { states_.push_back(layout_.create(arena_)); }

    void update_charge()
    {
        size_t bytes = index_.byte_size() + arena_.allocated_bytes() + states_.capacity_bytes();
        for (const auto& key : keys_)
            bytes += key->byte_size();
        charge_.resize(bytes + static_cast<size_t>(std::max<int64_t>(heap_bytes_, 0)));
    }

    const StateLayout& layout_;
    Arena arena_;
    KeyIndex index_;
    std::vector<MutableColumnPtr> keys_;
    PodVector<char*> states_;
    PodVector<uint32_t> ids_;
    RowIndexes new_rows_;
    RowCombinations combinations_;
    PodVector<char*> state_of_number_;
    char* unused_ = nullptr; // a state in the arena
    int64_t heap_bytes_ = 0; // of the states, outside the arena
    bool closed_ = false;
    MemoryCharge charge_;
};

} // namespace basalt
