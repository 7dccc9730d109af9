// argMin and argMax: the first argument in the row where the second is least or greatest; of
// several such rows, in the first. argAndMin and argAndMax give both.

#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

template <class Held> struct ArgState
{
    AnyValue argument;
    Held value;
};

template <class Held, bool kMax>
class ArgExtreme final : public AggregateOf<ArgState<Held>, ArgExtreme<Held, kMax>>
{
public:
    using State = ArgState<Held>;

    ArgExtreme(const std::string& name, const Types& arguments, const TypePtr& result)
        : AggregateOf<State, ArgExtreme>(name, arguments, {}, result), both_(result != arguments[0]),
          argument_shape_(arguments[0]->create_column()),
          value_shape_(arguments[1]->create_column())
    {
    }
    bool order_dependent() const override { return true; } // among equal values

    void add(State& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        if (state.value.has && !better(state.value.order(*arguments[1], row, nan)))
            return;
        state.value.set(*arguments[1], row, arena);
        state.argument.set(*arguments[0], row, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                add(this->state(place), arguments, i, arena);
    }
    void merge(State& into, const State& from, Arena& arena) const
    {
        if (!from.value.has || (into.value.has && !better(into.value.order(from.value, nan))))
            return;
        into.value.copy(from.value, arena);
        into.argument.copy(from.argument, arena);
    }
    void write(const State& from, std::string& out) const
    {
        from.argument.write(out, *argument_shape_);
        from.value.write(out, *value_shape_);
    }
    void read(State& into, StateReader& in, Arena& arena) const
    {
        into.argument.read(in, arena, *argument_shape_);
        into.value.read(in, arena, *value_shape_);
        if (into.argument.has != into.value.has)
            StateReader::corrupted();
    }
    void result(State& from, Column& into, Arena&) const
    {
        if (!both_)
        {
            from.argument.append_to(into);
            return;
        }
        auto& tuple = column_as<TupleColumn>(into);
        from.argument.append_to(tuple.mutable_element(0));
        from.value.append_to(tuple.mutable_element(1));
        tuple.set_rows(tuple.element(0)->size());
    }

private:
    static constexpr int nan = kMax ? -1 : 1;
    static bool better(int order) { return kMax ? order > 0 : order < 0; }

    bool both_;
    MutableColumnPtr argument_shape_;
    MutableColumnPtr value_shape_;
};

template <class Held> using ArgMin = ArgExtreme<Held, false>;
template <class Held> using ArgMax = ArgExtreme<Held, true>;

template <template <class> class F>
AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 2);
    const TypePtr result =
        name.starts_with("argAnd") ? std::make_shared<TupleType>(arguments) : arguments[0];
    return make_for_value<F>(arguments[1], name, arguments, result);
}

} // namespace

void register_arg_min_max(AggregateRegistry& registry)
{
    registry.add("argMin", make<ArgMin>);
    registry.add("argMax", make<ArgMax>);
    registry.add("argAndMin", make<ArgMin>);
    registry.add("argAndMax", make<ArgMax>);
    registry.add_alias("min_by", "argMin", true);
    registry.add_alias("max_by", "argMax", true);
}

} // namespace basalt
