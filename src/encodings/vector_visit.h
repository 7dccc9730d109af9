#pragma once

// From a physical type to the C++ type of its VectorColumn.

#include "columns/column.h"

namespace basalt::inline encodings
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

// Calls f(data) with the PodVector of a VectorColumn of up to 64 bits; false for other columns.
template <class F> bool visit_narrow_vector(const Column& column, F&& f)
{
    const auto visit = [&]<class T>(T)
    {
        const auto* vector = dynamic_cast<const VectorColumn<T>*>(&column);
        if (vector)
            f(vector->data());
        return vector != nullptr;
    };
    return visit(uint8_t{}) || visit(uint16_t{}) || visit(uint32_t{}) || visit(uint64_t{}) ||
           visit(int8_t{}) || visit(int16_t{}) || visit(int32_t{}) || visit(int64_t{}) ||
           visit(float{}) || visit(double{});
}

// Bytes of one value of a VectorColumn.
size_t vector_width(const Column& column);
// Where the values of a VectorColumn or FixedStringColumn begin.
const char* fixed_width_data(const Column& column);

} // namespace basalt::encodings
