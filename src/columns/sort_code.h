#pragma once

// Values of fixed-width columns as unsigned codes whose order is the order of the values. Of this
// room only.

#include "base/unaligned.h"
#include "columns/sort.h"

#include <cmath>
#include <type_traits>

namespace basalt
{

// What compare_at needs to put nulls where the key wants them, given that its result is negated
// for a descending key.
inline int nulls_direction(const SortKey& key)
{
    return key.descending == key.nulls_first ? 1 : -1;
}

// Ascending code of a value of at most 16 bytes. NaN is not handled here.
template <class T> inline auto order_code(T value)
{
    if constexpr (std::is_floating_point_v<T>)
    {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
        value += T(0); // -0 becomes 0
        const Bits bits = load<Bits>(&value);
        constexpr Bits sign = Bits(1) << (sizeof(T) * 8 - 1);
        return (bits & sign) ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
    }
    else if constexpr (sizeof(T) == 16)
    {
        constexpr UInt128 sign = UInt128{1} << 127;
        return std::is_same_v<T, Int128> ? static_cast<UInt128>(value) ^ sign
                                         : static_cast<UInt128>(value);
    }
    else
    {
        using Bits = std::make_unsigned_t<T>;
        constexpr Bits sign = std::is_signed_v<T> ? Bits(Bits(1) << (sizeof(T) * 8 - 1)) : Bits(0);
        return static_cast<Bits>(static_cast<Bits>(value) ^ sign);
    }
}

// First eight bytes of a text as a number that orders like the text.
inline uint64_t text_code(std::string_view text)
{
    uint64_t code = 0;
    if (text.size() >= 8)
        code = load<uint64_t>(text.data());
    else
        std::memcpy(&code, text.data() ? text.data() : "", text.size());
    return __builtin_bswap64(code);
}

// Calls with the VectorColumn<T> of the column's value type; false when it is not a vector.
template <class Call> bool with_vector_type(const Column& column, Call&& call)
{
    if (column.form() != ColumnForm::Vector)
        return false;
    const auto try_type = [&]<class T>(T*)
    {
        if (const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column))
        {
            call(*vector);
            return true;
        }
        return false;
    };
    return try_type(static_cast<uint64_t*>(nullptr)) || try_type(static_cast<int64_t*>(nullptr)) ||
           try_type(static_cast<uint32_t*>(nullptr)) || try_type(static_cast<int32_t*>(nullptr)) ||
           try_type(static_cast<uint16_t*>(nullptr)) || try_type(static_cast<int16_t*>(nullptr)) ||
           try_type(static_cast<uint8_t*>(nullptr)) || try_type(static_cast<int8_t*>(nullptr)) ||
           try_type(static_cast<double*>(nullptr)) || try_type(static_cast<float*>(nullptr)) ||
           try_type(static_cast<UInt128*>(nullptr)) || try_type(static_cast<Int128*>(nullptr)) ||
           try_type(static_cast<UInt256*>(nullptr)) || try_type(static_cast<Int256*>(nullptr));
}

} // namespace basalt
