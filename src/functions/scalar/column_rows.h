#pragma once

// Reading argument columns by row without virtual calls: flat and constant columns alike.
// The objects point into the column, which must outlive them.

#include "functions/scalar/function_spec.h"

namespace basalt
{

// String, FixedString (also IPv6), or a constant of them.
class StringRows
{
public:
    explicit StringRows(const Column& column);
    explicit StringRows(const ColumnPtr& column) : StringRows(*column) {}

    std::string_view operator[](size_t row) const
    {
        if (offsets_)
        {
            const size_t begin = row == 0 ? 0 : offsets_[row - 1];
            return {chars_ + begin, offsets_[row] - begin};
        }
        return {chars_ + row * stride_, width_};
    }
    bool constant() const { return stride_ == 0 && !offsets_; }
    bool fixed() const { return stride_ != 0; }
    // All bytes of a String column; offsets() is null for the other forms.
    const char* chars() const { return chars_; }
    const uint64_t* offsets() const { return offsets_; }
    size_t chars_size() const { return chars_size_; }

private:
    const char* chars_ = nullptr;
    const uint64_t* offsets_ = nullptr;
    size_t width_ = 0;
    size_t stride_ = 0; // 0: constant
    size_t chars_size_ = 0;
};

// Any fixed-width column of T, or a constant of it.
template <class T> class NumberRows
{
public:
    explicit NumberRows(const Column& column)
    {
        const Column* source = &column;
        if (source->form() == ColumnForm::Constant)
            source = column_as<ConstantColumn>(*source).nested().get();
        else
            stride_ = 1;
        data_ = column_as<VectorColumn<T>>(*source).data().data();
    }
    explicit NumberRows(const ColumnPtr& column) : NumberRows(*column) {}
    const T& operator[](size_t row) const { return data_[row * stride_]; }
    bool constant() const { return stride_ == 0; }

private:
    const T* data_;
    size_t stride_ = 0;
};

// Calls f(T{}) with the type that holds values of the physical type; false when it is not a
// fixed-width one.
template <class F> bool visit_vector(PhysicalType physical, F&& f)
{
    switch (physical)
    {
        case PhysicalType::UInt8: f(uint8_t{}); return true;
        case PhysicalType::UInt16: f(uint16_t{}); return true;
        case PhysicalType::UInt32: f(uint32_t{}); return true;
        case PhysicalType::UInt64: f(uint64_t{}); return true;
        case PhysicalType::UInt128: f(UInt128{}); return true;
        case PhysicalType::UInt256: f(UInt256{}); return true;
        case PhysicalType::Int8: f(int8_t{}); return true;
        case PhysicalType::Int16: f(int16_t{}); return true;
        case PhysicalType::Int32: f(int32_t{}); return true;
        case PhysicalType::Int64: f(int64_t{}); return true;
        case PhysicalType::Int128: f(Int128{}); return true;
        case PhysicalType::Int256: f(Int256{}); return true;
        case PhysicalType::Float32: f(float{}); return true;
        case PhysicalType::Float64: f(double{}); return true;
        default: return false;
    }
}

// Integers of any width to 64 bits, as int64 (UInt64 beyond it becomes its largest value).
class IntegerRows
{
public:
    explicit IntegerRows(const Argument& argument);
    int64_t operator[](size_t row) const { return data_[row * stride_]; }
    bool constant() const { return stride_ == 0; }

private:
    PodVector<int64_t> own_;
    const int64_t* data_ = nullptr;
    size_t stride_ = 0;
};

// Numbers of any kind (Decimal too) as double.
class DoubleRows
{
public:
    explicit DoubleRows(const ColumnPtr& column, const TypePtr& type);
    explicit DoubleRows(const Argument& argument) : DoubleRows(argument.column, argument.type) {}
    double operator[](size_t row) const { return data_[row * stride_]; }

private:
    PodVector<double> own_;
    const double* data_ = nullptr;
    size_t stride_ = 0;
};

// An array column: flat items and where each row's items are. Constants have one row of items.
class ArrayRows
{
public:
    explicit ArrayRows(const ColumnPtr& column);
    const ColumnPtr& items() const { return array_->items(); }
    size_t begin(size_t row) const { return array_->begin_of(row * stride_); }
    size_t end(size_t row) const { return array_->offsets()[row * stride_]; }
    size_t length(size_t row) const { return array_->length_of(row * stride_); }
    const ArrayColumn& array() const { return *array_; }
    const ColumnPtr& column() const { return column_; }
    bool constant() const { return stride_ == 0; }

private:
    ColumnPtr column_;
    const ArrayColumn* array_;
    size_t stride_ = 0;
};

// Builds a String column row by row.
class StringWriter
{
public:
    explicit StringWriter(size_t rows, size_t expected_chars = 0)
        : column_(std::make_shared<StringColumn>())
    {
        column_->offsets().reserve(rows);
        column_->chars().reserve(expected_chars);
    }
    // Room for n more bytes; write them there, then advance().
    char* room(size_t n)
    {
        PodVector<char>& chars = column_->chars();
        const size_t size = chars.size();
        if (size + n > chars.capacity())
            chars.reserve(std::max(size + n, chars.capacity() * 2));
        return chars.data() + size;
    }
    void advance(size_t n) { column_->chars().resize(column_->chars().size() + n); }
    void write(std::string_view text) { column_->chars().append(text.data(), text.size()); }
    void write(char c) { column_->chars().push_back(c); }
    void fill(size_t n, char c) { column_->chars().resize_fill(column_->chars().size() + n, c); }
    void end_row() { column_->offsets().push_back(column_->chars().size()); }
    void row(std::string_view text)
    {
        write(text);
        end_row();
    }
    size_t row_begin() const
    {
        return column_->offsets().empty() ? 0 : column_->offsets().back();
    }
    StringColumn& column() { return *column_; }
    ColumnPtr finish() { return std::move(column_); }

private:
    std::shared_ptr<StringColumn> column_;
};

// A new vector column of `rows` values f(row).
template <class T, class F> ColumnPtr map_rows(size_t rows, F&& f)
{
    auto result = std::make_shared<VectorColumn<T>>(rows);
    T* out = result->data().data();
    for (size_t i = 0; i < rows; ++i)
        out[i] = static_cast<T>(f(i));
    return result;
}

} // namespace basalt
