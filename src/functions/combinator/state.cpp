// -State gives the state itself; -Merge takes states; -SimpleState gives the result in the type
// SimpleAggregateFunction.

#include "base/error.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

class State final : public WrappedAggregate
{
public:
    State(AggregateFunctionPtr inner, Types arguments, Values parameters)
        : WrappedAggregate(inner->name() + "State", inner, std::move(arguments),
                           std::move(parameters)),
          result_(std::make_shared<AggregateFunctionType>(inner, state_type_name(*inner),
                                                          inner->argument_types()))
    {
    }
    TypePtr result_type() const override { return result_; }
    void append_result(char* place, Column& into, Arena&) const override
    {
        auto& column = column_as<AggregateStateColumn>(into);
        inner_->merge_state(column.append_new(), place, column.arena());
    }

private:
    TypePtr result_;
};

// Its own states are those of the inner function, and so -MergeState gives the inner's type.
class Merge final : public WrappedAggregate
{
public:
    using WrappedAggregate::WrappedAggregate;

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        const PodVector<char*>& states = states_of(arguments);
        for (size_t i = 0; i < places.size(); ++i)
            inner_->merge_state(places[i] + offset, states[i], arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        const PodVector<char*>& states = states_of(arguments);
        for (size_t i = begin; i < end; ++i)
            inner_->merge_state(place, states[i], arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        const PodVector<char*>& states = states_of(arguments);
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                inner_->merge_state(place, states[i], arena);
    }

private:
    static const PodVector<char*>& states_of(std::span<const Column* const> arguments)
    {
        return column_as<AggregateStateColumn>(*arguments[0]).states();
    }
};

class SimpleState final : public WrappedAggregate
{
public:
    SimpleState(AggregateFunctionPtr inner, Types arguments, Values parameters, TypePtr result)
        : WrappedAggregate(inner->name() + "SimpleState", inner, std::move(arguments),
                           std::move(parameters)),
          result_(std::move(result))
    {
    }
    TypePtr result_type() const override { return result_; }

private:
    TypePtr result_;
};

} // namespace

AggregateFunctionPtr combine_state(const AggregateRegistry& registry, const std::string&,
                                   std::string_view inner, const Types& arguments,
                                   const Values& parameters)
{
    AggregateFunctionPtr function = registry.find(inner, arguments, parameters);
    if (!function)
        return nullptr;
    if (const auto* merge = dynamic_cast<const Merge*>(function.get()))
        function = std::make_shared<State>(merge->inner(), merge->inner()->argument_types(),
                                           merge->inner()->parameters());
    else
        return std::make_shared<State>(std::move(function), arguments, parameters);
    // States in, states out: the outer name and arguments are those of the call.
    class MergeState final : public WrappedAggregate
    {
    public:
        MergeState(AggregateFunctionPtr merging, AggregateFunctionPtr state, Types types,
                   Values values)
            : WrappedAggregate(merging->name() + "State", merging, std::move(types),
                               std::move(values)),
              state_(std::move(state))
        {
        }
        TypePtr result_type() const override { return state_->result_type(); }
        void append_result(char* place, Column& into, Arena& arena) const override
        {
            state_->append_result(place, into, arena);
        }

    private:
        AggregateFunctionPtr state_;
    };
    return std::make_shared<MergeState>(registry.find(inner, arguments, parameters),
                                        std::move(function), arguments, parameters);
}

AggregateFunctionPtr combine_merge(const AggregateRegistry& registry, const std::string& name,
                                   std::string_view inner, const Types& arguments,
                                   const Values& parameters)
{
    if (arguments.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of arguments for aggregate function with Merge suffix");
    const auto wrong_type = [&]
    {
        return Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                     "Illegal type " + arguments[0]->name() +
                         " of argument for aggregate function " + name +
                         ", expected AggregateFunction(" + std::string(inner) + ", ...)");
    };
    if (!arguments[0]->is(TypeId::AggregateFunction))
        throw wrong_type();
    const auto& type = type_as<AggregateFunctionType>(arguments[0]);
    auto function = std::dynamic_pointer_cast<const AggregateFunction>(type.ops());
    BASALT_ASSERT(function);
    const AggregateFunctionPtr expected =
        registry.find(inner, function->argument_types(),
                      parameters.empty() ? function->parameters() : parameters);
    // quantile(0.9) merges states of quantile(0.5): same values, another question.
    const bool same_states = expected && expected->name() == function->name() &&
                             expected->state_size() == function->state_size();
    if (!same_states)
        throw wrong_type();
    return std::make_shared<Merge>(expected->name() + "Merge", expected, arguments, parameters);
}

AggregateFunctionPtr combine_simple_state(const AggregateRegistry& registry, const std::string&,
                                          std::string_view inner, const Types& arguments,
                                          const Values& parameters)
{
    AggregateFunctionPtr function = registry.find(inner, arguments, parameters);
    if (!function)
        return nullptr;
    TypePtr result = type_from_name("SimpleAggregateFunction(" + function->name() + ", " +
                                    function->result_type()->name() + ")");
    return std::make_shared<SimpleState>(std::move(function), arguments, parameters,
                                         std::move(result));
}

} // namespace basalt
