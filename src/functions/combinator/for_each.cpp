// -ForEach: arrays item by item; the result is an array of results.

#include "base/error.h"
#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"
#include "functions/combinator/nested_states.h"

namespace basalt
{

namespace
{

constexpr size_t kMaxForEachItems = 1 << 24;

struct ItemStates
{
    PodVector<char*> states;
};

class ForEach final : public AggregateBase<ItemStates, ForEach>
{
public:
    ForEach(AggregateFunctionPtr inner, Types arguments, Values parameters)
        : AggregateBase(inner->name() + "ForEach", std::move(arguments), std::move(parameters)),
          inner_(std::move(inner)), result_(std::make_shared<ArrayType>(inner_->result_type()))
    {
    }
    TypePtr result_type() const override { return result_; }
    bool handles_nulls() const override { return true; }
    bool order_dependent() const override { return inner_->order_dependent(); }
    bool trivially_destroyed() const override { return false; }
    void destroy_state(char* at) const noexcept override
    {
        for (char* one : state(at).states)
            inner_->destroy_state(one);
        state(at).~ItemStates();
    }

    void add(ItemStates& items, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        std::vector<const Column*> columns;
        const auto& first = column_as<ArrayColumn>(*arguments[0]);
        const size_t length = first.length_of(row);
        for (const Column* argument : arguments)
        {
            const auto& array = column_as<ArrayColumn>(*argument);
            if (array.length_of(row) != length)
                throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                            "All arrays passed to aggregate function " + name() +
                                " must have the same length");
            columns.push_back(array.items().get());
        }
        grow(items, length, arena);
        for (size_t i = 0; i < length; ++i)
        {
            // Arrays of one row may begin at different places of their columns.
            if (columns.size() == 1)
            {
                const size_t at = first.begin_of(row) + i;
                inner_->add_range(items.states[i], columns, at, at + 1, arena);
                continue;
            }
            Columns one;
            std::vector<const Column*> one_row;
            for (size_t a = 0; a < columns.size(); ++a)
            {
                const auto& array = column_as<ArrayColumn>(*arguments[a]);
                one.push_back(columns[a]->slice(array.begin_of(row) + i, 1));
                one_row.push_back(one.back().get());
            }
            inner_->add_range(items.states[i], one_row, 0, 1, arena);
        }
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        const ItemStates& other = state(from);
        grow(state(into), other.states.size(), arena);
        for (size_t i = 0; i < other.states.size(); ++i)
            inner_->merge_state(state(into).states[i], other.states[i], arena);
    }
    void write_state(const char* from, std::string& out) const override
    {
        put_count(out, state(from).states.size());
        for (const char* one : state(from).states)
            inner_->write_state(one, out);
    }
    size_t read_state(char* into, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        const size_t items = in.count_of(1);
        for (size_t i = 0; i < items; ++i)
        {
            grow(state(into), i + 1, arena);
            in.skip(inner_->read_state(state(into).states[i], in.position(), in.left(), arena));
        }
        return in.consumed();
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        auto& array = column_as<ArrayColumn>(into);
        for (char* one : state(place).states)
            inner_->append_result(one, array.mutable_items(), arena);
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    void grow(ItemStates& items, size_t size, Arena& arena) const
    {
        if (size > kMaxForEachItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        "Suspiciously large array size (" + std::to_string(size) +
                            ") in -ForEach aggregate function");
        while (items.states.size() < size)
            items.states.push_back(new_state(*inner_, arena));
    }

    AggregateFunctionPtr inner_;
    TypePtr result_;
};

} // namespace

AggregateFunctionPtr combine_for_each(const AggregateRegistry& registry, const std::string& name,
                                      std::string_view inner, const Types& arguments,
                                      const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "-ForEach aggregate functions require at least one argument");
    Types items;
    for (const TypePtr& type : arguments)
    {
        if (!type->is(TypeId::Array))
            throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                        "Illegal type " + type->name() + " of argument for aggregate function " +
                            name + ". Must be array");
        items.push_back(type_as<ArrayType>(type).nested());
    }
    AggregateFunctionPtr function = registry.find(inner, items, parameters);
    if (!function)
        return nullptr;
    return std::make_shared<ForEach>(std::move(function), arguments, parameters);
}

} // namespace basalt
