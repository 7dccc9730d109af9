#include "storage/mergetree/ttl_rollup.h"

#include "base/error.h"
#include "storage/mergetree/key_runs.h"

#include <algorithm>
#include <new>

namespace basalt
{

// The first row that goes and the aggregates' states.
class RowRollup::States
{
public:
    explicit States(const TtlRollup& rollup) : rollup_(rollup)
    {
        for (const auto& aggregate : rollup_.aggregates)
        {
            const auto& function = *aggregate.function;
            const std::align_val_t alignment{
                std::max(function.state_alignment(), alignof(void*))};
            char* place = static_cast<char*>(
                ::operator new(std::max<size_t>(function.state_size(), 1), alignment));
            try
            {
                function.create_state(place);
                places_.push_back(place);
            }
            catch (...)
            {
                ::operator delete(place, alignment);
                destroy();
                throw;
            }
        }
    }
    ~States() { destroy(); }
    States(const States&) = delete;
    States& operator=(const States&) = delete;

    // Row [begin, end) of flat arguments.
    void add(const Columns& arguments, const std::vector<size_t>& first, size_t begin, size_t end)
    {
        for (size_t i = 0; i < places_.size(); ++i)
        {
            std::vector<const Column*> own;
            for (size_t a = 0; a < rollup_.aggregates[i].arguments.size(); ++a)
                own.push_back(arguments[first[i] + a].get());
            rollup_.aggregates[i].function->add_range(places_[i], own, begin, end, arena_);
        }
    }
    void append_results(std::vector<MutableColumnPtr>& into)
    {
        for (size_t i = 0; i < places_.size(); ++i)
            rollup_.aggregates[i].function->append_result(places_[i], *into[i], arena_);
    }

private:
    void destroy()
    {
        for (size_t i = 0; i < places_.size(); ++i)
        {
            const auto& function = *rollup_.aggregates[i].function;
            function.destroy_state(places_[i]);
            ::operator delete(places_[i], std::align_val_t{std::max(function.state_alignment(),
                                                                    alignof(void*))});
        }
        places_.clear();
    }

    const TtlRollup& rollup_;
    std::vector<char*> places_;
    Arena arena_;
};

RowRollup::RowRollup(const MutationCommand& command, const TableMetadata& metadata,
                     const QueryContext& context)
    : rollup_(command.rollup), context_(context), header_(metadata.physical_header()),
      due_type_(command.predicate->type()),
      due_(std::make_unique<ExpressionProgram>(Expressions{command.predicate}, context))
{
    BASALT_ASSERT(rollup_);
    Expressions arguments;
    for (const auto& aggregate : rollup_->aggregates)
    {
        argument_begin_.push_back(arguments.size());
        arguments.insert(arguments.end(), aggregate.arguments.begin(), aggregate.arguments.end());
        results_.push_back(aggregate.function->result_type()->create_column());
    }
    if (!arguments.empty())
        arguments_ = std::make_unique<ExpressionProgram>(arguments, context);
    Expressions updates;
    for (const auto& [name, value] : rollup_->updates)
        updates.push_back(value);
    if (!updates.empty())
        updates_ = std::make_unique<ExpressionProgram>(updates, context);
    const auto& key = metadata.sorting_key.expressions;
    BASALT_ASSERT(rollup_->key_parts <= key.size());
    if (rollup_->key_parts)
        key_ = std::make_unique<ExpressionProgram>(
            Expressions(key.begin(), key.begin() + static_cast<ptrdiff_t>(rollup_->key_parts)),
            context);
    key_order_.resize(rollup_->key_parts);
    for (size_t i = 0; i < key_order_.size(); ++i)
        key_order_[i].column = i;
    for (const auto& column : header_)
        ready_.push_back(column.type->create_column());
}

RowRollup::~RowRollup() = default;

void RowRollup::add(const Block& block, const Emit& emit)
{
    if (block.rows() == 0)
        return;
    Mask due;
    column_to_mask(due_->run(block)[0], due_type_, due);
    Columns arguments;
    if (arguments_)
        for (const auto& column : arguments_->run(block))
            arguments.push_back(to_flat(column));
    Block keys;
    if (key_)
    {
        const Columns values = key_->run(block);
        for (size_t i = 0; i < values.size(); ++i)
            keys.add({to_flat(values[i]), key_->roots()[i]->type(), std::to_string(i)});
    }
    keys.set_rows(block.rows());
    const RowIndexes starts = key_run_starts(keys, key_order_);
    for (size_t group = 0; group < starts.size(); ++group)
    {
        const size_t end = group + 1 < starts.size() ? starts[group + 1] : block.rows();
        if (group || (last_key_.rows() && compare_rows(last_key_, 0, keys, 0, key_order_) != 0))
            close_group();
        add_rows(block, due, arguments, starts[group], end);
    }
    last_key_ = keys.slice(block.rows() - 1, 1);
    flush(emit);
}

// Rows of one key.
void RowRollup::add_rows(const Block& block, const Mask& due, const Columns& arguments,
                         size_t begin, size_t end)
{
    for (size_t at = begin; at < end;)
    {
        size_t stop = at + 1;
        while (stop < end && (due[stop] != 0) == (due[at] != 0))
            ++stop;
        if (due[at])
        {
            if (!states_)
            {
                put(block, at, 1);
                rolled_[rolled_.size() - 1] = 1;
                states_ = std::make_unique<States>(*rollup_);
            }
            states_->add(arguments, argument_begin_, at, stop);
        }
        else
        {
            close_group();
            put(block, at, stop - at);
        }
        at = stop;
    }
}

void RowRollup::put(const Block& block, size_t begin, size_t count)
{
    for (size_t i = 0; i < ready_.size(); ++i)
        ready_[i]->append_range(*to_flat(block[i].column->slice(begin, count)), 0, count);
    rolled_.resize_fill(rolled_.size() + count, 0);
}

void RowRollup::close_group()
{
    if (states_)
        states_->append_results(results_);
    states_ = nullptr;
}

// Only between groups: the results of an open one are not known.
void RowRollup::flush(const Emit& emit)
{
    if (states_ || rolled_.empty())
        return;
    Block block;
    for (size_t i = 0; i < header_.size(); ++i)
    {
        block.add({ready_[i], header_[i].type, header_[i].name});
        ready_[i] = header_[i].type->create_column();
    }
    const size_t rolled = count_kept(rolled_);
    if (rolled && updates_)
    {
        Block groups = block.filter(rolled_, rolled);
        for (size_t i = 0; i < results_.size(); ++i)
            groups.add({results_[i], rollup_->aggregates[i].function->result_type(),
                        rollup_->aggregates[i].name});
        const Columns values = updates_->run(groups);
        for (size_t u = 0; u < values.size(); ++u)
        {
            auto& column = block[static_cast<size_t>(block.find(rollup_->updates[u].first))];
            const ColumnPtr value = to_flat(values[u]);
            MutableColumnPtr merged = column.type->create_column();
            size_t next = 0;
            for (size_t row = 0; row < rolled_.size(); ++row)
                if (rolled_[row])
                    merged->append_from(*value, next++);
                else
                    merged->append_from(*column.column, row);
            column.column = std::move(merged);
        }
    }
    for (size_t i = 0; i < results_.size(); ++i)
        results_[i] = rollup_->aggregates[i].function->result_type()->create_column();
    rolled_.clear();
    emit(std::move(block));
}

void RowRollup::finish(const Emit& emit)
{
    close_group();
    flush(emit);
    last_key_ = Block();
}

} // namespace basalt
