// anyHeavy (the majority vote of Boyer and Moore, 1981) and singleValueOrNull.

#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

template <class Held> struct VoteState
{
    Held value;
    uint64_t votes = 0;
};

template <class Held> class AnyHeavy final : public AggregateOf<VoteState<Held>, AnyHeavy<Held>>
{
public:
    using State = VoteState<Held>;

    AnyHeavy(const std::string& name, const Types& arguments)
        : AggregateOf<State, AnyHeavy>(name, arguments, {}, arguments[0]),
          shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return true; }

    void add(State& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        if (state.value.has && state.value.order(*arguments[0], row, 1) == 0)
            ++state.votes;
        else if (state.votes == 0)
        {
            state.value.set(*arguments[0], row, arena);
            state.votes = 1;
        }
        else
            --state.votes;
    }
    void merge(State& into, const State& from, Arena& arena) const
    {
        if (!from.value.has)
            return;
        if (into.value.has && into.value.order(from.value, 1) == 0)
            into.votes += from.votes;
        else if (!into.value.has || into.votes < from.votes)
        {
            into.votes = from.votes - into.votes;
            into.value.copy(from.value, arena);
        }
        else
            into.votes -= from.votes;
    }
    void write(const State& from, std::string& out) const
    {
        from.value.write(out, *shape_);
        put_count(out, from.votes);
    }
    void read(State& into, StateReader& in, Arena& arena) const
    {
        into.value.read(in, arena, *shape_);
        into.votes = in.count();
    }
    void result(State& from, Column& into, Arena&) const { from.value.append_to(into); }

private:
    MutableColumnPtr shape_;
};

template <class Held> struct SingleState
{
    Held value;
    bool many = false;
};

// NULL unless all values are one.
template <class Held> class SingleValue final : public AggregateOf<SingleState<Held>, SingleValue<Held>>
{
public:
    using State = SingleState<Held>;

    SingleValue(const std::string& name, const Types& arguments)
        : AggregateOf<State, SingleValue>(name, arguments, {}, make_nullable(arguments[0])),
          shape_(arguments[0]->create_column())
    {
    }

    void add(State& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        if (!state.value.has)
            state.value.set(*arguments[0], row, arena);
        else if (!state.many)
            state.many = state.value.order(*arguments[0], row, 1) != 0;
    }
    void merge(State& into, const State& from, Arena& arena) const
    {
        if (!from.value.has)
            return;
        if (!into.value.has)
            into.value.copy(from.value, arena);
        else if (into.value.order(from.value, 1) != 0)
            into.many = true;
        into.many = into.many || from.many;
    }
    void write(const State& from, std::string& out) const
    {
        from.value.write(out, *shape_);
        out += from.many ? '\1' : '\0';
    }
    void read(State& into, StateReader& in, Arena& arena) const
    {
        into.value.read(in, arena, *shape_);
        into.many = in.fixed<uint8_t>() != 0;
    }
    void result(State& from, Column& into, Arena&) const
    {
        auto& nullable = column_as<NullableColumn>(into);
        if (!from.value.has || from.many)
        {
            nullable.append_default();
            return;
        }
        from.value.append_to(nullable.mutable_nested());
        nullable.mutable_null_map().push_back(0);
    }

private:
    MutableColumnPtr shape_;
};

} // namespace

void register_any_heavy(AggregateRegistry& registry)
{
    registry.add("anyHeavy",
                 [](const std::string& name, const Types& arguments, const Values& parameters)
                 {
                     expect_no_parameters(name, parameters);
                     expect_arguments(name, arguments, 1);
                     return make_for_value<AnyHeavy>(arguments[0], name, arguments);
                 });
    registry.add("singleValueOrNull",
                 [](const std::string& name, const Types& arguments, const Values& parameters)
                 {
                     expect_no_parameters(name, parameters);
                     expect_arguments(name, arguments, 1);
                     if (!can_be_inside_nullable(arguments[0]))
                         illegal_argument(name, arguments[0]);
                     return make_for_value<SingleValue>(arguments[0], name, arguments);
                 });
}

} // namespace basalt
