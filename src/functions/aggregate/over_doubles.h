#pragma once

// Base of functions that see their arguments as doubles (decimals with their point in place).
// Derived defines  void add_numbers(State&, const double* values) const;  values[k] is argument k.

#include "functions/aggregate/aggregate_of.h"

#include <array>

namespace basalt
{

// Values [begin, begin + count) of a column of `type`.
using ReadDoubles = void (*)(const Column& column, size_t begin, size_t count, double divisor,
                             double* out);

inline ReadDoubles doubles_reader(const TypePtr& type)
{
    ReadDoubles reader = nullptr;
    dispatch_vector(type->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        reader = [](const Column& column, size_t begin, size_t count,
                                    double divisor, double* out)
                        {
                            const T* from = vector_of<T>(column).data() + begin;
                            for (size_t i = 0; i < count; ++i)
                                out[i] = static_cast<double>(from[i]) / divisor;
                        };
                    });
    return reader;
}

template <class State, class Derived, size_t kArguments>
class OverDoubles : public AggregateOf<State, Derived>
{
public:
    OverDoubles(const std::string& name, const Types& arguments, const Values& parameters,
                const TypePtr& result)
        : AggregateOf<State, Derived>(name, arguments, parameters, result)
    {
        for (size_t k = 0; k < kArguments; ++k)
        {
            readers_[k] = doubles_reader(arguments[k]);
            divisors_[k] = arguments[k]->is_decimal()
                               ? power_of_ten(type_as<DecimalType>(arguments[k]).scale())
                               : 1;
        }
    }

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        in_batches(arguments, row, row + 1,
                   [&](size_t, const double* values) { derived().add_numbers(state, values); });
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        in_batches(arguments, 0, places.size(), [&](size_t row, const double* values)
                   { derived().add_numbers(this->state(places[row] + offset), values); });
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        State& state = this->state(place);
        in_batches(arguments, begin, end,
                   [&](size_t, const double* values) { derived().add_numbers(state, values); });
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        State& state = this->state(place);
        in_batches(arguments, 0, rows,
                   [&](size_t row, const double* values)
                   {
                       if (mask[row])
                           derived().add_numbers(state, values);
                   });
    }

private:
    const Derived& derived() const { return static_cast<const Derived&>(*this); }

    template <class Call>
    void in_batches(std::span<const Column* const> arguments, size_t begin, size_t end,
                    Call&& call) const
    {
        constexpr size_t batch = 256;
        double buffers[kArguments][batch];
        for (size_t at = begin; at < end; at += batch)
        {
            const size_t count = std::min(batch, end - at);
            for (size_t k = 0; k < kArguments; ++k)
                readers_[k](*arguments[k], at, count, divisors_[k], buffers[k]);
            for (size_t i = 0; i < count; ++i)
            {
                double values[kArguments];
                for (size_t k = 0; k < kArguments; ++k)
                    values[k] = buffers[k][i];
                call(at + i, values);
            }
        }
    }

    std::array<ReadDoubles, kArguments> readers_;
    std::array<double, kArguments> divisors_;
};

// Integers (wide ones and enums when allowed) and floats, and decimals when allowed.
inline void expect_numbers(const std::string& name, const Types& arguments, size_t count,
                           bool decimals, bool wide, bool enums = false)
{
    expect_arguments(name, arguments, count);
    for (const TypePtr& type : arguments)
    {
        const bool is_wide = type->is_integer() && type->physical() != PhysicalType::Float64 &&
                             (type->is(TypeId::UInt128) || type->is(TypeId::UInt256) ||
                              type->is(TypeId::Int128) || type->is(TypeId::Int256));
        const bool taken = (type->is_integer() && (wide || !is_wide)) || type->is_float() ||
                           (decimals && type->is_decimal()) || (enums && type->is_enum());
        if (!taken)
            illegal_argument(name, type);
    }
}

} // namespace basalt
