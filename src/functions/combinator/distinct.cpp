// -Distinct: each combination of arguments once. The state is the set of their keys; the inner
// function runs over them when the result is asked for.

#include "functions/aggregate/key_set.h"
#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"

#include <memory>

namespace basalt
{

namespace
{

class Distinct final : public AggregateBase<KeySet, Distinct>
{
public:
    Distinct(AggregateFunctionPtr inner, Types arguments, Values parameters)
        : AggregateBase(inner->name() + "Distinct", std::move(arguments), std::move(parameters)),
          inner_(std::move(inner))
    {
        for (const TypePtr& type : argument_types())
            shapes_.push_back(type->create_column());
    }
    TypePtr result_type() const override { return inner_->result_type(); }
    bool handles_nulls() const override { return true; }

    void add(KeySet& set, std::span<const Column* const> arguments, size_t row, Arena& arena) const
    {
        PodVector<char> key;
        for (const Column* argument : arguments)
            argument->append_key(row, key);
        set.insert({key.data(), key.size()}, arena);
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        KeySet& set = state(into);
        state(from).for_each([&](std::string_view key) { set.insert(key, arena); });
    }
    void write_state(const char* from, std::string& out) const override
    {
        const KeySet& set = state(from);
        put_count(out, set.size());
        set.for_each([&](std::string_view key) { out.append(key); });
    }
    size_t read_state(char* into, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const char* key = in.position();
            for (const MutableColumnPtr& shape : shapes_)
            {
                // A copy, because shapes are shared by threads.
                const MutableColumnPtr one = shape->clone_empty();
                read_key(*one, in);
            }
            state(into).insert({key, static_cast<size_t>(in.position() - key)}, arena);
        }
        return in.consumed();
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        std::vector<MutableColumnPtr> columns;
        for (const MutableColumnPtr& shape : shapes_)
            columns.push_back(shape->clone_empty());
        state(place).for_each(
            [&](std::string_view key)
            {
                const char* at = key.data();
                for (const MutableColumnPtr& column : columns)
                    at = column->append_from_key(at);
            });
        std::vector<const Column*> arguments;
        for (const MutableColumnPtr& column : columns)
            arguments.push_back(column.get());
        char* inner_place = arena.allocate(inner_->state_size(), inner_->state_alignment());
        inner_->create_state(inner_place);
        try
        {
            inner_->add_range(inner_place, arguments, 0, state(place).size(), arena);
            inner_->append_result(inner_place, into, arena);
        }
        catch (...)
        {
            inner_->destroy_state(inner_place);
            throw;
        }
        inner_->destroy_state(inner_place);
    }

private:
    AggregateFunctionPtr inner_;
    std::vector<MutableColumnPtr> shapes_;
};

} // namespace

AggregateFunctionPtr combine_distinct(const AggregateRegistry& registry, const std::string& name,
                                      std::string_view inner, const Types& arguments,
                                      const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of arguments for aggregate function " + name);
    AggregateFunctionPtr function = registry.find(inner, arguments, parameters);
    if (!function)
        return nullptr;
    return std::make_shared<Distinct>(std::move(function), arguments, parameters);
}

} // namespace basalt
