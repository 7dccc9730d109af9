// any, anyLast and their variants that do not skip NULL.

#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

template <class Held, bool kLast> class Any final : public AggregateOf<Held, Any<Held, kLast>>
{
public:
    Any(const std::string& name, const Types& arguments)
        : AggregateOf<Held, Any>(name, arguments, {}, arguments[0]),
          shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return true; }
    bool handles_nulls() const override { return this->argument_types()[0]->is_nullable(); }

    void add(Held& held, std::span<const Column* const> arguments, size_t row, Arena& arena) const
    {
        if (kLast || !held.has)
            held.set(*arguments[0], row, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        if (begin < end)
            add(this->state(place), arguments, kLast ? end - 1 : begin, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows; ++i)
        {
            const size_t row = kLast ? rows - 1 - i : i;
            if (!mask[row])
                continue;
            add(this->state(place), arguments, row, arena);
            return;
        }
    }
    void merge(Held& into, const Held& from, Arena& arena) const
    {
        if (from.has && (kLast || !into.has))
            into.copy(from, arena);
    }
    void write(const Held& from, std::string& out) const { from.write(out, *shape_); }
    void read(Held& into, StateReader& in, Arena& arena) const { into.read(in, arena, *shape_); }
    void result(Held& from, Column& into, Arena&) const { from.append_to(into); }

private:
    MutableColumnPtr shape_;
};

template <class Held> using First = Any<Held, false>;
template <class Held> using Last = Any<Held, true>;

template <template <class> class F>
AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    return make_for_value<F>(arguments[0], name, arguments);
}

} // namespace

void register_any(AggregateRegistry& registry)
{
    registry.add("any", make<First>);
    registry.add("anyLast", make<Last>);
    registry.add("any_respect_nulls", make<First>, {.handles_nulls = true});
    registry.add("anyLast_respect_nulls", make<Last>, {.handles_nulls = true});
    for (const char* alias : {"any_value", "first_value"})
        registry.add_alias(alias, "any", true);
    registry.add_alias("last_value", "anyLast", true);
    registry.add_alias("any_value_respect_nulls", "any_respect_nulls", true);
    registry.add_alias("first_value_respect_nulls", "any_respect_nulls", true);
    registry.add_alias("last_value_respect_nulls", "anyLast_respect_nulls", true);
    for (const char* alias :
         {"anyRespectNulls", "anyValueRespectNulls", "firstValueRespectNulls"})
        registry.add_alias(alias, "any_respect_nulls");
    for (const char* alias : {"anyLastRespectNulls", "lastValueRespectNulls"})
        registry.add_alias(alias, "anyLast_respect_nulls");
}

} // namespace basalt
