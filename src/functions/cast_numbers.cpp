// Plain numbers to plain numbers, Bool, intervals.

#include "functions/cast_parts.h"

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/comparison.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

bool holds_plain_number(const DataType& type)
{
    return is_plain_number(type) || type.is(TypeId::Interval);
}

ColumnPtr to_bool(const ColumnPtr& column, PhysicalType physical)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(column->size());
    dispatch_vector(physical,
                    [&]<class Tag>(Tag)
                    {
                        using T = typename Tag::type;
                        const auto& data = column_as<VectorColumn<T>>(column).data();
                        for (size_t i = 0; i < data.size(); ++i)
                            result->data()[i] = data[i] != T(0);
                    });
    return result;
}

template <class T> void refuse_not_finite(const Column& column, const CastJob& job)
{
    const auto& data = column_as<VectorColumn<T>>(column).data();
    for (size_t i = 0; i < data.size(); ++i)
        if (!std::isfinite(data[i]) && !job.note_failure(i))
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        "Unexpected inf or nan to integer conversion");
}

// Every value must come back equal.
void refuse_changed(const ColumnPtr& column, const TypePtr& from, const ColumnPtr& result,
                    const TypePtr& to, const CastJob& job)
{
    const size_t rows = column->size();
    const ColumnPtr same =
        compare_numbers(ComparisonOp::Equals, {column, from}, {result, to}, rows);
    const auto& mask = column_as<VectorColumn<uint8_t>>(same).data();
    for (size_t i = 0; i < rows; ++i)
        if (!mask[i] && !job.note_failure(i))
            throw Error(error_codes::CANNOT_CONVERT_TYPE,
                        fmt::format("Value in column {} cannot be safely converted into type {}",
                                    from->name(), to->name()));
}

} // namespace

ColumnPtr cast_numbers(const ColumnPtr& column, const TypePtr& from, const TypePtr& to,
                       const CastJob& job)
{
    if (!holds_plain_number(*from) || !holds_plain_number(*to))
        return nullptr;
    if (to->is(TypeId::Bool))
        return to_bool(column, from->physical());
    if (from->is_float() && !to->is_float())
    {
        if (from->is(TypeId::Float32))
            refuse_not_finite<float>(*column, job);
        else
            refuse_not_finite<double>(*column, job);
    }
    const ColumnPtr result = convert_numbers(column, from->physical(), to->physical());
    if (job.options.accurate && !(to->is_float() && from->is_float()))
        refuse_changed(column, from, result, to, job);
    return result;
}

} // namespace basalt
