#pragma once

// What aggregate functions are made of. AggregateOf asks of Derived
//   void merge(State&, const State&, Arena&) const;
//   void write(const State&, std::string&) const;
//   void read(State&, StateReader&, Arena&) const;
//   void result(State&, Column& into, Arena&) const;
// besides add() of AggregateBase. VectorAggregate, for one argument of a fixed width, asks
//   void add_value(State&, T) const;
// instead of add() and loops over the values without a look at the column.

#include "functions/aggregate/state_io.h"
#include "functions/aggregate_function.h"
#include "functions/physical_dispatch.h"

#include <limits>

namespace basalt
{

template <class T>
concept Integer = std::is_integral_v<T> || std::is_same_v<T, Int128> ||
                  std::is_same_v<T, UInt128> || std::is_same_v<T, Int256> ||
                  std::is_same_v<T, UInt256>;

template <class State, class Derived> class AggregateOf : public AggregateBase<State, Derived>
{
public:
    AggregateOf(std::string name, Types arguments, Values parameters, TypePtr result)
        : AggregateBase<State, Derived>(std::move(name), std::move(arguments),
                                        std::move(parameters)),
          result_(std::move(result))
    {
    }
    TypePtr result_type() const override { return result_; }

    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        derived().merge(this->state(into), this->state(from), arena);
    }
    void write_state(const char* from, std::string& out) const override
    {
        derived().write(this->state(from), out);
    }
    size_t read_state(char* into, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        derived().read(this->state(into), in, arena);
        return in.consumed();
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        derived().result(this->state(place), into, arena);
    }

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }

    TypePtr result_;
};

template <class T, class State, class Derived>
class VectorAggregate : public AggregateOf<State, Derived>
{
public:
    using AggregateOf<State, Derived>::AggregateOf;

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        derived().add_value(state, values(arguments)[row]);
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        const T* from = values(arguments);
        for (size_t i = 0; i < places.size(); ++i)
            derived().add_value(this->state(places[i] + offset), from[i]);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        const T* from = values(arguments);
        State& state = this->state(place);
        for (size_t i = begin; i < end; ++i)
            derived().add_value(state, from[i]);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        const T* from = values(arguments);
        State& state = this->state(place);
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                derived().add_value(state, from[i]);
    }

protected:
    static const T* values(std::span<const Column* const> arguments)
    {
        return column_as<VectorColumn<T>>(*arguments[0]).data().data();
    }

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

template <class T> inline PodVector<T>& vector_of(Column& column)
{
    return column_as<VectorColumn<T>>(column).data();
}
template <class T> inline const PodVector<T>& vector_of(const Column& column)
{
    return column_as<VectorColumn<T>>(column).data();
}

// A value of a fixed width as double; decimals by their mantissa.
template <class T> inline double as_double(const T& value)
{
    return static_cast<double>(value);
}

inline double power_of_ten(uint32_t exponent)
{
    double power = 1;
    for (uint32_t i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

// Errors in ClickHouse's words.
inline void expect_arguments(const std::string& name, const Types& arguments, size_t count)
{
    if (arguments.size() == count)
        return;
    const std::string wanted = count == 0   ? "cannot have arguments"
                               : count == 1 ? "requires single argument"
                               : count == 2 ? "requires exactly two arguments"
                                            : "requires " + std::to_string(count) + " arguments";
    throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                "Aggregate function " + name + " " + wanted);
}

inline void expect_no_parameters(const std::string& name, const Values& parameters)
{
    if (!parameters.empty())
        throw Error(error_codes::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS,
                    "Aggregate function " + name + " cannot have parameters");
}

[[noreturn]] inline void illegal_argument(const std::string& name, const TypePtr& type)
{
    throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT, "Illegal type " + type->name() +
                                                           " of argument for aggregate function " +
                                                           name);
}

// Makes F<T>(arguments of the constructor…) for the vector type of `type`.
template <template <class> class F, class... Args>
AggregateFunctionPtr make_for_vector(const TypePtr& type, const Args&... args)
{
    AggregateFunctionPtr result;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    { result = std::make_shared<F<typename decltype(tag)::type>>(args...); });
    return result;
}

// A parameter that must be a whole number of at least `least`.
inline uint64_t unsigned_parameter(const std::string& name, const Value& value, uint64_t least = 0)
{
    uint64_t number = 0;
    if (const auto* positive = value.get_if<uint64_t>())
        number = *positive;
    else if (const auto* any = value.get_if<int64_t>(); any && *any >= 0)
        number = static_cast<uint64_t>(*any);
    else
        throw Error(error_codes::BAD_ARGUMENTS, "Parameter for aggregate function " + name +
                                                    " should be a positive number, not " +
                                                    value.to_text());
    if (number < least)
        throw Error(error_codes::BAD_ARGUMENTS, "Parameter for aggregate function " + name +
                                                    " should be at least " +
                                                    std::to_string(least));
    return number;
}

inline double number_parameter(const std::string& name, const Value& value)
{
    if (const auto* number = value.get_if<double>())
        return *number;
    if (const auto* number = value.get_if<uint64_t>())
        return static_cast<double>(*number);
    if (const auto* number = value.get_if<int64_t>())
        return static_cast<double>(*number);
    if (const auto* number = value.get_if<DecimalValue>())
        return number->mantissa.to_double() / power_of_ten(number->scale);
    throw Error(error_codes::BAD_ARGUMENTS, "Parameter for aggregate function " + name +
                                                " should be a number, not " + value.to_text());
}

} // namespace basalt
