#include "functions/aggregate/uniq_hash.h"

#include "codecs/hash.h"
#include "functions/aggregate/held_value.h"

namespace basalt
{

namespace
{

// MurmurHash3's 64-bit finalizer, without a salt.
inline uint64_t mix_hash64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

template <class T> inline uint64_t hash_number(const T& value)
{
    if constexpr (std::is_same_v<T, float>)
        return mix_hash64(load<uint32_t>(&value));
    else if constexpr (std::is_same_v<T, double>)
        return mix_hash64(load<uint64_t>(&value));
    else if constexpr (sizeof(T) <= 8)
        return mix_hash64(static_cast<uint64_t>(value));
    else
    {
        uint64_t folded = 0;
        for (size_t i = 0; i < sizeof(T) / 8; ++i)
            folded ^= load<uint64_t>(reinterpret_cast<const char*>(&value) + 8 * i);
        return mix_hash64(mix_hash64(folded));
    }
}

template <class T>
void hash_numbers(std::span<const Column* const> arguments, size_t begin, size_t count,
                  uint64_t* out)
{
    const T* from = vector_of<T>(*arguments[0]).data() + begin;
    for (size_t i = 0; i < count; ++i)
        out[i] = hash_number(from[i]);
}

void hash_texts(std::span<const Column* const> arguments, size_t begin, size_t count,
                uint64_t* out)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = mix_hash64(city_hash64(TextValue::text_at(*arguments[0], begin + i)));
}

// CityHash64 of the value's bytes.
uint64_t hash_leaf(const Column& column, size_t row)
{
    if (column.form() == ColumnForm::String || column.form() == ColumnForm::FixedString)
        return city_hash64(TextValue::text_at(column, row));
    PodVector<char> key;
    column.append_key(row, key);
    return city_hash64(key.data(), key.size());
}

// Several arguments, or a tuple, which counts as its elements.
void hash_tuples(std::span<const Column* const> arguments, size_t begin, size_t count,
                 uint64_t* out)
{
    std::vector<const Column*> leaves;
    if (arguments.size() == 1 && arguments[0]->form() == ColumnForm::Tuple)
        for (const ColumnPtr& element : column_as<TupleColumn>(*arguments[0]).elements())
            leaves.push_back(element.get());
    else
        leaves.assign(arguments.begin(), arguments.end());
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t hash = 0;
        for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
        {
            const uint64_t one = hash_leaf(*leaves[leaf], begin + i);
            hash = leaf == 0 ? one : city_hash64_combine(one, hash);
        }
        out[i] = hash;
    }
}

} // namespace

HashRows row_hasher(const Types& arguments)
{
    if (arguments.size() != 1 || arguments[0]->is_decimal())
        return hash_tuples;
    if (arguments[0]->is_string() || arguments[0]->is(TypeId::IPv6))
        return hash_texts;
    HashRows hasher = hash_tuples;
    dispatch_vector(arguments[0]->physical(),
                    [&](auto tag) { hasher = hash_numbers<typename decltype(tag)::type>; });
    return hasher;
}

} // namespace basalt
