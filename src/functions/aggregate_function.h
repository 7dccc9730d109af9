#pragma once

// Aggregate functions. A state is raw memory of state_size() bytes at state_alignment(), created
// and destroyed by the function (AggregateStateOps). An aggregate is one file in
// functions/aggregate/; combinators (-If, -State, -Merge, -Array, ...) wrap any of them.

#include "base/arena.h"
#include "columns/block.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace basalt
{

class AggregateFunction : public AggregateStateOps
{
public:
    virtual const std::string& name() const = 0;      // with combinators: "sumIf"
    virtual const Types& argument_types() const = 0;
    virtual const Values& parameters() const = 0;
    virtual TypePtr result_type() const = 0;

    // arguments: flat columns (constants are flattened by the caller) of argument_types().

    // Row i into the state at places[i] + offset.
    virtual void add_rows(std::span<char* const> places, size_t offset,
                          std::span<const Column* const> arguments, Arena& arena) const = 0;
    // Rows [begin, end) into one state.
    virtual void add_range(char* place, std::span<const Column* const> arguments, size_t begin,
                           size_t end, Arena& arena) const = 0;
    // Row i into the state at places[codes[i]] + offset, for blocks of few groups. The default
    // gives every row its place.
    virtual void add_grouped(std::span<const uint16_t> codes, std::span<char* const> places,
                             size_t offset, std::span<const Column* const> arguments,
                             Arena& arena) const;
    // Rows where mask is non-zero, into one state. The default filters the arguments.
    virtual void add_masked(char* place, std::span<const Column* const> arguments,
                            const uint8_t* mask, size_t rows, Arena& arena) const;

    // Appends the result; may change the state (sort values). `into`: column of result_type().
    virtual void append_result(char* place, Column& into, Arena& arena) const = 0;

    // add_rows, add_range and add_grouped take dictionary columns as they are.
    virtual bool takes_dictionaries() const { return false; }
    // Nullable arguments: the default skips rows with any NULL and gives Nullable results as
    // ClickHouse does; count(), any_respect_nulls and the like handle NULL themselves.
    virtual bool handles_nulls() const { return false; }
    // The answer does not depend on the order of rows; else the executor keeps it.
    virtual bool order_dependent() const { return false; }
};
using AggregateFunctionPtr = std::shared_ptr<const AggregateFunction>;

// The base class most functions use: State is a struct with a default constructor; Derived defines
//   void add(State&, std::span<const Column* const> arguments, size_t row, Arena&) const;
// and gets add_rows/add_range as loops over it with no virtual call per row.
template <class State, class Derived> class AggregateBase : public AggregateFunction
{
public:
    AggregateBase(std::string name, Types arguments, Values parameters)
        : name_(std::move(name)), arguments_(std::move(arguments)),
          parameters_(std::move(parameters))
    {
    }
    const std::string& name() const override { return name_; }
    const Types& argument_types() const override { return arguments_; }
    const Values& parameters() const override { return parameters_; }

    size_t state_size() const override { return sizeof(State); }
    size_t state_alignment() const override { return alignof(State); }
    void create_state(char* at) const override { new (at) State(); }
    void destroy_state(char* at) const noexcept override { state(at).~State(); }
    bool trivially_destroyed() const override { return std::is_trivially_destructible_v<State>; }

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        for (size_t i = 0; i < places.size(); ++i)
            derived().add(state(places[i] + offset), arguments, i, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        State& s = state(place);
        for (size_t i = begin; i < end; ++i)
            derived().add(s, arguments, i, arena);
    }

protected:
    static State& state(char* at) { return *std::launder(reinterpret_cast<State*>(at)); }
    static const State& state(const char* at)
    {
        return *std::launder(reinterpret_cast<const State*>(at));
    }

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }

    std::string name_;
    Types arguments_;
    Values parameters_;
};

// Makes the function for argument types (LowCardinality and, unless it handles NULL, Nullable
// removed). Throws NUMBER_OF_ARGUMENTS_DOESNT_MATCH, ILLEGAL_TYPE_OF_ARGUMENT, BAD_ARGUMENTS …
using AggregateFactory = AggregateFunctionPtr (*)(const std::string& name, const Types& arguments,
                                                  const Values& parameters);

// Longest name of an aggregate function with its combinators, which bounds how many they are.
inline constexpr size_t kMaxAggregateNameBytes = 256;

class AggregateRegistry
{
public:
    struct Traits
    {
        bool case_insensitive = false;
        bool handles_nulls = false;        // the factory sees Nullable types
        bool empty_result_is_null = false; // reserved for -OrNull-like behaviour
        // With Nullable arguments the result stays as it is: 0 for count and uniq over NULLs.
        bool default_when_all_null = false;
    };
    void add(std::string name, AggregateFactory factory, Traits traits);
    void add(std::string name, AggregateFactory factory) { add(std::move(name), factory, Traits{}); }
    void add_alias(std::string name, std::string alias_of, bool case_insensitive = false);

    // Name with any combinators. Null when there is none.
    AggregateFunctionPtr find(std::string_view name, const Types& arguments,
                              const Values& parameters) const;
    // Throws UNKNOWN_AGGREGATE_FUNCTION.
    AggregateFunctionPtr get(std::string_view name, const Types& arguments,
                             const Values& parameters) const;
    // Whether the name, with combinators stripped, is an aggregate function.
    bool exists(std::string_view name) const;

    struct Entry
    {
        std::string name;
        std::string alias_of;
        Traits traits;
        AggregateFactory factory;
    };
    std::vector<Entry> entries() const;
    // Suffixes of names: If, Array, State, …
    static std::vector<std::string> combinators();

private:
    const Entry* lookup(std::string_view name) const;
    AggregateFunctionPtr make(const Entry& entry, const Types& arguments,
                              const Values& parameters) const;

    std::map<std::string, Entry, std::less<>> by_name_;
    std::map<std::string, std::string, std::less<>> by_lower_name_;
};

// Every function of the folder aggregate/, registered on first use. Also installs itself as the
// resolver that columns' type_from_name uses for AggregateFunction(…) types.
const AggregateRegistry& aggregate_functions();
void register_all_aggregate(AggregateRegistry& registry);

} // namespace basalt
