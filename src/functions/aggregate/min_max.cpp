#include "functions/aggregate/grouped.h"
#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

// NaN loses against any other value.
template <class Held, bool kMax>
class Extreme final : public AggregateOf<Held, Extreme<Held, kMax>>
{
public:
    Extreme(const std::string& name, const Types& arguments)
        : AggregateOf<Held, Extreme>(name, arguments, {}, arguments[0]),
          shape_(arguments[0]->create_column())
    {
    }

    void add(Held& held, std::span<const Column* const> arguments, size_t row, Arena& arena) const
    {
        if (!held.has || better(held.order(*arguments[0], row, nan)))
            held.set(*arguments[0], row, arena);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        if (begin == end)
            return;
        Held& held = this->state(place);
        if constexpr (requires { held.put(held.value); })
        {
            using T = decltype(held.value);
            if constexpr (std::is_integral_v<T>)
            {
                // Without branches, for vector registers.
                const T* from = vector_of<T>(*arguments[0]).data();
                T best = from[begin];
                for (size_t i = begin + 1; i < end; ++i)
                    best = kMax ? std::max(best, from[i]) : std::min(best, from[i]);
                if (!held.has || better(held.order_of(best, nan)))
                    held.put(best);
                return;
            }
        }
        for (size_t i = begin; i < end; ++i)
            add(held, arguments, i, arena);
    }
    void add_grouped(std::span<const uint16_t> codes, std::span<char* const> places, size_t offset,
                     std::span<const Column* const> arguments, Arena& arena) const override
    {
        if constexpr (requires(Held& held) { held.put(held.value); })
        {
            // A value of each group to begin with: what is held, else that of its last row.
            using T = decltype(Held::value);
            const T* from = vector_of<T>(*arguments[0]).data();
            PodVector<T> best(places.size());
            bool all_held = true;
            for (size_t g = 0; g < places.size(); ++g)
            {
                const Held& held = this->state(places[g] + offset);
                best[g] = held.value;
                all_held &= held.has;
            }
            if (!all_held)
                for (size_t i = 0; i < codes.size(); ++i)
                    best[codes[i]] = from[i];
            extremes_grouped<kMax>(codes, from, best);
            for (size_t g = 0; g < places.size(); ++g)
            {
                Held& held = this->state(places[g] + offset);
                if (!held.has || better(held.order_of(best[g], nan)))
                    held.put(best[g]);
            }
        }
        else
            AggregateFunction::add_grouped(codes, places, offset, arguments, arena);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                add(this->state(place), arguments, i, arena);
    }

    void merge(Held& into, const Held& from, Arena& arena) const
    {
        if (from.has && (!into.has || better(into.order(from, nan))))
            into.copy(from, arena);
    }
    void write(const Held& from, std::string& out) const { from.write(out, *shape_); }
    void read(Held& into, StateReader& in, Arena& arena) const { into.read(in, arena, *shape_); }
    void result(Held& from, Column& into, Arena&) const { from.append_to(into); }

private:
    static constexpr int nan = kMax ? -1 : 1;
    static bool better(int order) { return kMax ? order > 0 : order < 0; }

    MutableColumnPtr shape_;
};

template <class Held> using Min = Extreme<Held, false>;
template <class Held> using Max = Extreme<Held, true>;

void check(const std::string& name, const Types& arguments, const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    if (arguments[0]->is(TypeId::AggregateFunction))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Illegal type " + arguments[0]->name() + " of argument of aggregate function " +
                        name + " because the values of that data type are not comparable");
}

} // namespace

void register_min_max(AggregateRegistry& registry)
{
    registry.add(
        "min",
        [](const std::string& name, const Types& arguments, const Values& parameters)
        {
            check(name, arguments, parameters);
            return make_for_value<Min>(arguments[0], name, arguments);
        },
        {.case_insensitive = true});
    registry.add(
        "max",
        [](const std::string& name, const Types& arguments, const Values& parameters)
        {
            check(name, arguments, parameters);
            return make_for_value<Max>(arguments[0], name, arguments);
        },
        {.case_insensitive = true});
}

} // namespace basalt
