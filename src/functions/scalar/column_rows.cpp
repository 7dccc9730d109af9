#include "functions/scalar/column_rows.h"

#include <cmath>
#include <limits>

namespace basalt
{

StringRows::StringRows(const Column& column)
{
    const Column* source = &column;
    const bool is_const = source->form() == ColumnForm::Constant;
    if (is_const)
        source = column_as<ConstantColumn>(*source).nested().get();
    if (source->form() == ColumnForm::FixedString)
    {
        const auto& fixed = column_as<FixedStringColumn>(*source);
        chars_ = fixed.chars().data();
        width_ = fixed.width();
        stride_ = is_const ? 0 : width_;
        chars_size_ = fixed.chars().size();
        return;
    }
    const auto& strings = column_as<StringColumn>(*source);
    chars_ = strings.chars().data();
    chars_size_ = strings.chars().size();
    if (is_const)
        width_ = strings.chars().size();
    else
    {
        static const uint64_t none = 0;
        offsets_ = strings.offsets().empty() ? &none : strings.offsets().data();
    }
}

IntegerRows::IntegerRows(const Argument& argument)
{
    const Column* source = argument.column.get();
    if (source->form() == ColumnForm::Constant)
        source = column_as<ConstantColumn>(*source).nested().get();
    else
        stride_ = 1;
    // What stands under NULL is for the caller to pass over.
    if (source->form() == ColumnForm::Nullable)
        source = column_as<NullableColumn>(*source).nested().get();
    const PhysicalType physical = strip_wrappers(argument.type)->physical();
    if (physical == PhysicalType::Int64)
    {
        data_ = column_as<VectorColumn<int64_t>>(*source).data().data();
        return;
    }
    const size_t rows = source->size();
    own_.resize(rows);
    visit_vector(physical,
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     const auto& data = column_as<VectorColumn<T>>(*source).data();
                     for (size_t i = 0; i < rows; ++i)
                     {
                         if constexpr (std::is_same_v<T, uint64_t>)
                             own_[i] = static_cast<int64_t>(std::min<uint64_t>(
                                 data[i], std::numeric_limits<int64_t>::max()));
                         else
                             own_[i] = static_cast<int64_t>(data[i]);
                     }
                 });
    data_ = own_.data();
}

DoubleRows::DoubleRows(const ColumnPtr& column, const TypePtr& type)
{
    const Column* source = column.get();
    if (source->form() == ColumnForm::Constant)
        source = column_as<ConstantColumn>(*source).nested().get();
    else
        stride_ = 1;
    if (type->physical() == PhysicalType::Float64)
    {
        data_ = column_as<VectorColumn<double>>(*source).data().data();
        return;
    }
    const size_t rows = source->size();
    own_.resize(rows);
    const double divisor =
        type->is_decimal() ? std::pow(10.0, type_as<DecimalType>(type).scale()) : 1.0;
    visit_vector(type->physical(),
                 [&](auto tag)
                 {
                     using T = decltype(tag);
                     const auto& data = column_as<VectorColumn<T>>(*source).data();
                     for (size_t i = 0; i < rows; ++i)
                         own_[i] = static_cast<double>(data[i]) / divisor;
                 });
    data_ = own_.data();
}

ArrayRows::ArrayRows(const ColumnPtr& column) : column_(column)
{
    const Column* source = column.get();
    if (source->form() == ColumnForm::Constant)
        source = column_as<ConstantColumn>(*source).nested().get();
    else
        stride_ = 1;
    array_ = &column_as<ArrayColumn>(*source);
}

} // namespace basalt
