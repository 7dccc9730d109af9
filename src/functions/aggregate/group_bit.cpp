// groupBitAnd, groupBitOr, groupBitXor. State: the bits.

#include "functions/aggregate/aggregate_of.h"

namespace basalt
{

namespace
{

enum class Bits : uint8_t
{
    And,
    Or,
    Xor,
};

template <class T, Bits kBits> struct BitState
{
    T bits = kBits == Bits::And ? static_cast<T>(~T(0)) : T(0);
};

template <class T, Bits kBits>
class GroupBit final : public VectorAggregate<T, BitState<T, kBits>, GroupBit<T, kBits>>
{
public:
    using State = BitState<T, kBits>;
    using VectorAggregate<T, State, GroupBit>::VectorAggregate;

    void add_value(State& state, const T& value) const
    {
        if constexpr (kBits == Bits::And)
            state.bits &= value;
        else if constexpr (kBits == Bits::Or)
            state.bits |= value;
        else
            state.bits ^= value;
    }
    void merge(State& into, const State& from, Arena&) const { add_value(into, from.bits); }
    void write(const State& from, std::string& out) const { put_fixed(out, from.bits); }
    void read(State& into, StateReader& in, Arena&) const { into.bits = in.fixed<T>(); }
    void result(State& from, Column& into, Arena&) const
    {
        vector_of<T>(into).push_back(from.bits);
    }
};

template <Bits kBits>
AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    if (!arguments[0]->is_integer())
        illegal_argument(name, arguments[0]);
    const TypePtr result =
        arguments[0]->is(TypeId::Bool) ? simple_type(TypeId::UInt8) : arguments[0];
    AggregateFunctionPtr made;
    dispatch_vector(arguments[0]->physical(),
                    [&](auto tag)
                    {
                        using T = typename decltype(tag)::type;
                        if constexpr (Integer<T>)
                            made = std::make_shared<GroupBit<T, kBits>>(name, arguments, parameters,
                                                                        result);
                    });
    return made;
}

} // namespace

void register_group_bit(AggregateRegistry& registry)
{
    registry.add("groupBitAnd", make<Bits::And>);
    registry.add("groupBitOr", make<Bits::Or>);
    registry.add("groupBitXor", make<Bits::Xor>);
    registry.add_alias("BIT_AND", "groupBitAnd", true);
    registry.add_alias("BIT_OR", "groupBitOr", true);
    registry.add_alias("BIT_XOR", "groupBitXor", true);
}

} // namespace basalt
