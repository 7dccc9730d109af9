// -Map: values of maps by their key; the result is a map in the order of keys.

#include "base/error.h"
#include "functions/aggregate/key_set.h"
#include "functions/aggregate/state_io.h"
#include "functions/combinator/combinator.h"
#include "functions/combinator/nested_states.h"

#include <algorithm>

namespace basalt
{

namespace
{

// Key i of the set has states[i].
struct KeyedStates
{
    KeySet keys;
    PodVector<char*> states;
};

class OverMaps final : public AggregateBase<KeyedStates, OverMaps>
{
public:
    OverMaps(AggregateFunctionPtr inner, Types arguments, Values parameters)
        : AggregateBase(inner->name() + "Map", std::move(arguments), std::move(parameters)),
          inner_(std::move(inner)), key_(type_as<MapType>(argument_types()[0]).key()),
          result_(std::make_shared<MapType>(key_, inner_->result_type())),
          key_shape_(key_->create_column())
    {
    }
    TypePtr result_type() const override { return result_; }
    bool handles_nulls() const override { return true; }
    bool order_dependent() const override { return inner_->order_dependent(); }
    bool trivially_destroyed() const override { return false; }
    void destroy_state(char* at) const noexcept override
    {
        for (char* one : state(at).states)
            inner_->destroy_state(one);
        state(at).~KeyedStates();
    }

    void add(KeyedStates& keyed, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        const auto& map = column_as<ArrayColumn>(*arguments[0]);
        const auto& entries = column_as<TupleColumn>(map.items());
        const Column* values[] = {entries.element(1).get()};
        PodVector<char> key;
        for (size_t i = map.begin_of(row); i < map.offsets()[row]; ++i)
        {
            key.clear();
            entries.element(0)->append_key(i, key);
            inner_->add_range(state_of(keyed, {key.data(), key.size()}, arena), values, i, i + 1,
                              arena);
        }
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        const KeyedStates& other = state(from);
        size_t i = 0;
        other.keys.for_each(
            [&](std::string_view key)
            {
                inner_->merge_state(state_of(state(into), key, arena), other.states[i++], arena);
            });
    }
    void write_state(const char* from, std::string& out) const override
    {
        const KeyedStates& keyed = state(from);
        put_count(out, keyed.states.size());
        size_t i = 0;
        keyed.keys.for_each(
            [&](std::string_view key)
            {
                out.append(key);
                inner_->write_state(keyed.states[i++], out);
            });
    }
    size_t read_state(char* into, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        const MutableColumnPtr column = key_shape_->clone_empty();
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const char* key = in.position();
            read_key(*column, in);
            char* one = state_of(state(into),
                                 {key, static_cast<size_t>(in.position() - key)}, arena);
            // Into a fresh state, because a broken input may name a key twice.
            char* fresh = new_state(*inner_, arena);
            try
            {
                in.skip(inner_->read_state(fresh, in.position(), in.left(), arena));
                inner_->merge_state(one, fresh, arena);
            }
            catch (...)
            {
                inner_->destroy_state(fresh);
                throw;
            }
            inner_->destroy_state(fresh);
        }
        return in.consumed();
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        KeyedStates& keyed = state(place);
        const MutableColumnPtr keys = key_shape_->clone_empty();
        keyed.keys.for_each([&](std::string_view key) { keys->append_from_key(key.data()); });
        std::vector<uint32_t> order(keys->size());
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b)
                  { return keys->compare_at(a, *keys, b, 1) < 0; });
        auto& map = column_as<ArrayColumn>(into);
        auto& entries = column_as<TupleColumn>(map.mutable_items());
        for (const uint32_t i : order)
        {
            entries.mutable_element(0).append_from(*keys, i);
            inner_->append_result(keyed.states[i], entries.mutable_element(1), arena);
        }
        entries.set_rows(entries.element(0)->size());
        map.mutable_offsets().push_back(entries.size());
    }

private:
    char* state_of(KeyedStates& keyed, std::string_view key, Arena& arena) const
    {
        const size_t i = keyed.keys.insert(key, arena);
        if (i == keyed.states.size())
            keyed.states.push_back(new_state(*inner_, arena));
        return keyed.states[i];
    }

    AggregateFunctionPtr inner_;
    TypePtr key_;
    TypePtr result_;
    MutableColumnPtr key_shape_;
};

} // namespace

AggregateFunctionPtr combine_map(const AggregateRegistry& registry, const std::string& name,
                                 std::string_view inner, const Types& arguments,
                                 const Values& parameters)
{
    // sumMap(keys, values) of arrays is older than the combinator.
    const bool of_arrays = arguments.size() > 1 ||
                           (arguments.size() == 1 && arguments[0]->is(TypeId::Tuple));
    if (of_arrays && (inner == "sum" || inner == "min" || inner == "max"))
        return registry.find(std::string(inner) + "MappedArrays", arguments, parameters);
    if (arguments.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires one map argument");
    if (!arguments[0]->is(TypeId::Map))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    "Aggregate function " + name + " requires map as argument");
    AggregateFunctionPtr function =
        registry.find(inner, {type_as<MapType>(arguments[0]).value()}, parameters);
    if (!function)
        return nullptr;
    return std::make_shared<OverMaps>(std::move(function), arguments, parameters);
}

AggregateFunctionPtr combine_resample(const AggregateRegistry&, const std::string& name,
                                      std::string_view, const Types&, const Values&)
{
    throw Error(error_codes::NOT_IMPLEMENTED,
                "Aggregate function combinator Resample is not supported: " + name);
}

} // namespace basalt
