// sum, sumWithOverflow and sumCount. States as ClickHouse's: the sum in its type, then a varint
// count for sumCount.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/sum_of.h"

namespace basalt
{

namespace
{

template <class R> struct SumState
{
    Total<R> sum;
};

template <class T, class R>
class Sum final : public AggregateOf<SumState<R>, Sum<T, R>>
{
public:
    using Base = AggregateOf<SumState<R>, Sum<T, R>>;
    using Base::Base;

    void add(SumState<R>& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        state.sum.add(static_cast<R>(vector_of<T>(*arguments[0])[row]));
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        const T* from = vector_of<T>(*arguments[0]).data();
        for (size_t i = 0; i < places.size(); ++i)
            this->state(places[i] + offset).sum.add(static_cast<R>(from[i]));
    }
    void add_grouped(std::span<const uint16_t> codes, std::span<char* const> places, size_t offset,
                     std::span<const Column* const> arguments, Arena&) const override
    {
        PodVector<R> sums;
        PodVector<uint64_t> counts;
        sum_grouped<R, T, false>(codes, vector_of<T>(*arguments[0]).data(), places.size(), sums,
                                 counts);
        for (size_t g = 0; g < places.size(); ++g)
            this->state(places[g] + offset).sum.add(sums[g]);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        this->state(place).sum.add(
            sum_of<R>(vector_of<T>(*arguments[0]).data() + begin, end - begin));
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        this->state(place).sum.add(
            sum_of_masked<R>(vector_of<T>(*arguments[0]).data(), mask, rows));
    }

    void merge(SumState<R>& into, const SumState<R>& from, Arena&) const
    {
        into.sum.merge(from.sum);
    }
    void write(const SumState<R>& from, std::string& out) const
    {
        put_fixed(out, from.sum.value());
    }
    void read(SumState<R>& into, StateReader& in, Arena&) const
    {
        into.sum = Total<R>{in.fixed<R>()};
    }
    void result(SumState<R>& from, Column& into, Arena&) const
    {
        vector_of<R>(into).push_back(from.sum.value());
    }
};

template <class R> struct SumCountState
{
    Total<R> sum;
    uint64_t count = 0;
};

template <class T, class R>
class SumCount final : public AggregateOf<SumCountState<R>, SumCount<T, R>>
{
public:
    using State = SumCountState<R>;
    using Base = AggregateOf<State, SumCount<T, R>>;
    using Base::Base;

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        state.sum.add(static_cast<R>(vector_of<T>(*arguments[0])[row]));
        ++state.count;
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        this->state(place).sum.add(
            sum_of<R>(vector_of<T>(*arguments[0]).data() + begin, end - begin));
        this->state(place).count += end - begin;
    }
    void merge(State& into, const State& from, Arena&) const
    {
        into.sum.merge(from.sum);
        into.count += from.count;
    }
    void write(const State& from, std::string& out) const
    {
        put_fixed(out, from.sum.value());
        put_count(out, from.count);
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        into.sum = Total<R>{in.fixed<R>()};
        into.count = in.count();
    }
    void result(State& from, Column& into, Arena&) const
    {
        auto& tuple = column_as<TupleColumn>(into);
        vector_of<R>(tuple.mutable_element(0)).push_back(from.sum.value());
        vector_of<uint64_t>(tuple.mutable_element(1)).push_back(from.count);
        tuple.set_rows(tuple.element(0)->size());
    }
};

TypePtr sum_type(const std::string& name, const TypePtr& type, bool enums)
{
    if (type->is_decimal())
    {
        const auto& decimal = type_as<DecimalType>(type);
        return std::make_shared<DecimalType>(type->is(TypeId::Decimal256) ? 76 : 38,
                                             decimal.scale());
    }
    if (type->is_float())
        return simple_type(TypeId::Float64);
    if (!type->is_integer() && !(enums && type->is_enum()))
        illegal_argument(name, type);
    switch (type->physical())
    {
    case PhysicalType::UInt128: return simple_type(TypeId::UInt128);
    case PhysicalType::UInt256: return simple_type(TypeId::UInt256);
    case PhysicalType::Int128: return simple_type(TypeId::Int128);
    case PhysicalType::Int256: return simple_type(TypeId::Int256);
    default: return simple_type(type->is_unsigned() ? TypeId::UInt64 : TypeId::Int64);
    }
}

template <template <class, class> class F>
AggregateFunctionPtr make_widening(const std::string& name, const Types& arguments,
                                   const TypePtr& result)
{
    AggregateFunctionPtr made;
    dispatch_vector(arguments[0]->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>)
                            if (arguments[0]->is_decimal())
                            {
                                made = std::make_shared<F<T, Int128>>(name, arguments, Values{},
                                                                      result);
                                return;
                            }
                        made = std::make_shared<F<T, WideSum<T>>>(name, arguments, Values{},
                                                                       result);
                    });
    return made;
}

AggregateFunctionPtr make_sum(const std::string& name, const Types& arguments,
                              const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    return make_widening<Sum>(name, arguments, sum_type(name, arguments[0], true));
}

AggregateFunctionPtr make_sum_count(const std::string& name, const Types& arguments,
                                    const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    const TypePtr sum = sum_type(name, arguments[0], false);
    return make_widening<SumCount>(
        name, arguments, std::make_shared<TupleType>(Types{sum, simple_type(TypeId::UInt64)}));
}

template <class T> using SumInPlace = Sum<T, T>;

AggregateFunctionPtr make_sum_with_overflow(const std::string& name, const Types& arguments,
                                            const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    const TypePtr& type = arguments[0];
    sum_type(name, type, true); // for its error
    TypePtr result = type;
    if (type->is(TypeId::Bool))
        result = simple_type(TypeId::UInt8);
    else if (type->is_enum())
        result = simple_type(type->is(TypeId::Enum8) ? TypeId::Int8 : TypeId::Int16);
    else if (type->is_decimal())
    {
        const uint32_t scale = type_as<DecimalType>(type).scale();
        const uint32_t precision = type->is(TypeId::Decimal32)    ? 9
                                   : type->is(TypeId::Decimal64)  ? 18
                                   : type->is(TypeId::Decimal128) ? 38
                                                                  : 76;
        result = std::make_shared<DecimalType>(precision, scale);
    }
    return make_for_vector<SumInPlace>(type, name, arguments, Values{}, result);
}

} // namespace

void register_sum(AggregateRegistry& registry)
{
    registry.add("sum", make_sum, {.case_insensitive = true});
    registry.add("sumWithOverflow", make_sum_with_overflow);
    registry.add("sumCount", make_sum_count, {.default_when_all_null = true});
}

} // namespace basalt
