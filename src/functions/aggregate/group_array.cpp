// groupArray and groupUniqArray. States as ClickHouse's for numbers: a varint
// count and the values.

#include "functions/aggregate/held_value.h"
#include "functions/aggregate/key_set.h"

namespace basalt
{

namespace
{

inline constexpr uint64_t kMaxGroupArrayItems = uint64_t{1} << 30;

void append_array(Column& into, const Column& items)
{
    auto& array = column_as<ArrayColumn>(into);
    array.mutable_items().append_range(items, 0, items.size());
    array.mutable_offsets().push_back(array.items()->size());
}

template <class T> struct ValueList
{
    PodVector<T> values;
};

[[noreturn]] void too_many(const std::string& name)
{
    throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                "Too large array size in aggregate function " + name);
}

// Values of a fixed width, by width.
template <class T>
class GroupVector final : public VectorAggregate<T, ValueList<T>, GroupVector<T>>
{
public:
    using State = ValueList<T>;

    GroupVector(const std::string& name, const Types& arguments, const Values& parameters,
                uint64_t most)
        : VectorAggregate<T, State, GroupVector>(name, arguments, parameters,
                                                 std::make_shared<ArrayType>(arguments[0])),
          most_(most)
    {
    }
    bool order_dependent() const override { return true; }

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        add_value(state, raw(arguments)[row]);
    }
    void add_value(State& state, T value) const
    {
        if (state.values.size() < most_)
            state.values.push_back(value);
    }
    void add_rows(std::span<char* const> places, size_t offset,
                  std::span<const Column* const> arguments, Arena&) const override
    {
        const T* from = raw(arguments);
        for (size_t i = 0; i < places.size(); ++i)
            add_value(this->state(places[i] + offset), from[i]);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        append(this->state(place), raw(arguments) + begin, end - begin);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena&) const override
    {
        const T* from = raw(arguments);
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                add_value(this->state(place), from[i]);
    }
    void merge(State& into, const State& from, Arena&) const
    {
        append(into, from.values.data(), from.values.size());
    }
    void write(const State& from, std::string& out) const
    {
        put_count(out, from.values.size());
        out.append(reinterpret_cast<const char*>(from.values.data()),
                   from.values.size() * sizeof(T));
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        const size_t count = in.count_of(sizeof(T));
        const std::string_view bytes = in.bytes(count * sizeof(T));
        into.values.resize(count);
        if (count)
            std::memcpy(static_cast<void*>(into.values.data()), bytes.data(), bytes.size());
        if (count > most_)
            into.values.resize(most_);
    }
    void result(State& from, Column& into, Arena&) const
    {
        auto& array = column_as<ArrayColumn>(into);
        bool done = false;
        dispatch_vector(this->argument_types()[0]->physical(),
                        [&](auto tag)
                        {
                            using V = typename decltype(tag)::type;
                            if constexpr (sizeof(V) == sizeof(T))
                            {
                                vector_of<V>(array.mutable_items())
                                    .append(reinterpret_cast<const V*>(from.values.data()),
                                            from.values.size());
                                done = true;
                            }
                        });
        BASALT_ASSERT(done);
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    const T* raw(std::span<const Column* const> arguments) const
    {
        const T* from = nullptr;
        dispatch_vector(this->argument_types()[0]->physical(),
                        [&](auto tag)
                        {
                            using V = typename decltype(tag)::type;
                            if constexpr (sizeof(V) == sizeof(T))
                                from = reinterpret_cast<const T*>(
                                    vector_of<V>(*arguments[0]).data());
                        });
        return from;
    }
    void append(State& state, const T* values, size_t count) const
    {
        const size_t room = most_ - std::min<uint64_t>(most_, state.values.size());
        if (count > room && most_ == kMaxGroupArrayItems)
            too_many(this->name());
        state.values.append(values, std::min(count, room));
    }

    uint64_t most_;
};

struct ColumnList
{
    MutableColumnPtr items; // null while empty
};

// Values of any other type, in a column.
class GroupColumn final : public AggregateOf<ColumnList, GroupColumn>
{
public:
    GroupColumn(const std::string& name, const Types& arguments, const Values& parameters,
                uint64_t most)
        : AggregateOf(name, arguments, parameters, std::make_shared<ArrayType>(arguments[0])),
          most_(most), shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return true; }

    void add(ColumnList& list, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        if (size(list) < most_)
            items(list).append_from(*arguments[0], row);
    }
    void add_range(char* place, std::span<const Column* const> arguments, size_t begin, size_t end,
                   Arena&) const override
    {
        append(state(place), *arguments[0], begin, end - begin);
    }
    void merge(ColumnList& into, const ColumnList& from, Arena&) const
    {
        if (from.items)
            append(into, *from.items, 0, from.items->size());
    }
    void write(const ColumnList& from, std::string& out) const
    {
        if (from.items)
            put_column(out, *from.items);
        else
            put_count(out, 0);
    }
    void read(ColumnList& into, StateReader& in, Arena&) const
    {
        into.items = shape_->clone_empty();
        read_column(*into.items, in);
        if (into.items->size() > most_)
            into.items->remove_last(into.items->size() - most_);
    }
    void result(ColumnList& from, Column& into, Arena&) const
    {
        append_array(into, from.items ? *from.items : *shape_);
    }

private:
    static size_t size(const ColumnList& list) { return list.items ? list.items->size() : 0; }
    Column& items(ColumnList& list) const
    {
        if (!list.items)
            list.items = shape_->clone_empty();
        return *list.items;
    }
    void append(ColumnList& list, const Column& from, size_t begin, size_t count) const
    {
        const size_t room = most_ - std::min<uint64_t>(most_, size(list));
        if (count > room && most_ == kMaxGroupArrayItems)
            too_many(name());
        if (const size_t taken = std::min(count, room))
            items(list).append_range(from, begin, taken);
    }

    uint64_t most_;
    MutableColumnPtr shape_;
};

// Distinct values in the order of their first coming.
class GroupUniq final : public AggregateOf<KeySet, GroupUniq>
{
public:
    GroupUniq(const std::string& name, const Types& arguments, const Values& parameters,
              uint64_t most)
        : AggregateOf(name, arguments, parameters, std::make_shared<ArrayType>(arguments[0])),
          most_(most), shape_(arguments[0]->create_column())
    {
    }
    bool order_dependent() const override { return true; }

    void add(KeySet& set, std::span<const Column* const> arguments, size_t row, Arena& arena) const
    {
        PodVector<char> key;
        arguments[0]->append_key(row, key);
        insert(set, {key.data(), key.size()}, arena);
    }
    void merge(KeySet& into, const KeySet& from, Arena& arena) const
    {
        from.for_each([&](std::string_view key) { insert(into, key, arena); });
    }
    void write(const KeySet& from, std::string& out) const
    {
        put_count(out, from.size());
        from.for_each([&](std::string_view key) { out.append(key); });
    }
    void read(KeySet& into, StateReader& in, Arena& arena) const
    {
        const MutableColumnPtr scratch = shape_->clone_empty();
        for (size_t left = in.count_of(1); left > 0; --left)
        {
            const char* key = in.position();
            read_key(*scratch, in);
            scratch->remove_last(1);
            insert(into, {key, static_cast<size_t>(in.position() - key)}, arena);
        }
    }
    void result(KeySet& from, Column& into, Arena&) const
    {
        auto& array = column_as<ArrayColumn>(into);
        from.for_each([&](std::string_view key)
                      { array.mutable_items().append_from_key(key.data()); });
        array.mutable_offsets().push_back(array.items()->size());
    }

private:
    void insert(KeySet& set, std::string_view key, Arena& arena) const
    {
        if (set.size() < most_)
            set.insert(key, arena);
    }

    uint64_t most_;
    MutableColumnPtr shape_;
};

uint64_t most_items(const std::string& name, const Values& parameters)
{
    if (parameters.size() > 1)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of parameters for aggregate function " + name +
                        ", should be 0 or 1");
    if (parameters.empty())
        return kMaxGroupArrayItems;
    return std::min(unsigned_parameter(name, parameters[0], 1), kMaxGroupArrayItems);
}

AggregateFunctionPtr make_group_array(const std::string& name, const Types& arguments,
                                      const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    const uint64_t most = most_items(name, parameters);
    AggregateFunctionPtr made;
    dispatch_width(arguments[0]->physical(),
                   [&](auto tag)
                   {
                       using T = typename decltype(tag)::type;
                       made = std::make_shared<GroupVector<T>>(name, arguments, parameters, most);
                   });
    if (made)
        return made;
    return std::make_shared<GroupColumn>(name, arguments, parameters, most);
}

AggregateFunctionPtr make_group_uniq_array(const std::string& name, const Types& arguments,
                                           const Values& parameters)
{
    expect_arguments(name, arguments, 1);
    return std::make_shared<GroupUniq>(name, arguments, parameters, most_items(name, parameters));
}

} // namespace

void register_group_array(AggregateRegistry& registry)
{
    registry.add("groupArray", make_group_array, {.default_when_all_null = true});
    registry.add("groupUniqArray", make_group_uniq_array, {.default_when_all_null = true});
    registry.add_alias("array_agg", "groupArray", true);
}

} // namespace basalt
