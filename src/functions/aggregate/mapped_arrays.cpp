// sumMap, minMap and maxMap of arrays (sumMappedArrays …): an array of keys and arrays of values
// beside it. Values of a key are aggregated by sum, min or max; sums leave out keys whose values
// are all zero.

#include "functions/aggregate/aggregate_of.h"
#include "functions/aggregate/key_set.h"

#include <algorithm>

namespace basalt
{

namespace
{

// Key i of the set has the states of all value columns at states[i].
struct MappedState
{
    KeySet keys;
    PodVector<char*> states;
};

class MappedArrays final : public AggregateBase<MappedState, MappedArrays>
{
public:
    MappedArrays(const std::string& name, const Types& arguments, const Values& parameters,
                 std::vector<AggregateFunctionPtr> inner, const TypePtr& key, bool drop_zeros,
                 bool in_tuple)
        : AggregateBase(name, arguments, parameters), inner_(std::move(inner)),
          drop_zeros_(drop_zeros), in_tuple_(in_tuple), key_shape_(key->create_column())
    {
        Types result = {std::make_shared<ArrayType>(key)};
        for (const AggregateFunctionPtr& one : inner_)
        {
            result.push_back(std::make_shared<ArrayType>(one->result_type()));
            const size_t alignment = one->state_alignment();
            size_ = (size_ + alignment - 1) / alignment * alignment;
            offsets_.push_back(size_);
            size_ += one->state_size();
        }
        result_ = std::make_shared<TupleType>(std::move(result));
    }
    TypePtr result_type() const override { return result_; }
    bool handles_nulls() const override { return true; }
    bool trivially_destroyed() const override { return false; }
    void destroy_state(char* at) const noexcept override
    {
        for (char* states : state(at).states)
            for (size_t i = 0; i < inner_.size(); ++i)
                inner_[i]->destroy_state(states + offsets_[i]);
        state(at).~MappedState();
    }

    void add(MappedState& mapped, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        std::vector<const Column*> columns(arguments.begin(), arguments.end());
        if (in_tuple_)
        {
            columns.clear();
            for (const ColumnPtr& element : column_as<TupleColumn>(*arguments[0]).elements())
                columns.push_back(element.get());
        }
        const auto& keys = column_as<ArrayColumn>(*columns[0]);
        const size_t length = keys.length_of(row);
        PodVector<char> key;
        for (size_t c = 1; c < columns.size(); ++c)
        {
            const auto& values = column_as<ArrayColumn>(*columns[c]);
            if (values.length_of(row) != length)
                throw Error(error_codes::BAD_ARGUMENTS,
                            "Sizes of keys and values arrays do not match");
            for (size_t i = 0; i < length; ++i)
            {
                const Column* items = values.items().get();
                const size_t at = values.begin_of(row) + i;
                if (items->is_null_at(at))
                    continue;
                if (items->form() == ColumnForm::Nullable)
                    items = column_as<NullableColumn>(*items).nested().get();
                key.clear();
                keys.items()->append_key(keys.begin_of(row) + i, key);
                char* states = states_of(mapped, {key.data(), key.size()}, arena);
                inner_[c - 1]->add_range(states + offsets_[c - 1], {&items, 1}, at, at + 1, arena);
            }
        }
    }
    void merge_state(char* into, const char* from, Arena& arena) const override
    {
        const MappedState& other = state(from);
        for (size_t k = 0; k < other.states.size(); ++k)
        {
            char* states = states_of(state(into), other.keys[k], arena);
            for (size_t i = 0; i < inner_.size(); ++i)
                inner_[i]->merge_state(states + offsets_[i], other.states[k] + offsets_[i], arena);
        }
    }
    void write_state(const char* from, std::string& out) const override
    {
        const MappedState& mapped = state(from);
        put_count(out, mapped.states.size());
        for (size_t k = 0; k < mapped.states.size(); ++k)
        {
            out.append(mapped.keys[k]);
            for (size_t i = 0; i < inner_.size(); ++i)
                inner_[i]->write_state(mapped.states[k] + offsets_[i], out);
        }
    }
    size_t read_state(char* into, const char* data, size_t size, Arena& arena) const override
    {
        StateReader in(data, size);
        const MutableColumnPtr scratch = key_shape_->clone_empty();
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const char* key = in.position();
            read_key(*scratch, in);
            scratch->remove_last(1);
            const size_t before = state(into).states.size();
            char* states = states_of(state(into),
                                     {key, static_cast<size_t>(in.position() - key)}, arena);
            if (state(into).states.size() == before)
                StateReader::corrupted(); // the same key twice
            for (size_t i = 0; i < inner_.size(); ++i)
                in.skip(inner_[i]->read_state(states + offsets_[i], in.position(), in.left(),
                                              arena));
        }
        return in.consumed();
    }
    void append_result(char* place, Column& into, Arena& arena) const override
    {
        const MappedState& mapped = state(place);
        const MutableColumnPtr keys = key_shape_->clone_empty();
        for (size_t k = 0; k < mapped.states.size(); ++k)
            keys->append_from_key(mapped.keys[k].data());
        std::vector<uint32_t> order(keys->size());
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b)
                  { return keys->compare_at(a, *keys, b, -1) < 0; });

        auto& tuple = column_as<TupleColumn>(into);
        for (const uint32_t k : order)
        {
            bool all_zero = drop_zeros_;
            for (size_t i = 0; i < inner_.size(); ++i)
            {
                Column& values = items_of(tuple, i + 1);
                inner_[i]->append_result(mapped.states[k] + offsets_[i], values, arena);
                all_zero = all_zero && is_zero(values);
            }
            if (all_zero)
                for (size_t i = 0; i < inner_.size(); ++i)
                    items_of(tuple, i + 1).remove_last(1);
            else
                items_of(tuple, 0).append_from(*keys, k);
        }
        for (size_t i = 0; i <= inner_.size(); ++i)
        {
            auto& array = column_as<ArrayColumn>(tuple.mutable_element(i));
            array.mutable_offsets().push_back(array.items()->size());
        }
        tuple.set_rows(tuple.element(0)->size());
    }

private:
    static Column& items_of(TupleColumn& tuple, size_t element)
    {
        return column_as<ArrayColumn>(tuple.mutable_element(element)).mutable_items();
    }
    static bool is_zero(const Column& values)
    {
        const size_t last = values.size() - 1;
        const MutableColumnPtr zero = values.clone_empty();
        zero->append_default();
        return values.compare_at(last, *zero, 0, 1) == 0;
    }
    char* states_of(MappedState& mapped, std::string_view key, Arena& arena) const
    {
        const size_t k = mapped.keys.insert(key, arena);
        if (k == mapped.states.size())
        {
            char* states = arena.allocate(size_, alignof(std::max_align_t));
            for (size_t i = 0; i < inner_.size(); ++i)
                inner_[i]->create_state(states + offsets_[i]);
            mapped.states.push_back(states);
        }
        return mapped.states[k];
    }

    std::vector<AggregateFunctionPtr> inner_;
    std::vector<size_t> offsets_;
    size_t size_ = 0;
    bool drop_zeros_;
    bool in_tuple_;
    MutableColumnPtr key_shape_;
    TypePtr result_;
};

AggregateFunctionPtr make(const std::string& name, const Types& arguments,
                          const Values& parameters)
{
    expect_no_parameters(name, parameters);
    Types arrays = arguments;
    const bool in_tuple = arguments.size() == 1 && arguments[0]->is(TypeId::Tuple);
    if (in_tuple)
        arrays = type_as<TupleType>(arguments[0]).elements();
    if (arrays.size() < 2)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name +
                        " requires at least two arguments of Array type or one argument of tuple "
                        "of two arrays");
    for (const TypePtr& type : arrays)
        if (!type->is(TypeId::Array))
            illegal_argument(name, type);
    const bool sums = name.starts_with("sum");
    std::vector<AggregateFunctionPtr> inner;
    for (size_t i = 1; i < arrays.size(); ++i)
    {
        const TypePtr value = remove_nullable(type_as<ArrayType>(arrays[i]).nested());
        std::string function = name.substr(0, 3);
        if (sums && (!value->is_number()))
            illegal_argument(name, value);
        if (value->is(TypeId::Nothing))
            illegal_argument(name, value);
        if (sums && (value->is_decimal() || name == "sumMapWithOverflow"))
            function = "sumWithOverflow"; // keeps the type
        inner.push_back(aggregate_functions().get(function, {value}, {}));
    }
    return std::make_shared<MappedArrays>(name, arguments, parameters, std::move(inner),
                                          type_as<ArrayType>(arrays[0]).nested(), sums, in_tuple);
}

} // namespace

void register_mapped_arrays(AggregateRegistry& registry)
{
    for (const char* name :
         {"sumMappedArrays", "minMappedArrays", "maxMappedArrays", "sumMapWithOverflow"})
        registry.add(name, make, {.handles_nulls = true});
}

} // namespace basalt
