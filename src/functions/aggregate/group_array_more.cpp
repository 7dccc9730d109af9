// groupArrayLast, groupArraySorted, groupArrayInsertAt, groupArrayIntersect, and the moving sums
// and averages.

#include "columns/serialization.h"
#include "functions/aggregate/held_value.h"
#include "functions/aggregate/key_set.h"
#include "functions/aggregate/sum_of.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr uint64_t kMaxListedItems = 0xFFFFFF;

struct ItemList
{
    MutableColumnPtr items; // null while empty
};

// The last N values, or the least N in order.
template <bool kSorted> class GroupSome final : public AggregateOf<ItemList, GroupSome<kSorted>>
{
public:
    GroupSome(const std::string& name, const Types& arguments, const Values& parameters,
              uint64_t most)
        : AggregateOf<ItemList, GroupSome>(name, arguments, parameters,
                                           std::make_shared<ArrayType>(arguments[0])),
          most_(most), shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return !kSorted; }

    void add(ItemList& list, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        append(list, *arguments[0], row, 1);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        if (begin < end)
            append(this->state(place), *arguments[0], begin, end - begin);
    }
    void merge(ItemList& into, const ItemList& from, Arena&) const
    {
        if (from.items)
            append(into, *from.items, 0, from.items->size());
    }
    void write(const ItemList& from, std::string& out) const
    {
        if (from.items)
            put_column(out, *from.items);
        else
            put_count(out, 0);
    }
    void read(ItemList& into, StateReader& in, Arena&) const
    {
        into.items = shape_->clone_empty();
        read_column(*into.items, in);
    }
    void result(ItemList& from, Column& into, Arena&) const
    {
        auto& array = column_as<ArrayColumn>(into);
        if (from.items)
        {
            trim(from);
            array.mutable_items().append_range(*from.items, 0, from.items->size());
        }
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    void append(ItemList& list, const Column& from, size_t begin, size_t count) const
    {
        if (!list.items)
            list.items = shape_->clone_empty();
        list.items->append_range(from, begin, count);
        if (list.items->size() > 2 * most_ + 1024)
            trim(list);
    }
    void trim(ItemList& list) const
    {
        const size_t size = list.items->size();
        const size_t kept = std::min<uint64_t>(size, most_);
        MutableColumnPtr trimmed = shape_->clone_empty();
        if (kSorted)
        {
            std::vector<uint32_t> order(size);
            for (uint32_t i = 0; i < size; ++i)
                order[i] = i;
            std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept),
                              order.end(),
                              [&](uint32_t a, uint32_t b)
                              {
                                  const int o = list.items->compare_at(a, *list.items, b, 1);
                                  return o ? o < 0 : a < b;
                              });
            for (size_t i = 0; i < kept; ++i)
                trimmed->append_from(*list.items, order[i]);
        }
        else
            trimmed->append_range(*list.items, size - kept, kept);
        list.items = std::move(trimmed);
    }

    uint64_t most_;
    MutableColumnPtr shape_;
};

// Value x at position p; gaps hold the default. Of two values for a place the first stays.
struct PlacedItems
{
    MutableColumnPtr items;
    PodVector<uint64_t> places;
};

class InsertAt final : public AggregateOf<PlacedItems, InsertAt>
{
public:
    InsertAt(const std::string& name, const Types& arguments, const Values& parameters,
             MutableColumnPtr filler, uint64_t size)
        : AggregateOf(name, arguments, parameters, std::make_shared<ArrayType>(arguments[0])),
          filler_(std::move(filler)), size_(size), shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return true; }

    void add(PlacedItems& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        const Value place = arguments[1]->value_at(row);
        insert(state, *arguments[0], row, place.get<uint64_t>());
    }
    void merge(PlacedItems& into, const PlacedItems& from, Arena&) const
    {
        for (size_t i = 0; i < from.places.size(); ++i)
            insert(into, *from.items, i, from.places[i]);
    }
    void write(const PlacedItems& from, std::string& out) const
    {
        put_count(out, from.places.size());
        for (size_t i = 0; i < from.places.size(); ++i)
        {
            put_count(out, from.places[i]);
            put_key(out, *from.items, i);
        }
    }
    void read(PlacedItems& into, StateReader& in, Arena&) const
    {
        into.items = shape_->clone_empty();
        into.places.clear();
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const uint64_t place = in.count();
            if (place >= (size_ ? size_ : kMaxListedItems))
                StateReader::corrupted();
            read_key(*into.items, in);
            into.places.push_back(place);
        }
    }
    void result(PlacedItems& from, Column& into, Arena&) const
    {
        uint64_t length = size_;
        if (size_ == 0)
            for (const uint64_t place : from.places)
                length = std::max(length, place + 1);
        std::vector<uint32_t> item_of(length, UINT32_MAX);
        for (size_t i = from.places.size(); i-- > 0;)
            item_of[from.places[i]] = static_cast<uint32_t>(i);
        auto& array = column_as<ArrayColumn>(into);
        for (const uint32_t item : item_of)
            if (item != UINT32_MAX)
                array.mutable_items().append_from(*from.items, item);
            else
                array.mutable_items().append_from(*filler_, 0);
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    void insert(PlacedItems& state, const Column& from, size_t row, uint64_t place) const
    {
        if (size_ != 0 && place >= size_)
            return;
        if (place >= kMaxListedItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        "Too large array size: position argument (" + std::to_string(place) +
                            ") is greater or equals to limit (" +
                            std::to_string(kMaxListedItems) + ")");
        if (!state.items)
            state.items = shape_->clone_empty();
        state.items->append_from(from, row);
        state.places.push_back(place);
    }

    MutableColumnPtr filler_;
    uint64_t size_;
    MutableColumnPtr shape_;
};

// Items that stand in the array of every row.
struct CommonItems
{
    KeySet keys;
    bool any_row = false;
};

class Intersect final : public AggregateOf<CommonItems, Intersect>
{
public:
    Intersect(const std::string& name, const Types& arguments)
        : AggregateOf(name, arguments, {}, arguments[0]),
          shape_(type_as<ArrayType>(arguments[0]).nested()->create_column())
    {
    }

    void add(CommonItems& state, std::span<const Column* const> arguments, size_t row,
             Arena& arena) const
    {
        const auto& array = column_as<ArrayColumn>(*arguments[0]);
        KeySet keys;
        PodVector<char> key;
        for (size_t i = array.begin_of(row); i < array.offsets()[row]; ++i)
        {
            key.clear();
            array.items()->append_key(i, key);
            if (!state.any_row || contains(state.keys, {key.data(), key.size()}))
                keys.insert({key.data(), key.size()}, arena);
        }
        state.keys = std::move(keys);
        state.any_row = true;
    }
    void merge(CommonItems& into, const CommonItems& from, Arena& arena) const
    {
        if (!from.any_row)
            return;
        KeySet keys;
        from.keys.for_each(
            [&](std::string_view key)
            {
                if (!into.any_row || contains(into.keys, key))
                    keys.insert(key, arena);
            });
        into.keys = std::move(keys);
        into.any_row = true;
    }
    void write(const CommonItems& from, std::string& out) const
    {
        out += from.any_row ? '\1' : '\0';
        put_count(out, from.keys.size());
        from.keys.for_each([&](std::string_view key) { out.append(key); });
    }
    void read(CommonItems& into, StateReader& in, Arena& arena) const
    {
        into = CommonItems();
        into.any_row = in.fixed<uint8_t>() != 0;
        const MutableColumnPtr scratch = shape_->clone_empty();
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const char* key = in.position();
            read_key(*scratch, in);
            scratch->remove_last(1);
            into.keys.insert({key, static_cast<size_t>(in.position() - key)}, arena);
        }
    }
    void result(CommonItems& from, Column& into, Arena&) const
    {
        // In the order of values, which no order of rows changes.
        const MutableColumnPtr items = shape_->clone_empty();
        from.keys.for_each([&](std::string_view key) { items->append_from_key(key.data()); });
        std::vector<uint32_t> order(items->size());
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b)
                  { return items->compare_at(a, *items, b, 1) < 0; });
        auto& array = column_as<ArrayColumn>(into);
        for (const uint32_t i : order)
            array.mutable_items().append_from(*items, i);
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    static bool contains(const KeySet& keys, std::string_view key)
    {
        return keys.find(key) != keys.size();
    }

    MutableColumnPtr shape_;
};

// Sums over the last `window` values at each value; kAverage divides by the window.
template <class T, class R> struct MovingState
{
    PodVector<R> values;
};

template <class T, class R, bool kAverage>
class Moving final : public VectorAggregate<T, MovingState<T, R>, Moving<T, R, kAverage>>
{
public:
    using State = MovingState<T, R>;

    Moving(const std::string& name, const Types& arguments, const Values& parameters,
           uint64_t window, const TypePtr& one)
        : VectorAggregate<T, State, Moving>(name, arguments, parameters,
                                            std::make_shared<ArrayType>(one)),
          window_(window)
    {
    }
    bool order_dependent() const override { return true; }

    void add_value(State& state, const T& value) const
    {
        if (state.values.size() >= kMaxListedItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                        "Too large array size in aggregate function " + this->name());
        state.values.push_back(static_cast<R>(value));
    }
    void merge(State& into, const State& from, Arena&) const
    {
        into.values.append(from.values.data(), from.values.size());
    }
    void write(const State& from, std::string& out) const
    {
        put_count(out, from.values.size());
        for (const R& value : from.values)
            put_fixed(out, value);
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        into.values.clear();
        for (size_t left = in.count_of(sizeof(R)); left > 0; --left)
            into.values.push_back(in.fixed<R>());
    }
    void result(State& from, Column& into, Arena&) const
    {
        const size_t size = from.values.size();
        const uint64_t window = window_ ? window_ : size;
        auto& array = column_as<ArrayColumn>(into);
        R sum = R(0);
        for (size_t i = 0; i < size; ++i)
        {
            sum += from.values[i];
            if (i >= window)
                sum -= from.values[i - window];
            if constexpr (!kAverage)
                vector_of<R>(array.mutable_items()).push_back(sum);
            else if constexpr (Integer<R> && sizeof(R) >= 16) // decimals
                vector_of<R>(array.mutable_items()).push_back(sum / R(window));
            else
                vector_of<double>(array.mutable_items())
                    .push_back(static_cast<double>(sum) / static_cast<double>(window));
        }
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    uint64_t window_; // 0: all values
};

template <bool kAverage>
AggregateFunctionPtr make_moving(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    if (parameters.size() > 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of parameters for aggregate function " + name +
                        ", should be 0 or 1");
    const uint64_t window = parameters.empty() ? 0 : unsigned_parameter(name, parameters[0], 1);
    const TypePtr& type = arguments[0];
    const bool wide = type->is_integer() && (type->is(TypeId::UInt128) || type->is(TypeId::Int128) ||
                                             type->is(TypeId::UInt256) || type->is(TypeId::Int256));
    if (!type->is_number() || (wide && kAverage) || type->is(TypeId::Decimal256))
        illegal_argument(name, type);
    AggregateFunctionPtr made;
    dispatch_vector(
        type->physical(),
        [&](auto tag)
        {
            using T = typename decltype(tag)::type;
            if (type->is_decimal())
            {
                if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                              std::is_same_v<T, Int128>)
                    made = std::make_shared<Moving<T, Int128, kAverage>>(
                        name, arguments, parameters, window,
                        std::make_shared<DecimalType>(38, type_as<DecimalType>(type).scale()));
                return;
            }
            if constexpr (sizeof(T) <= 8 || !kAverage)
            {
                const AggregateFunctionPtr sum = aggregate_functions().get("sum", {type}, {});
                made = std::make_shared<Moving<T, WideSum<T>, kAverage>>(
                    name, arguments, parameters, window,
                    kAverage ? simple_type(TypeId::Float64) : sum->result_type());
            }
        });
    return made;
}

template <bool kSorted>
AggregateFunctionPtr make_some(const std::string& name, const Types& arguments,
                               const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    if (parameters.size() != 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Function " + name + " requires one parameter: the size of the result");
    const uint64_t most = unsigned_parameter(name, parameters[0], 1);
    if (most > kMaxListedItems)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Parameter for aggregate function " + name + " should be at most " +
                        std::to_string(kMaxListedItems));
    return std::make_shared<GroupSome<kSorted>>(name, arguments, parameters, most);
}

AggregateFunctionPtr make_insert_at(const std::string& name, const Types& arguments,
                                    const Values& parameters)
{
    expect_arguments(name, arguments, 2);
    const TypePtr& place = arguments[1];
    if (!place->is_unsigned() || place->physical() > PhysicalType::UInt64)
        illegal_argument(name, place);
    if (parameters.size() > 2)
        throw Error(error_codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION,
                    "Aggregate function " + name + " requires at most two parameters");
    MutableColumnPtr filler = arguments[0]->create_column();
    if (parameters.empty() || parameters[0].is_null())
        filler->append_default();
    else
    {
        const std::optional<Value> value = convert_value(parameters[0], arguments[0]);
        if (!value)
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        "Cannot convert parameter " + parameters[0].to_text() + " to type " +
                            arguments[0]->name());
        filler->append_value(*value);
    }
    uint64_t size = 0;
    if (parameters.size() > 1)
    {
        size = unsigned_parameter(name, parameters[1], 1);
        if (size > kMaxListedItems)
            throw Error(error_codes::TOO_LARGE_ARRAY_SIZE, "Too large array size");
    }
    return std::make_shared<InsertAt>(name, arguments, parameters, std::move(filler), size);
}

AggregateFunctionPtr make_intersect(const std::string& name, const Types& arguments,
                                    const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_arguments(name, arguments, 1);
    if (!arguments[0]->is(TypeId::Array))
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Aggregate function " + name +
                        " accepts only array type argument. Provided " + arguments[0]->name());
    return std::make_shared<Intersect>(name, arguments);
}

} // namespace

void register_group_array_more(AggregateRegistry& registry)
{
    registry.add("groupArrayLast", make_some<false>, {.default_when_all_null = true});
    registry.add("groupArraySorted", make_some<true>, {.default_when_all_null = true});
    registry.add("groupArrayInsertAt", make_insert_at, {.default_when_all_null = true});
    registry.add("groupArrayIntersect", make_intersect, {.default_when_all_null = true});
    registry.add("groupArrayMovingSum", make_moving<false>, {.default_when_all_null = true});
    registry.add("groupArrayMovingAvg", make_moving<true>, {.default_when_all_null = true});
}

} // namespace basalt
