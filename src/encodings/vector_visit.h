#pragma once

// From a physical type to the C++ type of its VectorColumn.

#include "columns/column.h"

namespace basalt
{

// Calls f(T{}) for the fixed-width type; false for types that have no VectorColumn.
template <class F> bool with_vector_type(PhysicalType type, F&& f)
{
    switch (type)
    {
    case PhysicalType::UInt8:
        f(uint8_t{});
        return true;
    case PhysicalType::UInt16:
        f(uint16_t{});
        return true;
    case PhysicalType::UInt32:
        f(uint32_t{});
        return true;
    case PhysicalType::UInt64:
        f(uint64_t{});
        return true;
    case PhysicalType::UInt128:
        f(UInt128{});
        return true;
    case PhysicalType::UInt256:
        f(UInt256{});
        return true;
    case PhysicalType::Int8:
        f(int8_t{});
        return true;
    case PhysicalType::Int16:
        f(int16_t{});
        return true;
    case PhysicalType::Int32:
        f(int32_t{});
        return true;
    case PhysicalType::Int64:
        f(int64_t{});
        return true;
    case PhysicalType::Int128:
        f(Int128{});
        return true;
    case PhysicalType::Int256:
        f(Int256{});
        return true;
    case PhysicalType::Float32:
        f(float{});
        return true;
    case PhysicalType::Float64:
        f(double{});
        return true;
    default:
        return false;
    }
}

// Bytes of one value of a VectorColumn.
size_t vector_width(const Column& column);
// Where the values of a VectorColumn or FixedStringColumn begin.
const char* fixed_width_data(const Column& column);

} // namespace basalt
