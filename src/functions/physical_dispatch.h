#pragma once

// From a PhysicalType to the C++ type of its VectorColumn.

#include "columns/column.h"

namespace basalt
{

template <class T> struct TypeTag
{
    using type = T;
};

// Calls f(TypeTag<T>{}) for the fixed-width physical types; false for the others.
template <class F> bool dispatch_vector(PhysicalType physical, F&& f)
{
    switch (physical)
    {
        case PhysicalType::UInt8: f(TypeTag<uint8_t>{}); return true;
        case PhysicalType::UInt16: f(TypeTag<uint16_t>{}); return true;
        case PhysicalType::UInt32: f(TypeTag<uint32_t>{}); return true;
        case PhysicalType::UInt64: f(TypeTag<uint64_t>{}); return true;
        case PhysicalType::UInt128: f(TypeTag<UInt128>{}); return true;
        case PhysicalType::UInt256: f(TypeTag<UInt256>{}); return true;
        case PhysicalType::Int8: f(TypeTag<int8_t>{}); return true;
        case PhysicalType::Int16: f(TypeTag<int16_t>{}); return true;
        case PhysicalType::Int32: f(TypeTag<int32_t>{}); return true;
        case PhysicalType::Int64: f(TypeTag<int64_t>{}); return true;
        case PhysicalType::Int128: f(TypeTag<Int128>{}); return true;
        case PhysicalType::Int256: f(TypeTag<Int256>{}); return true;
        case PhysicalType::Float32: f(TypeTag<float>{}); return true;
        case PhysicalType::Float64: f(TypeTag<double>{}); return true;
        default: return false;
    }
}

// The same for widths only: values are moved, never looked at.
template <class F> bool dispatch_width(PhysicalType physical, F&& f)
{
    switch (physical)
    {
        case PhysicalType::UInt8:
        case PhysicalType::Int8: f(TypeTag<uint8_t>{}); return true;
        case PhysicalType::UInt16:
        case PhysicalType::Int16: f(TypeTag<uint16_t>{}); return true;
        case PhysicalType::UInt32:
        case PhysicalType::Int32:
        case PhysicalType::Float32: f(TypeTag<uint32_t>{}); return true;
        case PhysicalType::UInt64:
        case PhysicalType::Int64:
        case PhysicalType::Float64: f(TypeTag<uint64_t>{}); return true;
        case PhysicalType::UInt128:
        case PhysicalType::Int128: f(TypeTag<UInt128>{}); return true;
        case PhysicalType::UInt256:
        case PhysicalType::Int256: f(TypeTag<UInt256>{}); return true;
        default: return false;
    }
}

// One argument's values: a pointer with step 1 for a vector, 0 for a constant.
template <class T> struct VectorView
{
    const T* data;
    size_t step;

    explicit VectorView(const Column& column)
    {
        if (column.form() == ColumnForm::Constant)
        {
            const auto& nested = *column_as<ConstantColumn>(column).nested();
            data = column_as<VectorColumn<T>>(nested).data().data();
            step = 0;
        }
        else
        {
            data = column_as<VectorColumn<T>>(column).data().data();
            step = 1;
        }
    }
    const T& operator[](size_t i) const { return data[i * step]; }
    bool constant() const { return step == 0; }
};

// The same for String and FixedString columns.
class TextView
{
public:
    explicit TextView(const Column& column)
    {
        const Column* flat = &column;
        if (column.form() == ColumnForm::Constant)
        {
            flat = column_as<ConstantColumn>(column).nested().get();
            step_ = 0;
        }
        if (flat->form() == ColumnForm::FixedString)
        {
            const auto& fixed = column_as<FixedStringColumn>(*flat);
            chars_ = fixed.chars().data();
            width_ = fixed.width();
        }
        else
        {
            const auto& strings = column_as<StringColumn>(*flat);
            chars_ = strings.chars().data();
            offsets_ = strings.offsets().data();
        }
    }
    std::string_view operator[](size_t row) const
    {
        const size_t i = row * step_;
        if (!offsets_)
            return {chars_ + i * width_, width_};
        const uint64_t begin = i == 0 ? 0 : offsets_[i - 1];
        return {chars_ + begin, offsets_[i] - begin};
    }
    bool constant() const { return step_ == 0; }
    bool fixed() const { return offsets_ == nullptr; }

private:
    const char* chars_ = nullptr;
    const uint64_t* offsets_ = nullptr;
    size_t width_ = 0;
    size_t step_ = 1;
};

} // namespace basalt
