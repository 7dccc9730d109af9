// quantile, quantileDeterministic and quantileTDigest over one adaptive multiset (value_counts.h):
// exact up to 65,536 values or 131,072 distinct ones, and the same for every order of the rows.

#include "functions/aggregate/quantile_levels.h"
#include "functions/aggregate/value_counts.h"

namespace basalt
{

namespace
{

enum class Rule : uint8_t
{
    Interpolate,  // between the ranks around level * (n - 1)
    NearestAbove, // rank ceil(level * n) - 1
};

// Out: double or float, or T for dates and decimals.
template <class T, class Out, Rule kRule>
class Quantile final : public VectorAggregate<T, ValueCounts<T, true>, Quantile<T, Out, kRule>>
{
public:
    using State = ValueCounts<T, true>;
    using Base = VectorAggregate<T, State, Quantile>;

    Quantile(const std::string& name, const Types& arguments, const Values& parameters,
             const QuantileLevels& levels, const TypePtr& one)
        : VectorAggregate<T, State, Quantile>(name, arguments, parameters, levels.result_type(one)),
          levels_(levels)
    {
    }
    void add_value(State& state, T value) const { state.add(value); }

    bool takes_dictionaries() const override { return true; }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena& arena) const override
    {
        const DictionaryColumn* coded = dictionary_of(arguments);
        if (!coded)
        {
            Base::add_rows(places, offset, arguments, arena);
            return;
        }
        const uint32_t* codes = coded->codes().data();
        const T* values = vector_of<T>(*coded->dictionary()).data();
        for (size_t i = 0; i < places.size(); ++i)
        {
            State& state = this->state(places[i] + offset);
            if (uint64_t* counters = state.counters_for(coded->dictionary(), 1, codes[i]))
                ++counters[codes[i]];
            else
                state.add(values[codes[i]]);
        }
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena& arena) const override
    {
        const DictionaryColumn* coded = dictionary_of(arguments);
        if (!coded)
        {
            Base::add_range(place, arguments, begin, end, arena);
            return;
        }
        const uint32_t* codes = coded->codes().data();
        State& state = this->state(place);
        if (uint64_t* counters = state.counters_for(coded->dictionary(), end - begin,
                                                    largest_of(codes + begin, end - begin)))
        {
            for (size_t i = begin; i < end; ++i)
                ++counters[codes[i]];
            return;
        }
        const T* values = vector_of<T>(*coded->dictionary()).data();
        for (size_t i = begin; i < end; ++i)
            state.add(values[codes[i]]);
    }
    void add_grouped(std::span<const uint16_t> groups, std::span<char* const> places,
                     size_t offset, std::span<const Column* const> arguments,
                     Arena& arena) const override
    {
        const DictionaryColumn* coded = dictionary_of(arguments);
        PodVector<uint64_t*> counters;
        if (coded)
        {
            const uint32_t largest = largest_of(coded->codes().data(), groups.size());
            for (char* place : places)
                if (uint64_t* one = this->state(place + offset)
                                        .counters_for(coded->dictionary(),
                                                      groups.size() / places.size(), largest))
                    counters.push_back(one);
        }
        if (!coded || counters.size() < places.size())
        {
            AggregateFunction::add_grouped(groups, places, offset, arguments, arena);
            return;
        }
        const uint32_t* codes = coded->codes().data();
        for (size_t i = 0; i < groups.size(); ++i)
            ++counters[groups[i]][codes[i]];
    }
    void merge(State& into, const State& from, Arena&) const { into.merge(from); }
    void write(const State& from, std::string& out) const { from.write(out); }
    void read(State& into, StateReader& in, Arena&) const { into.read(in); }
    void result(State& from, Column& into, Arena&) const
    {
        const RankedValues ranked = from.ranked();
        levels_.append<Out>(into, [&](double level) { return value_at(ranked, level); });
    }

private:
    static const DictionaryColumn* dictionary_of(std::span<const Column* const> arguments)
    {
        return arguments[0]->form() == ColumnForm::Dictionary
                   ? static_cast<const DictionaryColumn*>(arguments[0])
                   : nullptr;
    }
    static uint32_t largest_of(const uint32_t* codes, size_t count)
    {
        uint32_t largest = 0;
        for (size_t i = 0; i < count; ++i)
            largest = std::max(largest, codes[i]);
        return largest;
    }
    static Out value_at(const RankedValues& ranked, double level)
    {
        const uint64_t count = ranked.count();
        if (count == 0)
            return std::numeric_limits<Out>::quiet_NaN(); // 0 for integers
        if (kRule == Rule::Interpolate)
            return static_cast<Out>(ranked.interpolated(level));
        const double place = std::ceil(level * static_cast<double>(count)) - 1;
        return static_cast<Out>(
            ranked.at(std::min(count - 1, static_cast<uint64_t>(std::max(place, 0.0)))));
    }

    QuantileLevels levels_;
};

template <class Out, Rule kRule>
AggregateFunctionPtr make_of(const std::string& name, const Types& arguments,
                             const Values& parameters, const TypePtr& one, bool in_place)
{
    const QuantileLevels levels(name, parameters);
    AggregateFunctionPtr made;
    dispatch_vector(arguments[0]->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if (!in_place)
                            made = std::make_shared<Quantile<T, Out, kRule>>(
                                name, arguments, parameters, levels, one);
                        else if constexpr (Integer<T>)
                            made = std::make_shared<Quantile<T, T, kRule>>(name, arguments,
                                                                           parameters, levels, one);
                    });
    BASALT_ASSERT(made);
    return made;
}

AggregateFunctionPtr make_quantile(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    if (type->is_decimal() || type->is_date_or_time())
        return make_of<double, Rule::Interpolate>(name, arguments, parameters, type, true);
    if (!type->is_integer() && !type->is_float())
        illegal_argument(name, type);
    return make_of<double, Rule::Interpolate>(name, arguments, parameters,
                                              simple_type(TypeId::Float64), false);
}

// The second argument chooses ClickHouse's sample; here the answer is deterministic without it.
AggregateFunctionPtr make_deterministic(const std::string& name, const Types& arguments,
                                        const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    const TypePtr& type = arguments[0];
    if (!arguments[1]->is_integer())
        illegal_argument(name, arguments[1]);
    if (type->is(TypeId::Date) || type->is(TypeId::DateTime))
        return make_of<double, Rule::Interpolate>(name, arguments, parameters, type, true);
    if (!type->is_integer() && !type->is_float())
        illegal_argument(name, type);
    return make_of<double, Rule::Interpolate>(name, arguments, parameters,
                                              simple_type(TypeId::Float64), false);
}

AggregateFunctionPtr make_t_digest(const std::string& name, const Types& arguments,
                                   const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    if (type->is(TypeId::Date) || type->is(TypeId::DateTime))
        return make_of<float, Rule::NearestAbove>(name, arguments, parameters, type, true);
    const bool wide = type->physical() == PhysicalType::UInt128 ||
                      type->physical() == PhysicalType::Int128 ||
                      type->physical() == PhysicalType::UInt256 ||
                      type->physical() == PhysicalType::Int256;
    if (wide || (!type->is_integer() && !type->is_float()))
        illegal_argument(name, type);
    return make_of<float, Rule::NearestAbove>(name, arguments, parameters,
                                              simple_type(TypeId::Float32), false);
}

} // namespace

void register_quantile(AggregateRegistry& registry)
{
    register_quantile(registry, "", make_quantile);
    register_quantile(registry, "Deterministic", make_deterministic);
    register_quantile(registry, "TDigest", make_t_digest);
}

} // namespace basalt
