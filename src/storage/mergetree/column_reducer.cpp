#include "storage/mergetree/column_reducer.h"

#include "base/error.h"
#include "functions/physical_dispatch.h"
#include "functions/simple_aggregate.h"

#include <algorithm>
#include <new>
#include <type_traits>

namespace basalt
{

namespace
{

size_t end_of(const RowIndexes& starts, size_t group, size_t rows)
{
    return group + 1 < starts.size() ? starts[group + 1] : rows;
}

class First final : public ColumnReducer
{
public:
    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        return column->take(starts);
    }
};

RowIndexes last_rows(const RowIndexes& starts, size_t rows)
{
    RowIndexes last(starts.size());
    for (size_t group = 0; group < starts.size(); ++group)
        last[group] = static_cast<uint32_t>(end_of(starts, group, rows) - 1);
    return last;
}

class Last final : public ColumnReducer
{
public:
    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        return column->take(last_rows(starts, column->size()));
    }
};

class LastNotNull final : public ColumnReducer
{
public:
    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        RowIndexes rows = last_rows(starts, column->size());
        for (size_t group = 0; group < starts.size(); ++group)
            while (rows[group] > starts[group] && column->is_null_at(rows[group]))
                --rows[group];
        return column->take(rows);
    }
};

// What sums of T are made in: unsigned integers wrap.
template <class T> struct SumIn
{
    using type = T;
};
template <class T>
    requires std::is_integral_v<T>
struct SumIn<T>
{
    using type = uint64_t;
};
template <> struct SumIn<Int128>
{
    using type = UInt128;
};
template <> struct SumIn<UInt128>
{
    using type = UInt128;
};

template <class T> class Sum final : public ColumnReducer
{
public:
    Sum(bool nullable, bool is_bool) : nullable_(nullable), is_bool_(is_bool) {}

    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        using In = typename SumIn<T>::type;
        const NullableColumn* nullable =
            nullable_ ? &column_as<NullableColumn>(column) : nullptr;
        const auto& values =
            column_as<VectorColumn<T>>(nullable ? nullable->nested() : column).data();
        const uint8_t* nulls = nullable ? nullable->null_map().data() : nullptr;
        auto sums = std::make_shared<VectorColumn<T>>(starts.size());
        auto all_null = std::make_shared<VectorColumn<uint8_t>>(nullable ? starts.size() : 0);
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const size_t end = end_of(starts, group, values.size());
            In sum{};
            bool any = false;
            for (size_t row = starts[group]; row < end; ++row)
                if (!nulls || !nulls[row])
                {
                    sum += static_cast<In>(values[row]);
                    any = true;
                }
            sums->data()[group] = is_bool_ ? T(sum != In{} ? 1 : 0) : static_cast<T>(sum);
            if (nullable)
                all_null->data()[group] = !any;
        }
        return nullable ? NullableColumn::make(std::move(sums), std::move(all_null))
                        : ColumnPtr(std::move(sums));
    }

    void mark_not_zero(const Column& column, Mask& mask) const override
    {
        const size_t rows = column.size();
        if (nullable_)
        {
            const auto& nulls = column_as<NullableColumn>(column).null_map();
            for (size_t row = 0; row < rows; ++row)
                mask[row] |= !nulls[row];
            return;
        }
        const auto& values = column_as<VectorColumn<T>>(column).data();
        for (size_t row = 0; row < rows; ++row)
            mask[row] |= values[row] != T{};
    }

private:
    bool nullable_, is_bool_;
};

class MergedStates final : public ColumnReducer
{
public:
    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        const auto& states = column_as<AggregateStateColumn>(column);
        const auto& ops = states.ops();
        MutableColumnPtr merged = column->clone_empty();
        auto& into = column_as<AggregateStateColumn>(*merged);
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const size_t end = end_of(starts, group, states.size());
            into.append_from(states, starts[group]);
            char* state = into.states()[group];
            for (size_t row = starts[group] + 1; row < end; ++row)
                ops.merge_state(state, states.states()[row], into.arena());
        }
        return merged;
    }
};

class SimpleAggregate final : public ColumnReducer
{
public:
    explicit SimpleAggregate(const SimpleAggregateFunctionType& type)
        : function_(simple_aggregate_of(type)),
          keeps_single_rows_(!strip_wrappers(type.nested())->is(TypeId::Array) &&
                             !strip_wrappers(type.nested())->is(TypeId::Map) &&
                             !strip_wrappers(type.nested())->is(TypeId::Tuple))
    {
    }

    ColumnPtr reduce(const ColumnPtr& column, const RowIndexes& starts) const override
    {
        const Column* argument = column.get();
        MutableColumnPtr results = function_->result_type()->create_column();
        const size_t size = std::max<size_t>(function_->state_size(), 1);
        Arena arena;
        for (size_t group = 0; group < starts.size(); ++group)
        {
            const size_t end = end_of(starts, group, column->size());
            if (keeps_single_rows_ && end == starts[group] + 1)
            {
                results->append_from(*column, starts[group]);
                continue;
            }
            const State state(*function_, size);
            function_->add_range(state.place, {&argument, 1}, starts[group], end, arena);
            function_->append_result(state.place, *results, arena);
        }
        return results;
    }
    bool keeps_single_rows() const override { return keeps_single_rows_; }

private:
    struct State
    {
        State(const AggregateFunction& of, size_t size)
            : function(of), alignment{std::max(of.state_alignment(), alignof(void*))},
              place(static_cast<char*>(::operator new(size, alignment)))
        {
            try
            {
                function.create_state(place);
            }
            catch (...)
            {
                ::operator delete(place, alignment);
                throw;
            }
        }
        ~State()
        {
            function.destroy_state(place);
            ::operator delete(place, alignment);
        }
        State(const State&) = delete;
        State& operator=(const State&) = delete;

        const AggregateFunction& function;
        std::align_val_t alignment;
        char* place;
    };

    AggregateFunctionPtr function_;
    bool keeps_single_rows_;
};

} // namespace

std::unique_ptr<ColumnReducer> first_of_group()
{
    return std::make_unique<First>();
}

std::unique_ptr<ColumnReducer> last_of_group()
{
    return std::make_unique<Last>();
}

std::unique_ptr<ColumnReducer> last_not_null_of_group()
{
    return std::make_unique<LastNotNull>();
}

std::unique_ptr<ColumnReducer> sum_of_group(const TypePtr& type)
{
    const bool nullable = type->is(TypeId::Nullable);
    const TypePtr bare = nullable ? remove_nullable(type) : type;
    if (!bare->is_integer() && !bare->is_float() && !bare->is_decimal())
        return nullptr;
    std::unique_ptr<ColumnReducer> sum;
    dispatch_vector(bare->physical(), [&]<class T>(TypeTag<T>)
                    { sum = std::make_unique<Sum<T>>(nullable, bare->is(TypeId::Bool)); });
    return sum;
}

std::unique_ptr<ColumnReducer> merged_states_of_group(const TypePtr& type)
{
    BASALT_ASSERT(type->is(TypeId::AggregateFunction));
    return std::make_unique<MergedStates>();
}

std::unique_ptr<ColumnReducer> simple_aggregate_of_group(const TypePtr& type)
{
    return std::make_unique<SimpleAggregate>(type_as<SimpleAggregateFunctionType>(type));
}

} // namespace basalt
