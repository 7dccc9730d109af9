// GROUP BY. Every stream aggregates into a table of its own; then tables are merged, by partitions
// of the key's hash on several threads when there are many groups.

#include "base/error.h"
#include "base/threads.h"
#include "encodings/shared_decimals.h"
#include "executor/build.h"
#include "executor/operators/aggregate_input.h"
#include "executor/operators/group_table.h"
#include "executor/overflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace basalt
{

namespace
{

constexpr size_t kParallelMergeGroups = 20000; // fewer groups are merged by one thread
constexpr size_t kPartitionBits = 4;
constexpr size_t kPartitions = size_t{1} << kPartitionBits;

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
        BASALT_ASSERT(keys_.size() <= 64 || !with_set_column_);
        max_groups_ = context_->settings.get_uint("max_rows_to_group_by");
        overflow_mode_ = overflow_mode(*context_, "group_by_overflow_mode");
        streams_ = input_->stream_count();
        if (with_totals_)
            prepare_totals(node);
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
                finished_.pop_front();
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
        MemoryCharge charge;
        size_t at = 0;
    };
    using TablePointer = std::unique_ptr<GroupTable>;

    void prepare_totals(const AggregateNode& node)
    {
        BASALT_ASSERT(sets_.size() == 1 && !with_set_column_);
        const auto mode = context_->settings.get("totals_mode");
        if (node.having && mode != "before_having")
        {
            having_type_ = node.having->type();
            having_ = std::make_unique<ExpressionProgram>(Expressions{node.having}, *context_);
        }
        overflow_counts_ = mode != "after_having_exclusive" || !having_;
        if (mode == "after_having_auto" && having_)
            overflow_share_ = context_->settings.get_float("totals_auto_threshold");
    }

    void aggregate()
    {
        // tables[set][stream]
        std::vector<std::vector<TablePointer>> tables(sets_.size());
        for (size_t s = 0; s < sets_.size(); ++s)
            for (size_t t = 0; t < streams_; ++t)
                tables[s].push_back(make_table(s));
        if (with_totals_)
            for (size_t t = 0; t <= streams_; ++t)
                overflow_.push_back(std::make_unique<GroupTable>(Types{}, layout_,
                                                                 context_->memory));
        std::atomic<bool> any_rows{false};
        StoppableInput input(*input_);
        drain(input, *context_,
              [&](size_t stream, Block&& block)
              {
                  any_rows.store(true, std::memory_order_relaxed);
                  if (!add_block(block, stream, tables))
                      input.stop();
              });
        input_.reset(); // what it holds is freed before the merge

        for (size_t s = 0; s < sets_.size(); ++s)
        {
            if (sets_[s].empty() && !any_rows.load() && !no_keys_returns_row_)
                continue;
            merge_and_finish(std::move(tables[s]), s);
        }
        if (with_totals_)
            make_totals();
    }

    TablePointer make_table(size_t set)
    {
        Types types;
        for (size_t k : sets_[set])
            types.push_back(input_key_types_[k]);
        return std::make_unique<GroupTable>(types, layout_, context_->memory);
    }

    CallArguments arguments_of(const Block& block) const
    {
        Columns flat(block.width());
        std::vector<Columns> columns(arguments_.size());
        for (size_t a = 0; a < arguments_.size(); ++a)
            for (size_t c : arguments_[a])
            {
                const ColumnPtr& given = block[c].column;
                if (given->form() == ColumnForm::Dictionary &&
                    layout_.functions[a]->takes_dictionaries())
                {
                    columns[a].push_back(given);
                    continue;
                }
                if (!flat[c] && given->form() == ColumnForm::Dictionary)
                    flat[c] = flatten_shared_decimals(column_as<DictionaryColumn>(*given));
                if (!flat[c])
                    flat[c] = to_flat(given);
                columns[a].push_back(flat[c]);
            }
        return CallArguments(std::move(columns));
    }

    // False when no more rows are wanted: group_by_overflow_mode = 'break'.
    bool add_block(const Block& block, size_t stream,
                   std::vector<std::vector<TablePointer>>& tables)
    {
        const CallArguments arguments = arguments_of(block);
        bool more = true;
        for (size_t s = 0; s < sets_.size(); ++s)
        {
            Columns keys;
            for (size_t k : sets_[s])
                keys.push_back(constant_if_uniform(block[keys_[k]].column));
            GroupTable& table = *tables[s][stream];
            const bool one_group = !table.is_closed() && all_constant(keys); // also without keys
            if (one_group)
            {
                table.find_groups(keys, 1);
                add_to_group(table, table.ids()[0], arguments, block.rows());
            }
            else if (table.find_few_groups(keys, block.rows()))
                add_grouped(table, arguments);
            else
            {
                table.find_groups(keys, block.rows());
                if (table.is_closed())
                    add_to_closed(table, stream, arguments);
                else
                    add_states(table, table.ids(), arguments, block.rows());
            }
            if (max_groups_ && !keys.empty() && table.size() > max_groups_)
                more = groups_overflow(table) && more;
        }
        return more;
    }

    bool groups_overflow(GroupTable& table) const
    {
        if (overflow_mode_ == OverflowMode::Throw)
            throw Error(error_codes::TOO_MANY_ROWS,
                        fmt::format("Limit for rows to GROUP BY exceeded: has {} rows, "
                                    "maximum: {}",
                                    table.size(), max_groups_));
        if (overflow_mode_ == OverflowMode::Any)
            table.close();
        return overflow_mode_ != OverflowMode::Break;
    }

    // Rows of groups that the table has; others count for the totals only.
    void add_to_closed(GroupTable& table, size_t stream, const CallArguments& arguments)
    {
        const size_t rows = table.ids().size();
        Mask known(rows, 0), unknown(rows, 0);
        PodVector<uint32_t> ids;
        for (size_t i = 0; i < rows; ++i)
        {
            known[i] = table.ids()[i] != kMissingKey;
            unknown[i] = !known[i];
            if (known[i])
                ids.push_back(table.ids()[i]);
        }
        if (!ids.empty())
            add_states(table, ids, filtered(arguments, known, ids.size()), ids.size());
        if (!overflow_.empty() && ids.size() < rows)
        {
            const size_t count = rows - ids.size();
            add_to_group(*overflow_[stream], 0, filtered(arguments, unknown, count), count);
        }
    }

    CallArguments filtered(const CallArguments& arguments, const Mask& mask, size_t kept) const
    {
        std::vector<Columns> columns;
        for (const Columns& call : arguments.owned)
        {
            columns.emplace_back();
            for (const ColumnPtr& column : call)
                columns.back().push_back(column->filter(mask, kept));
        }
        return CallArguments(std::move(columns));
    }

    void add_to_group(GroupTable& table, uint32_t group, const CallArguments& arguments, size_t rows)
    {
        if (arguments.of_call.empty())
            return;
        table.change_states(
            [&]
            {
                for (size_t a = 0; a < arguments.of_call.size(); ++a)
                    layout_.functions[a]->add_range(table.state(group) + layout_.offsets[a],
                                                    arguments.of_call[a], 0, rows, table.arena());
            });
    }

    // After find_few_groups().
    void add_grouped(GroupTable& table, const CallArguments& arguments)
    {
        const auto& calls = arguments.of_call;
        if (calls.empty())
            return;
        const RowCombinations& rows = table.combinations();
        const PodVector<uint16_t>& codes = rows.codes;
        const PodVector<char*>& places = table.state_of_number();
        thread_local PodVector<uint32_t> runs;
        runs.clear();
        // count() and the like look at no row.
        const auto by_counts = [&](size_t a) { return calls[a].empty() && !rows.counts.empty(); };
        for (size_t a = 0; a < calls.size(); ++a)
            if (!by_counts(a))
            {
                find_runs(codes, runs);
                break;
            }
        table.change_states(
            [&]
            {
                for (size_t a = 0; a < calls.size(); ++a)
                {
                    const AggregateFunction& function = *layout_.functions[a];
                    const size_t offset = layout_.offsets[a];
                    if (by_counts(a))
                    {
                        for (const uint16_t number : rows.used)
                            function.add_range(places[number] + offset, calls[a], 0,
                                               rows.counts[number], table.arena());
                        continue;
                    }
                    for (size_t r = 0; r + 1 < runs.size(); ++r)
                        function.add_range(places[codes[runs[r]]] + offset, calls[a], runs[r],
                                           runs[r + 1], table.arena());
                    if (runs.empty())
                        function.add_grouped({codes.data(), codes.size()},
                                             {places.data(), places.size()}, offset, calls[a],
                                             table.arena());
                }
            });
    }

    void add_states(GroupTable& table, const PodVector<uint32_t>& ids, const CallArguments& arguments,
                    size_t rows)
    {
        const auto& calls = arguments.of_call;
        if (calls.empty())
            return;
        Arena& arena = table.arena();
        thread_local PodVector<uint32_t> runs;
        find_runs(ids, runs);
        table.change_states(
            [&]
            {
                if (!runs.empty())
                {
                    for (size_t a = 0; a < calls.size(); ++a)
                        for (size_t r = 0; r + 1 < runs.size(); ++r)
                            layout_.functions[a]->add_range(
                                table.state(ids[runs[r]]) + layout_.offsets[a], calls[a], runs[r],
                                runs[r + 1], arena);
                    return;
                }
                thread_local PodVector<char*> places;
                places.resize(rows);
                char* const* states = table.states().data();
                for (size_t i = 0; i < rows; ++i)
                    places[i] = states[ids[i]];
                for (size_t a = 0; a < calls.size(); ++a)
                    layout_.functions[a]->add_rows({places.data(), rows}, layout_.offsets[a],
                                                   calls[a], arena);
            });
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
                tables[0]->merge(*tables[t], nullptr);
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
                                 merged->merge(*tables[t], &rows[t][p]);
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
            else if (is_nullable_or_lc_nullable(key_types_[k]) &&
                     column->form() != ColumnForm::Nullable)
                column = NullableColumn::make(
                    column, std::make_shared<VectorColumn<uint8_t>>(groups, uint8_t{0}));
            columns.push_back({column, header()[k].type, header()[k].name});
        }
        for (size_t a = 0; a < layout_.functions.size(); ++a)
        {
            const auto& named = header()[keys_.size() + a];
            columns.push_back({table.results(a, named.type), named.type, named.name});
        }
        if (with_set_column_)
            columns.push_back({std::make_shared<VectorColumn<uint64_t>>(groups, set_bits),
                               header().back().type, header().back().name});
        Block block(std::move(columns), groups);
        std::lock_guard lock(output_mutex_);
        if (with_totals_)
            add_to_totals(table, block);
        MemoryCharge charge(&context_->memory, block.byte_size());
        finished_.push_back({std::move(block), std::move(charge)});
    }

    void add_to_totals(GroupTable& table, const Block& block)
    {
        Mask counts;
        all_groups_ += block.rows();
        passed_groups_ += having_ ? column_to_mask(having_->run(block)[0], having_type_, counts)
                                  : block.rows();
        GroupTable& totals = *overflow_.back();
        totals.change_states(
            [&]
            {
                for (size_t i = 0; i < table.size(); ++i)
                    if (!having_ || counts[i])
                        layout_.merge(totals.state(0), table.state(i), totals.arena());
            });
    }

    void make_totals()
    {
        GroupTable& total = *overflow_.back();
        const bool enough = static_cast<double>(passed_groups_) >=
                            overflow_share_ * static_cast<double>(all_groups_);
        if (overflow_counts_ && enough)
            for (size_t t = 0; t + 1 < overflow_.size(); ++t)
                total.merge(*overflow_[t], nullptr);
        std::vector<NamedColumn> columns;
        for (size_t k = 0; k < keys_.size(); ++k)
            columns.push_back({make_constant(key_types_[k], key_types_[k]->default_value(), 1),
                               header()[k].type, header()[k].name});
        for (size_t a = 0; a < layout_.functions.size(); ++a)
        {
            const auto& named = header()[keys_.size() + a];
            columns.push_back({total.results(a, named.type), named.type, named.name});
        }
        totals_ = Block(std::move(columns), 1);
        overflow_.clear();
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
    OverflowMode overflow_mode_ = OverflowMode::Throw;
    std::vector<size_t> keys_;
    Types input_key_types_;
    Types key_types_;
    std::vector<std::vector<size_t>> arguments_;

    RunOnce once_;
    std::mutex output_mutex_;
    std::deque<Finished> finished_;

    // WITH TOTALS. HAVING decides which groups count, rows past max_rows_to_group_by are kept
    // apart, one state per stream; the last state becomes the totals.
    std::unique_ptr<ExpressionProgram> having_;
    TypePtr having_type_;
    std::vector<TablePointer> overflow_;
    bool overflow_counts_ = false;
    double overflow_share_ = 0; // of groups that must pass HAVING for the overflow to count
    size_t all_groups_ = 0, passed_groups_ = 0;
    std::optional<Block> totals_;
};

} // namespace

OperatorPtr build_aggregate(AggregateNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<AggregateOperator>(node, std::move(input), state);
}

} // namespace basalt
