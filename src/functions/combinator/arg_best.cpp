// -ArgMin and -ArgMax: only the rows in which the last argument is least or greatest.

#include "base/error.h"
#include "functions/aggregate/held_value.h"
#include "functions/combinator/combinator.h"

namespace basalt
{

namespace
{

// The held value stands before the inner state.
template <bool kMax> class ArgBest final : public AggregateFunction
{
public:
    ArgBest(AggregateFunctionPtr inner, Types arguments, Values parameters)
        : inner_(std::move(inner)), name_(inner_->name() + (kMax ? "ArgMax" : "ArgMin")),
          arguments_(std::move(arguments)), parameters_(std::move(parameters)),
          alignment_(std::max(inner_->state_alignment(), alignof(AnyValue))),
          prefix_((sizeof(AnyValue) + alignment_ - 1) / alignment_ * alignment_),
          shape_(arguments_.back()->create_column())
    {
    }
    const std::string& name() const override { return name_; }
    const Types& argument_types() const override { return arguments_; }
    const Values& parameters() const override { return parameters_; }
    TypePtr result_type() const override { return inner_->result_type(); }
    bool order_dependent() const override { return inner_->order_dependent(); }
    bool handles_nulls() const override { return true; }
    size_t state_size() const override { return prefix_ + inner_->state_size(); }
    size_t state_alignment() const override { return alignment_; }
    void create_state(char* at) const override
    {
        new (at) AnyValue();
        inner_->create_state(at + prefix_);
    }
    void destroy_state(char* at) const noexcept override
    {
        inner_->destroy_state(at + prefix_);
        best(at).~AnyValue();
    }

    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        for (size_t i = 0; i < places.size(); ++i)
            add_range(places[i] + offset, arguments, i, i + 1, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        const Column& key = *arguments.back();
        const auto rest = arguments.first(arguments.size() - 1);
        for (size_t i = begin; i < end; ++i)
        {
            if (key.is_null_at(i))
                continue;
            AnyValue& held = best(place);
            const int order = held.has ? held.order(key, i, kMax ? -1 : 1) : (kMax ? 1 : -1);
            if (kMax ? order < 0 : order > 0)
                continue;
            if (order != 0)
                restart(place, key, i, arena);
            inner_->add_range(place + prefix_, rest, i, i + 1, arena);
        }
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        const AnyValue& other = best(from);
        if (!other.has)
            return;
        AnyValue& held = best(into);
        const int order = held.has ? held.order(other, kMax ? -1 : 1) : (kMax ? 1 : -1);
        if (kMax ? order < 0 : order > 0)
            return;
        if (order != 0)
            restart(into, *other.column, 0, arena);
        inner_->merge_state(into + prefix_, from + prefix_, arena);
    }
    void write_state(const char* state, std::string& out) const override
    {
        best(state).write(out, *shape_);
        inner_->write_state(state + prefix_, out);
    }
    size_t read_state(char* state, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        best(state).read(in, arena, *shape_);
        return in.consumed() +
               inner_->read_state(state + prefix_, in.position(), in.left(), arena);
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        inner_->append_result(place + prefix_, into, arena);
    }

private:
    static AnyValue& best(char* at) { return *std::launder(reinterpret_cast<AnyValue*>(at)); }
    static const AnyValue& best(const char* at)
    {
        return *std::launder(reinterpret_cast<const AnyValue*>(at));
    }
    void restart(char* place, const Column& key, size_t row, Arena& arena) const
    {
        best(place).set(key, row, arena);
        inner_->destroy_state(place + prefix_);
        inner_->create_state(place + prefix_);
    }

    AggregateFunctionPtr inner_;
    std::string name_;
    Types arguments_;
    Values parameters_;
    size_t alignment_;
    size_t prefix_;
    MutableColumnPtr shape_;
};

template <bool kMax>
AggregateFunctionPtr combine(const AggregateRegistry& registry, const std::string& name,
                             std::string_view inner, const Types& arguments,
                             const Values& parameters)
{
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires at least one argument");
    AggregateFunctionPtr function =
        registry.find(inner, Types(arguments.begin(), arguments.end() - 1), parameters);
    if (!function)
        return nullptr;
    return std::make_shared<ArgBest<kMax>>(std::move(function), arguments, parameters);
}

} // namespace

AggregateFunctionPtr combine_arg_min(const AggregateRegistry& registry, const std::string& name,
                                     std::string_view inner, const Types& arguments,
                                     const Values& parameters)
{
    return combine<false>(registry, name, inner, arguments, parameters);
}

AggregateFunctionPtr combine_arg_max(const AggregateRegistry& registry, const std::string& name,
                                     std::string_view inner, const Types& arguments,
                                     const Values& parameters)
{
    return combine<true>(registry, name, inner, arguments, parameters);
}

} // namespace basalt
