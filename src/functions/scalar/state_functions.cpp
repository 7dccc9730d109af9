// initializeAggregation, finalizeAggregation, runningAccumulate: states of aggregate functions row
// by row.

#include "functions/aggregate_function.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <unordered_map>

namespace basalt
{
namespace
{

// The function whose states a column holds.
std::shared_ptr<const AggregateFunction> function_of(const TypeCall& call)
{
    if (!call.type(0)->is(TypeId::AggregateFunction))
        throw_illegal_type(call.name, call.arguments, 0, "state of an aggregate function");
    auto function = std::dynamic_pointer_cast<const AggregateFunction>(
        type_as<AggregateFunctionType>(call.type(0)).ops());
    BASALT_ASSERT(function);
    return function;
}

std::shared_ptr<const AggregateFunction> function_of(const Call& call)
{
    return function_of(TypeCall{call.name, call.arguments, call.context});
}

TypePtr finalized_type(const TypeCall& call)
{
    return function_of(call)->result_type();
}

// Results are taken from copies: taking one may change the state.
ColumnPtr run_finalize(const Call& call)
{
    const auto function = function_of(call);
    const ColumnPtr flat = to_flat(call.column(0));
    MutableColumnPtr copies = flat->clone_empty();
    copies->append_range(*flat, 0, call.rows);
    auto& states = column_as<AggregateStateColumn>(*copies);
    MutableColumnPtr result = call.result_type->create_column();
    for (size_t i = 0; i < call.rows; ++i)
        function->append_result(states.states()[i], *result, states.arena());
    return result;
}

TypePtr running_type(const TypeCall& call)
{
    if (!call.context.settings.get_bool("allow_deprecated_error_prone_window_functions"))
        throw Error(error_codes::DEPRECATED_FUNCTION,
                    fmt::format("Function {} is deprecated since its usage is error-prone (see "
                                "docs).Please use proper window function or set "
                                "`allow_deprecated_error_prone_window_functions` setting to "
                                "enable it",
                                call.name));
    return function_of(call)->result_type();
}

// Within a block, anew where the second argument changes.
ColumnPtr run_running(const Call& call)
{
    const auto function = function_of(call);
    const ColumnPtr flat = to_flat(call.column(0));
    const auto& states = column_as<AggregateStateColumn>(flat).states();
    const ColumnPtr groups = call.size() > 1 ? to_flat(call.column(1)) : nullptr;
    MutableColumnPtr sums = flat->clone_empty();
    auto& running = column_as<AggregateStateColumn>(*sums);
    MutableColumnPtr copies = flat->clone_empty();
    auto& taken = column_as<AggregateStateColumn>(*copies);
    MutableColumnPtr result = call.result_type->create_column();
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (i == 0 || (groups && groups->compare_at(i, *groups, i - 1, 1) != 0))
            running.append_new();
        char* const sum = running.states()[running.size() - 1];
        function->merge_state(sum, states[i], running.arena());
        char* const copy = taken.append_new();
        function->merge_state(copy, sum, taken.arena());
        function->append_result(copy, *result, taken.arena());
    }
    return result;
}

AggregateFunctionPtr initialized(std::string_view name, const Arguments& arguments)
{
    const std::string aggregate = constant_text(name, arguments, 0);
    Types types;
    for (size_t i = 1; i < arguments.size(); ++i)
        types.push_back(remove_low_cardinality(arguments[i].type));
    return aggregate_functions().get(aggregate, types, {});
}

TypePtr initialized_type(const TypeCall& call)
{
    return initialized(call.name, call.arguments)->result_type();
}

ColumnPtr run_initialize(const Call& call)
{
    const AggregateFunctionPtr function = initialized(call.name, call.arguments);
    Columns owners;
    std::vector<const Column*> columns;
    for (size_t i = 1; i < call.size(); ++i)
    {
        owners.push_back(to_flat(call.column(i)));
        columns.push_back(owners.back().get());
    }
    MutableColumnPtr result = call.result_type->create_column();
    AggregateStateColumn states(function);
    for (size_t i = 0; i < call.rows; ++i)
    {
        char* const state = states.append_new();
        function->add_range(state, columns, i, i + 1, states.arena());
        function->append_result(state, *result, states.arena());
    }
    return result;
}

constexpr FunctionSpec kFinalize{"finalizeAggregation", "*", finalized_type, run_finalize};
constexpr FunctionSpec kRunning{"runningAccumulate", "* [ *", running_type, run_running,
                                kVolatileInQuery | kKeepNulls};
constexpr FunctionSpec kInitialize{"initializeAggregation", "s! *...", initialized_type,
                                   run_initialize, kKeepNulls};

} // namespace

void register_state_functions(ScalarRegistry& registry)
{
    add_all<kFinalize, kRunning, kInitialize>(registry);
}

} // namespace basalt
