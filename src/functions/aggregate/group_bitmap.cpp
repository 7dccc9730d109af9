// groupBitmap: how many distinct integers; groupBitmapAnd, groupBitmapOr, groupBitmapXor over
// states of it.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/bitmap.h"

namespace basalt
{

namespace
{

template <class T>
class GroupBitmap final : public VectorAggregate<T, BitmapState<T>, GroupBitmap<T>>
{
public:
    using State = BitmapState<T>;
    using VectorAggregate<T, State, GroupBitmap>::VectorAggregate;

    void add_value(State& state, T value) const { state.bitmap.add(value); }
    void merge(State& into, const State& from, Arena&) const { into.bitmap.unite(from.bitmap); }
    void write(const State& from, std::string& out) const { from.bitmap.write(out); }
    void read(State& into, StateReader& in, Arena&) const { into.bitmap.read(in); }
    void result(State& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.bitmap.size());
    }
};

enum class Combine : uint8_t
{
    And,
    Or,
    Xor,
};

template <class T, Combine kCombine>
class CombineBitmaps final : public AggregateOf<BitmapState<T>, CombineBitmaps<T, kCombine>>
{
public:
    using State = BitmapState<T>;
    using AggregateOf<State, CombineBitmaps>::AggregateOf;

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        const auto& states = column_as<AggregateStateColumn>(*arguments[0]).states();
        combine(state, this->state(static_cast<const char*>(states[row])).bitmap);
    }
    void merge(State& into, const State& from, Arena&) const
    {
        if (from.started)
            combine(into, from.bitmap);
    }
    void write(const State& from, std::string& out) const { from.bitmap.write(out); }
    void read(State& into, StateReader& in, Arena&) const
    {
        into.bitmap.read(in);
        into.started = true;
    }
    void result(State& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.bitmap.size());
    }

private:
    static void combine(State& state, const Bitmap<T>& with)
    {
        if (!state.started)
            state.bitmap = with;
        else if (kCombine == Combine::And)
            state.bitmap.intersect(with);
        else if (kCombine == Combine::Or)
            state.bitmap.unite(with);
        else
            state.bitmap.exclusive(with);
        state.started = true;
    }
};

AggregateFunctionPtr make_group(const std::string& name, const Types& arguments,
                                const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    AggregateFunctionPtr made;
    visit_bitmap_item(arguments[0],
                      [&](auto item)
                      {
                          made = std::make_shared<GroupBitmap<decltype(item)>>(
                              name, arguments, parameters, simple_type(TypeId::UInt64));
                      });
    if (!made)
        illegal_argument(name, arguments[0]);
    return made;
}

template <Combine kCombine>
AggregateFunctionPtr make_combine(const std::string& name, const Types& arguments,
                                  const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    AggregateFunctionPtr made;
    if (const TypePtr item = bitmap_item_type(arguments[0]))
        visit_bitmap_item(item,
                          [&](auto value)
                          {
                              made = std::make_shared<CombineBitmaps<decltype(value), kCombine>>(
                                  name, arguments, parameters, simple_type(TypeId::UInt64));
                          });
    if (!made)
        illegal_argument(name, arguments[0]);
    return made;
}

} // namespace

TypePtr bitmap_item_type(const TypePtr& type)
{
    if (!type->is(TypeId::AggregateFunction) ||
        !type->name().starts_with("AggregateFunction(groupBitmap"))
        return nullptr;
    const Types& arguments = type_as<AggregateFunctionType>(type).arguments();
    if (arguments.size() != 1)
        return nullptr;
    if (arguments[0]->is(TypeId::AggregateFunction))
        return bitmap_item_type(arguments[0]);
    return arguments[0]->is_integer() ? arguments[0] : nullptr;
}

void register_group_bitmap(AggregateRegistry& registry)
{
    registry.add("groupBitmap", make_group);
    registry.add("groupBitmapAnd", make_combine<Combine::And>);
    registry.add("groupBitmapOr", make_combine<Combine::Or>);
    registry.add("groupBitmapXor", make_combine<Combine::Xor>);
}

} // namespace basalt
