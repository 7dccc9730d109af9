#pragma once

// Combinators: suffixes of aggregate functions' names. Each makes a function around the one that
// the rest of the name gives.

#include "functions/aggregate_function.h"

#include <string_view>

namespace basalt
{

// `name` is the whole name, `inner` the name without the suffix. Null when there is no inner
// function.
using CombinatorFactory = AggregateFunctionPtr (*)(const AggregateRegistry& registry,
                                                   const std::string& name,
                                                   std::string_view inner, const Types& arguments,
                                                   const Values& parameters);

struct Combinator
{
    const char* suffix;
    CombinatorFactory make;
};
std::span<const Combinator> all_combinators();

AggregateFunctionPtr combine_if(const AggregateRegistry&, const std::string&, std::string_view,
                                const Types&, const Values&);
AggregateFunctionPtr combine_array(const AggregateRegistry&, const std::string&, std::string_view,
                                   const Types&, const Values&);
AggregateFunctionPtr combine_state(const AggregateRegistry&, const std::string&, std::string_view,
                                   const Types&, const Values&);
AggregateFunctionPtr combine_simple_state(const AggregateRegistry&, const std::string&,
                                          std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_merge(const AggregateRegistry&, const std::string&, std::string_view,
                                   const Types&, const Values&);
AggregateFunctionPtr combine_distinct(const AggregateRegistry&, const std::string&,
                                      std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_or_null(const AggregateRegistry&, const std::string&,
                                     std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_or_default(const AggregateRegistry&, const std::string&,
                                        std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_for_each(const AggregateRegistry&, const std::string&,
                                      std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_map(const AggregateRegistry&, const std::string&, std::string_view,
                                 const Types&, const Values&);
AggregateFunctionPtr combine_resample(const AggregateRegistry&, const std::string&,
                                      std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_arg_min(const AggregateRegistry&, const std::string&,
                                     std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_arg_max(const AggregateRegistry&, const std::string&,
                                     std::string_view, const Types&, const Values&);
AggregateFunctionPtr combine_tuple(const AggregateRegistry&, const std::string&, std::string_view,
                                   const Types&, const Values&);

// The inner function for Nullable arguments: rows with a NULL are skipped. The result is Nullable
// where it can be, unless keep_result.
AggregateFunctionPtr skip_nulls(AggregateFunctionPtr inner, Types arguments, bool keep_result);
// A function of NULLs alone: NULL, or 0 of UInt64 when `zero`.
AggregateFunctionPtr aggregate_of_nothing(std::string name, Types arguments, Values parameters,
                                          bool zero);

// The text of a type AggregateFunction(…) for states of the function.
std::string state_type_name(const AggregateFunction& function);

// A function around another, with `kPrefix` bytes of its own before the inner state when `prefix`.
class WrappedAggregate : public AggregateFunction
{
public:
    WrappedAggregate(std::string name, AggregateFunctionPtr inner, Types arguments,
                     Values parameters, bool prefix = false)
        : inner_(std::move(inner)), prefix_(prefix ? inner_->state_alignment() : 0),
          name_(std::move(name)), arguments_(std::move(arguments)),
          parameters_(std::move(parameters))
    {
    }
    const std::string& name() const override { return name_; }
    const Types& argument_types() const override { return arguments_; }
    const Values& parameters() const override { return parameters_; }
    TypePtr result_type() const override { return inner_->result_type(); }
    bool order_dependent() const override { return inner_->order_dependent(); }
    bool handles_nulls() const override { return true; }

    size_t state_size() const override { return prefix_ + inner_->state_size(); }
    size_t state_alignment() const override { return inner_->state_alignment(); }
    void create_state(char* at) const override
    {
        if (prefix_)
            *at = 0;
        inner_->create_state(at + prefix_);
    }
    void destroy_state(char* at) const noexcept override { inner_->destroy_state(at + prefix_); }
    bool trivially_destroyed() const override { return inner_->trivially_destroyed(); }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        if (prefix_)
            *into |= *from;
        inner_->merge_state(into + prefix_, from + prefix_, arena);
    }
    void write_state(const char* state, std::string& out) const override
    {
        inner_->write_state(state + prefix_, out);
    }
    size_t read_state(char* state, const char* data, size_t size, Arena& arena) const override
    {
        return inner_->read_state(state + prefix_, data, size, arena);
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        inner_->add_rows(places, offset + prefix_, arguments, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        inner_->add_range(place + prefix_, arguments, begin, end, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        inner_->add_masked(place + prefix_, arguments, mask, rows, arena);
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        inner_->append_result(place + prefix_, into, arena);
    }

    const AggregateFunctionPtr& inner() const { return inner_; }

protected:
    AggregateFunctionPtr inner_;
    size_t prefix_; // bytes before the inner state; the first is a flag

    // The rows of the mask into their places.
    void add_rows_masked(std::span<char* const> places, size_t offset,
                         std::span<const Column* const> arguments, const Mask& mask,
                         Arena& arena) const;

private:
    std::string name_;
    Types arguments_;
    Values parameters_;
};

} // namespace basalt
