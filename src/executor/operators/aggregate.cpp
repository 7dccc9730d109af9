// GROUP BY. Every stream aggregates into a table of its own; then tables are merged, by partitions
// of the key's hash on several threads when there are many groups.

#include "base/error.h"
#include "base/threads.h"
#include "executor/build.h"
#include "executor/key_index.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kParallelMergeGroups = 20000; // fewer groups are merged by one thread
constexpr size_t kPartitionBits = 4;
constexpr size_t kPartitions = size_t{1} << kPartitionBits;
constexpr size_t kShortestRun = 16; // mean length of equal-key runs worth adding as ranges

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

// The groups of one thread or one partition.
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
    ~GroupTable()
    {
        if (!layout_.trivially_destroyed)
            for (char* state : states_)
                layout_.destroy(state);
    }

    size_t size() const { return states_.size(); }
    const std::vector<MutableColumnPtr>& keys() const { return keys_; }
    char* state(size_t group) { return states_[group]; }
    PodVector<char*>& states() { return states_; }
    Arena& arena() { return *arena_; }
    std::shared_ptr<Arena> arena_ptr() { return arena_; }
    // States given away (to a column) are not destroyed here.
    void release_states() { states_.clear(); }

    // The group of each row; new groups get states.
    void find_groups(const Columns& key_columns, size_t rows)
    {
        if (keys_.empty())
        {
            ids_.assign(rows, 0);
            return;
        }
        index_.insert(key_columns, rows, ids_, new_rows_);
        if (!new_rows_.empty())
        {
            for (size_t k = 0; k < keys_.size(); ++k)
            {
                const ColumnPtr fresh = to_flat(key_columns[k]->take(new_rows_));
                keys_[k]->append_range(*fresh, 0, fresh->size());
            }
            for (size_t i = 0; i < new_rows_.size(); ++i)
                add_group();
            update_charge();
        }
    }
    const PodVector<uint32_t>& ids() const { return ids_; }
    bool brought_new_groups() const { return !new_rows_.empty(); }

    void update_charge()
    {
        size_t bytes = index_.byte_size() + arena_->allocated_bytes() + states_.capacity_bytes();
        for (const auto& key : keys_)
            bytes += key->byte_size();
        charge_.resize(bytes);
    }

private:
    void add_group() { states_.push_back(layout_.create(*arena_)); }

    const StateLayout& layout_;
    std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
    KeyIndex index_;
    std::vector<MutableColumnPtr> keys_;
    PodVector<char*> states_;
    PodVector<uint32_t> ids_;
    RowIndexes new_rows_;
    MemoryCharge charge_;
};

// A dictionary column whose rows all have one code, as a constant: common for the first sort keys.
ColumnPtr constant_if_uniform(const ColumnPtr& column)
{
    if (column->form() != ColumnForm::Dictionary || column->empty())
        return column;
    const auto& dictionary = static_cast<const DictionaryColumn&>(*column);
    const uint32_t first = dictionary.codes()[0];
    uint32_t differences = 0;
    for (const uint32_t code : dictionary.codes())
        differences |= code ^ first;
    if (differences != 0)
        return column;
    return std::make_shared<ConstantColumn>(dictionary.dictionary()->slice(first, 1),
                                            column->size());
}

bool all_constant(const Columns& columns)
{
    return std::all_of(columns.begin(), columns.end(),
                       [](const ColumnPtr& c) { return c->form() == ColumnForm::Constant; });
}

// Begins of the stretches of equal ids, then rows; empty when stretches are short.
void find_runs(const PodVector<uint32_t>& ids, PodVector<uint32_t>& begins)
{
    begins.clear();
    const size_t rows = ids.size();
    size_t changes = 0;
    for (size_t i = 1; i < rows; ++i)
        changes += ids[i] != ids[i - 1];
    if ((changes + 1) * kShortestRun > rows)
        return;
    begins.push_back(0);
    for (size_t i = 1; i < rows; ++i)
        if (ids[i] != ids[i - 1])
            begins.push_back(static_cast<uint32_t>(i));
    begins.push_back(static_cast<uint32_t>(rows));
}

class AggregateOperator : public Operator
{
public:
    AggregateOperator(AggregateNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), context_(state.context),
          layout_(node.aggregates), with_totals_(node.with_totals),
          no_keys_returns_row_(node.no_keys_returns_row), sets_(node.grouping_sets),
          block_rows_(state.block_rows)
    {
        for (const auto& key : node.keys)
        {
            const size_t at = position_of(input_->header(), key);
            keys_.push_back(at);
            input_key_types_.push_back(input_->header()[at].type);
        }
        for (size_t k = 0; k < node.keys.size(); ++k)
            key_types_.push_back(node.output[k].type);
        for (const auto& call : node.aggregates)
        {
            std::vector<size_t> arguments;
            for (const auto& name : call.arguments)
                arguments.push_back(position_of(input_->header(), name));
            arguments_.push_back(std::move(arguments));
        }
        if (sets_.empty())
        {
            std::vector<size_t> all(keys_.size());
            for (size_t k = 0; k < all.size(); ++k)
                all[k] = k;
            sets_.push_back(std::move(all));
        }
        else
            with_set_column_ = true;
        max_groups_ = context_->settings.get_uint("max_rows_to_group_by");
        streams_ = input_->stream_count();
    }

    size_t stream_count() const override { return streams_; }

    Block next(size_t) override
    {
        once_([&] { aggregate(); });
        std::lock_guard lock(output_mutex_);
        while (!finished_.empty())
        {
            auto& result = finished_.front();
            if (result.at >= result.block.rows())
            {
                finished_.erase(finished_.begin());
                continue;
            }
            const size_t count = std::min(block_rows_, result.block.rows() - result.at);
            Block block = count == result.block.rows() ? result.block
                                                       : result.block.slice(result.at, count);
            result.at += count;
            return block;
        }
        return {};
    }

    std::optional<Block> totals() override
    {
        if (!with_totals_)
            return std::nullopt;
        once_([&] { aggregate(); });
        return totals_;
    }

private:
    struct Finished
    {
        Block block;
        size_t at = 0;
    };
    using TablePointer = std::unique_ptr<GroupTable>;

    void aggregate()
    {
        // tables[set][stream]
        std::vector<std::vector<TablePointer>> tables(sets_.size());
        for (size_t s = 0; s < sets_.size(); ++s)
            for (size_t t = 0; t < input_->stream_count(); ++t)
                tables[s].push_back(make_table(s));
        std::atomic<bool> any_rows{false};
        drain(*input_, *context_,
              [&](size_t stream, Block&& block)
              {
                  any_rows.store(true, std::memory_order_relaxed);
                  add_block(block, stream, tables);
              });
        input_.reset();

        if (with_totals_)
            make_totals(tables[0]);
        for (size_t s = 0; s < sets_.size(); ++s)
        {
            if (sets_[s].empty() && !any_rows.load() &&
                (!no_keys_returns_row_ || with_set_column_))
                continue;
            merge_and_finish(std::move(tables[s]), s);
        }
    }

    TablePointer make_table(size_t set)
    {
        Types types;
        for (size_t k : sets_[set])
            types.push_back(input_key_types_[k]);
        return std::make_unique<GroupTable>(types, layout_, context_->memory);
    }

    void add_block(const Block& block, size_t stream,
                   std::vector<std::vector<TablePointer>>& tables)
    {
        Columns flat(block.width());
        std::vector<std::vector<const Column*>> arguments(arguments_.size());
        for (size_t a = 0; a < arguments_.size(); ++a)
            for (size_t c : arguments_[a])
            {
                if (!flat[c])
                    flat[c] = to_flat(block[c].column);
                arguments[a].push_back(flat[c].get());
            }
        for (size_t s = 0; s < sets_.size(); ++s)
        {
            Columns keys;
            for (size_t k : sets_[s])
                keys.push_back(constant_if_uniform(block[keys_[k]].column));
            GroupTable& table = *tables[s][stream];
            add_to_table(table, keys, arguments, block.rows());
            if (max_groups_ && table.size() > max_groups_)
                throw Error(error_codes::TOO_MANY_ROWS,
                            fmt::format("Limit for rows to GROUP BY exceeded: has {} rows, "
                                        "maximum: {}",
                                        table.size(), max_groups_));
        }
    }

    void add_to_table(GroupTable& table, const Columns& keys,
                      const std::vector<std::vector<const Column*>>& arguments, size_t rows)
    {
        Arena& arena = table.arena();
        const size_t arena_before = arena.allocated_bytes();
        if (all_constant(keys)) // also when there are none
        {
            table.find_groups(keys, 1);
            char* state = table.state(table.ids()[0]);
            for (size_t a = 0; a < arguments.size(); ++a)
                layout_.functions[a]->add_range(state + layout_.offsets[a], arguments[a], 0, rows,
                                                arena);
        }
        else
        {
            table.find_groups(keys, rows);
            const auto& ids = table.ids();
            thread_local PodVector<uint32_t> runs;
            find_runs(ids, runs);
            if (!runs.empty())
            {
                for (size_t a = 0; a < arguments.size(); ++a)
                    for (size_t r = 0; r + 1 < runs.size(); ++r)
                        layout_.functions[a]->add_range(
                            table.state(ids[runs[r]]) + layout_.offsets[a], arguments[a], runs[r],
                            runs[r + 1], arena);
            }
            else if (!arguments.empty())
            {
                thread_local PodVector<char*> places;
                places.resize(rows);
                char* const* states = table.states().data();
                for (size_t i = 0; i < rows; ++i)
                    places[i] = states[ids[i]];
                for (size_t a = 0; a < arguments.size(); ++a)
                    layout_.functions[a]->add_rows({places.data(), rows}, layout_.offsets[a],
                                                   arguments[a], arena);
            }
        }
        if (arena.allocated_bytes() != arena_before)
            table.update_charge();
    }

    // All groups of `from` (or those of one partition) into `into`.
    void merge_table(GroupTable& into, GroupTable& from, const RowIndexes* rows)
    {
        Columns keys;
        for (const auto& key : from.keys())
            keys.push_back(rows ? key->take(*rows) : ColumnPtr(key));
        const size_t count = rows ? rows->size() : from.size();
        if (count == 0)
            return;
        into.find_groups(keys, count);
        for (size_t i = 0; i < count; ++i)
            layout_.merge(into.state(into.ids()[i]), from.state(rows ? (*rows)[i] : i),
                          into.arena());
        into.update_charge();
    }

    void merge_and_finish(std::vector<TablePointer> tables, size_t set)
    {
        size_t groups = 0;
        size_t used = 0;
        for (const auto& table : tables)
        {
            groups += table->size();
            used += table->size() > 0;
        }
        if (used <= 1 || groups < kParallelMergeGroups || sets_[set].empty())
        {
            for (size_t t = 1; t < tables.size(); ++t)
                merge_table(*tables[0], *tables[t], nullptr);
            finish(*tables[0], set);
            return;
        }
        // Row numbers of each table's groups by partition.
        std::vector<std::vector<RowIndexes>> rows(tables.size());
        run_parallel(std::min(tables.size(), kMaxParallelJobs),
                     [&](size_t t)
                     {
                         rows[t].resize(kPartitions);
                         PodVector<uint64_t> hashes(tables[t]->size(), 0);
                         for (const auto& key : tables[t]->keys())
                             key->hash_into({hashes.data(), hashes.size()});
                         for (size_t i = 0; i < hashes.size(); ++i)
                             rows[t][(hashes[i] * 0x9E3779B97F4A7C15ull) >> (64 - kPartitionBits)]
                                 .push_back(static_cast<uint32_t>(i));
                     });
        std::atomic<size_t> next_partition{0};
        run_parallel(std::min(tables.size(), kPartitions),
                     [&](size_t)
                     {
                         for (;;)
                         {
                             const size_t p = next_partition++;
                             if (p >= kPartitions)
                                 return;
                             context_->check_alive();
                             auto merged = make_table(set);
                             for (size_t t = 0; t < tables.size(); ++t)
                                 merge_table(*merged, *tables[t], &rows[t][p]);
                             finish(*merged, set);
                         }
                     });
    }

    void finish(GroupTable& table, size_t set)
    {
        const size_t groups = table.size();
        if (groups == 0)
            return;
        std::vector<NamedColumn> columns;
        size_t set_bits = 0;
        for (size_t k = 0; k < keys_.size(); ++k)
        {
            ColumnPtr column;
            for (size_t i = 0; i < sets_[set].size(); ++i)
                if (sets_[set][i] == k)
                    column = table.keys()[i];
            if (!column)
            {
                set_bits |= size_t{1} << k;
                column = make_constant(key_types_[k], key_types_[k]->default_value(), groups);
            }
            else if (key_types_[k]->is_nullable() && !input_key_types_[k]->is_nullable())
                column = NullableColumn::make(
                    column, std::make_shared<VectorColumn<uint8_t>>(groups, uint8_t{0}));
            columns.push_back({column, header()[k].type, header()[k].name});
        }
        for (size_t a = 0; a < layout_.functions.size(); ++a)
        {
            const auto& named = header()[keys_.size() + a];
            columns.push_back({result_column(table, a, named.type), named.type, named.name});
        }
        if (with_set_column_)
            columns.push_back({std::make_shared<VectorColumn<uint64_t>>(groups, set_bits),
                               header().back().type, header().back().name});
        std::lock_guard lock(output_mutex_);
        finished_.push_back({Block(std::move(columns), groups)});
    }

    ColumnPtr result_column(GroupTable& table, size_t a, const TypePtr& type)
    {
        auto column = type->create_column();
        column->reserve(table.size());
        for (size_t i = 0; i < table.size(); ++i)
            layout_.functions[a]->append_result(table.state(i) + layout_.offsets[a], *column,
                                                table.arena());
        return column;
    }

    void make_totals(std::vector<TablePointer>& tables)
    {
        GroupTable total({}, layout_, context_->memory);
        for (auto& table : tables)
            for (size_t i = 0; i < table->size(); ++i)
                layout_.merge(total.state(0), table->state(i), total.arena());
        std::vector<NamedColumn> columns;
        for (size_t k = 0; k < keys_.size(); ++k)
            columns.push_back({make_constant(key_types_[k], key_types_[k]->default_value(), 1),
                               header()[k].type, header()[k].name});
        for (size_t a = 0; a < layout_.functions.size(); ++a)
        {
            const auto& named = header()[keys_.size() + a];
            columns.push_back({result_column(total, a, named.type), named.type, named.name});
        }
        totals_ = Block(std::move(columns), 1);
    }

    OperatorPtr input_;
    QueryContextPtr context_;
    StateLayout layout_;
    bool with_totals_;
    bool no_keys_returns_row_;
    bool with_set_column_ = false;
    std::vector<std::vector<size_t>> sets_;
    size_t block_rows_;
    size_t streams_ = 1;
    uint64_t max_groups_ = 0;
    std::vector<size_t> keys_;
    Types input_key_types_;
    Types key_types_;
    std::vector<std::vector<size_t>> arguments_;

    RunOnce once_;
    std::mutex output_mutex_;
    std::vector<Finished> finished_;
    std::optional<Block> totals_;
};

} // namespace

OperatorPtr build_aggregate(AggregateNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<AggregateOperator>(node, std::move(input), state);
}

} // namespace basalt
