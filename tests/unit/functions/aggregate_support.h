#pragma once

// Running aggregate functions over columns made of text, for tests.

#include "base/error.h"
#include "functions/aggregate_function.h"

#include <memory>
#include <random>

namespace basalt::aggregate_test
{

using Rows = std::vector<Values>; // one Values per row

inline Columns columns_of(const Types& types, const Rows& rows)
{
    std::vector<MutableColumnPtr> columns;
    for (const TypePtr& type : types)
        columns.push_back(type->create_column());
    for (const Values& row : rows)
        for (size_t i = 0; i < types.size(); ++i)
            columns[i]->append_value(row[i]);
    return Columns(columns.begin(), columns.end());
}

inline std::vector<const Column*> pointers(const Columns& columns)
{
    std::vector<const Column*> result;
    for (const ColumnPtr& column : columns)
        result.push_back(column.get());
    return result;
}

// A state that is destroyed with it.
class OwnedState
{
public:
    explicit OwnedState(const AggregateFunction& function)
        : function_(function), arena(std::make_unique<Arena>()),
          place(arena->allocate(function.state_size(), function.state_alignment()))
    {
        function.create_state(place);
    }
    OwnedState(OwnedState&& other) noexcept
        : function_(other.function_), arena(std::move(other.arena)), place(other.place)
    {
        other.place = nullptr;
    }
    ~OwnedState()
    {
        if (place)
            function_.destroy_state(place);
    }

    std::string result_text()
    {
        MutableColumnPtr column = function_.result_type()->create_column();
        function_.append_result(place, *column, *arena);
        EXPECT_EQ(column->size(), 1u);
        return column->value_at(0).to_text();
    }
    std::string bytes() const
    {
        std::string out;
        function_.write_state(place, out);
        return out;
    }

private:
    const AggregateFunction& function_;

public:
    std::unique_ptr<Arena> arena;
    char* place;
};

inline TypePtr t(const char* name)
{
    return type_from_name(name);
}

inline AggregateFunctionPtr function(std::string_view name, const std::vector<const char*>& types,
                                     const Values& parameters = {})
{
    Types arguments;
    for (const char* type : types)
        arguments.push_back(type_from_name(type));
    return aggregate_functions().get(name, arguments, parameters);
}

// The result over the rows, added in one range.
inline std::string run(const AggregateFunction& function, const Columns& columns, size_t rows)
{
    OwnedState state(function);
    function.add_range(state.place, pointers(columns), 0, rows, *state.arena);
    return state.result_text();
}

inline std::string run(std::string_view name, const std::vector<const char*>& types,
                       const Rows& rows, const Values& parameters = {})
{
    const AggregateFunctionPtr made = function(name, types, parameters);
    return run(*made, columns_of(made->argument_types(), rows), rows.size());
}

// One argument.
inline std::string run1(std::string_view name, const char* type, const Values& values,
                        const Values& parameters = {})
{
    Rows rows;
    for (const Value& value : values)
        rows.push_back({value});
    return run(name, {type}, rows, parameters);
}

inline Values u(std::initializer_list<uint64_t> numbers)
{
    Values values;
    for (const uint64_t number : numbers)
        values.emplace_back(number);
    return values;
}

} // namespace basalt::aggregate_test
