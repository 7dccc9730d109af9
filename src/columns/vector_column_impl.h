#pragma once

// Members of VectorColumn, instantiated in vector_column_*.cpp.

#include "columns/forms.h"

#include <cmath>
#include <type_traits>

namespace basalt
{

template <class T> inline uint64_t hash_of(const T& value)
{
    if constexpr (sizeof(T) == 32)
        return hash_bytes(reinterpret_cast<const char*>(&value), 32);
    else if constexpr (sizeof(T) == 16)
    {
        const auto bits = static_cast<UInt128>(value);
        return combine_hash(hash_int(static_cast<uint64_t>(bits)),
                            hash_int(static_cast<uint64_t>(bits >> 64) + 1));
    }
    else if constexpr (std::is_same_v<T, float>)
        return hash_int(load<uint32_t>(&value));
    else if constexpr (std::is_same_v<T, double>)
        return hash_int(load<uint64_t>(&value));
    else
        return hash_int(static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value)));
}

template <class T> inline T number_of(const Value& value)
{
    return std::visit(
        [](const auto& held) -> T
        {
            using From = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<From, DecimalValue>)
                return static_cast<T>(held.mantissa);
            else if constexpr (std::is_arithmetic_v<From> || std::is_same_v<From, Int128> ||
                               std::is_same_v<From, UInt128> || std::is_same_v<From, Int256> ||
                               std::is_same_v<From, UInt256>)
                return static_cast<T>(held);
            else
            {
                BASALT_ASSERT(!"a number was expected");
                return T(0);
            }
        },
        static_cast<const std::variant<Null, uint64_t, int64_t, double, UInt128, Int128, UInt256,
                                       Int256, DecimalValue, std::string, ArrayValue, TupleValue,
                                       MapValue>&>(value));
}

template <class T> MutableColumnPtr VectorColumn<T>::clone_empty() const
{
    return std::make_shared<VectorColumn<T>>();
}

template <class T> void VectorColumn<T>::append_from(const Column& source, size_t row)
{
    const Column& flat = flat_source(source, row);
    data_.push_back(column_as<VectorColumn<T>>(flat).data_[row]);
}

template <class T>
void VectorColumn<T>::append_range(const Column& source, size_t begin, size_t count)
{
    if (source.form() == ColumnForm::Constant)
    {
        const T value =
            column_as<VectorColumn<T>>(*static_cast<const ConstantColumn&>(source).nested())
                .data_[0];
        data_.resize_fill(data_.size() + count, value);
    }
    else if (source.form() == ColumnForm::Dictionary)
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(source);
        const T* values = column_as<VectorColumn<T>>(*dictionary.dictionary()).data_.data();
        const uint32_t* codes = dictionary.codes().data() + begin;
        const size_t old = data_.size();
        data_.resize(old + count);
        T* to = data_.data() + old;
        for (size_t i = 0; i < count; ++i)
            to[i] = values[codes[i]];
    }
    else
    {
        const auto& from = column_as<VectorColumn<T>>(source);
        BASALT_DCHECK(begin + count <= from.size());
        data_.append(from.data_.data() + begin, count);
    }
}

template <class T>
void VectorColumn<T>::append_repeated(const Column& source, size_t row, size_t count)
{
    const Column& flat = flat_source(source, row);
    const T value = column_as<VectorColumn<T>>(flat).data_[row];
    data_.resize_fill(data_.size() + count, value);
}

template <class T> void VectorColumn<T>::append_value(const Value& value)
{
    data_.push_back(number_of<T>(value));
}

template <class T> Value VectorColumn<T>::value_at(size_t row) const
{
    const T value = data_[row];
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<double>(value);
    else if constexpr (sizeof(T) > 8)
        return value;
    else if constexpr (std::is_signed_v<T>)
        return static_cast<int64_t>(value);
    else
        return static_cast<uint64_t>(value);
}

template <class T> ColumnPtr VectorColumn<T>::filter(const Mask& mask, size_t kept_rows) const
{
    BASALT_DCHECK(mask.size() == data_.size());
    auto result = std::make_shared<VectorColumn<T>>(kept_rows);
    T* to = result->data_.data();
    const T* from = data_.data();
    for (size_t base = 0; base < mask.size(); base += 64)
    {
        uint64_t bits = mask_bits_from(mask, base);
        if (bits == ~uint64_t{0})
        {
            std::memcpy(static_cast<void*>(to), from + base, 64 * sizeof(T));
            to += 64;
            continue;
        }
        to = copy_kept_64(to, from + base, bits);
    }
    BASALT_DCHECK(to == result->data_.data() + kept_rows);
    return result;
}

template <class T> ColumnPtr VectorColumn<T>::take(const RowIndexes& rows) const
{
    auto result = std::make_shared<VectorColumn<T>>(rows.size());
    T* to = result->data_.data();
    const T* from = data_.data();
    const uint32_t* row = rows.data();
    for (size_t i = 0; i < rows.size(); ++i)
    {
        BASALT_DCHECK(row[i] < data_.size());
        to[i] = from[row[i]];
    }
    return result;
}

template <class T> ColumnPtr VectorColumn<T>::slice(size_t begin, size_t count) const
{
    BASALT_DCHECK(begin + count <= data_.size());
    auto result = std::make_shared<VectorColumn<T>>();
    result->data_.reserve(count);
    result->data_.append(data_.data() + begin, count);
    return result;
}

template <class T>
ColumnPtr VectorColumn<T>::replicate(const PodVector<uint64_t>& offsets) const
{
    BASALT_DCHECK(offsets.size() == data_.size());
    auto result = std::make_shared<VectorColumn<T>>(offsets.empty() ? 0 : offsets.back());
    T* to = result->data_.data();
    size_t at = 0;
    for (size_t i = 0; i < offsets.size(); ++i)
        for (const T value = data_[i]; at < offsets[i]; ++at)
            to[at] = value;
    return result;
}

template <class T>
int VectorColumn<T>::compare_at(size_t row, const Column& other, size_t other_row,
                                int nulls_direction) const
{
    const T a = data_[row];
    const T b = column_as<VectorColumn<T>>(other).data_[other_row];
    if constexpr (std::is_floating_point_v<T>)
    {
        const bool a_is_nan = std::isnan(a);
        const bool b_is_nan = std::isnan(b);
        if (a_is_nan || b_is_nan)
            return a_is_nan && b_is_nan ? 0 : (a_is_nan ? nulls_direction : -nulls_direction);
    }
    return a < b ? -1 : (b < a ? 1 : 0);
}

template <class T> void VectorColumn<T>::hash_into(std::span<uint64_t> hashes) const
{
    BASALT_DCHECK(hashes.size() == data_.size());
    const T* from = data_.data();
    for (size_t i = 0; i < hashes.size(); ++i)
        hashes[i] = combine_hash(hashes[i], hash_of(from[i]));
}

template <class T> void VectorColumn<T>::append_key(size_t row, PodVector<char>& out) const
{
    out.append(reinterpret_cast<const char*>(&data_[row]), sizeof(T));
}

template <class T> const char* VectorColumn<T>::append_from_key(const char* key)
{
    data_.push_back(load<T>(key));
    return key + sizeof(T);
}

} // namespace basalt
