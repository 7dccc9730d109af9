// uniqExact: a set of values of up to 64 bits, and of 128-bit XXH3 hashes of everything else.

#include "codecs/hash.h"
#include "functions/aggregate/flat_table.h"
#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

template <class Key> class ExactSet
{
public:
    FlatSet<Key> keys;
};

template <class Key, class Derived>
class ExactBase : public AggregateOf<ExactSet<Key>, Derived>
{
public:
    using State = ExactSet<Key>;

    ExactBase(const std::string& name, const Types& arguments)
        : AggregateOf<State, Derived>(name, arguments, {}, simple_type(TypeId::UInt64))
    {
    }
    void merge(State& into, const State& from, Arena&) const
    {
        if (into.keys.size() == 0)
            into.keys.reserve(from.keys.size());
        from.keys.for_each([&](Key key) { into.keys.insert(key); });
    }
    void write(const State& from, std::string& out) const
    {
        put_count(out, from.keys.size());
        from.keys.for_each([&](Key key) { put_fixed(out, key); });
    }
    void read(State& into, StateReader& in, Arena&) const
    {
        const size_t count = in.count_of(sizeof(Key));
        into.keys.clear();
        into.keys.reserve(count);
        for (size_t i = 0; i < count; ++i)
            into.keys.insert(in.fixed<Key>());
    }
    void result(State& from, Column& into, Arena&) const
    {
        vector_of<uint64_t>(into).push_back(from.keys.size());
    }
};

template <size_t kBytes>
using KeyOf = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t,
                       std::conditional_t<kBytes == 4, uint32_t,
                                          std::conditional_t<kBytes == 8, uint64_t, UInt128>>>>;

template <class T> class ExactNumber final : public ExactBase<KeyOf<sizeof(T)>, ExactNumber<T>>
{
public:
    using Key = KeyOf<sizeof(T)>;
    using State = ExactSet<Key>;
    using ExactBase<Key, ExactNumber>::ExactBase;

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        const T* value = &vector_of<T>(*arguments[0])[row];
        if constexpr (sizeof(T) <= 16)
            state.keys.insert(load<Key>(value));
        else
        {
            const Hash128 hash = xxh3_128(reinterpret_cast<const char*>(value), sizeof(T));
            state.keys.insert((UInt128{hash.high} << 64) | hash.low);
        }
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                add(this->state(place), arguments, i, arena);
    }
};

class ExactRows final : public ExactBase<UInt128, ExactRows>
{
public:
    using ExactBase::ExactBase;

    void add(State& state, std::span<const Column* const> arguments, size_t row, Arena&) const
    {
        Hash128 hash;
        const ColumnForm form = arguments[0]->form();
        if (arguments.size() == 1 &&
            (form == ColumnForm::String || form == ColumnForm::FixedString))
        {
            const std::string_view text = TextValue::text_at(*arguments[0], row);
            hash = xxh3_128(text.data(), text.size());
        }
        else
        {
            PodVector<char> key;
            for (const Column* argument : arguments)
                argument->append_key(row, key);
            hash = xxh3_128(key.data(), key.size());
        }
        state.keys.insert((UInt128{hash.high} << 64) | hash.low);
    }
    void add_masked(char* place, std::span<const Column* const> arguments, const uint8_t* mask,
                    size_t rows, Arena& arena) const override
    {
        for (size_t i = 0; i < rows; ++i)
            if (mask[i])
                add(state(place), arguments, i, arena);
    }
};

AggregateFunctionPtr make_uniq_exact(const std::string& name, const Types& arguments,
                                     const Values& parameters)
{
    expect_no_parameters(name, parameters);
    if (arguments.empty())
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Incorrect number of arguments for aggregate function " + name);
    if (arguments.size() == 1)
        if (AggregateFunctionPtr made = make_for_vector<ExactNumber>(arguments[0], name, arguments))
            return made;
    return std::make_shared<ExactRows>(name, arguments);
}

} // namespace

void register_uniq_exact(AggregateRegistry& registry)
{
    registry.add("uniqExact", make_uniq_exact, {.default_when_all_null = true});
}

} // namespace basalt
