#include "functions/condition_masks.h"

#include "base/error.h"
#include "functions/expression.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

template <class T> void truth_of(const Column& column, PodVector<uint8_t>& mask)
{
    const auto& data = static_cast<const VectorColumn<T>&>(column).data();
    const size_t rows = data.size();
    mask.resize(rows);
    for (size_t i = 0; i < rows; ++i)
        mask[i] = data[i] != T(0);
}

template <class T> bool try_truth(const Column& column, PodVector<uint8_t>& mask)
{
    if (!dynamic_cast<const VectorColumn<T>*>(&column))
        return false;
    truth_of<T>(column, mask);
    return true;
}

} // namespace

bool column_to_ternary(const Column& column, TernaryMask& mask)
{
    switch (column.form())
    {
        case ColumnForm::Vector:
            return try_truth<uint8_t>(column, mask) || try_truth<uint64_t>(column, mask) ||
                   try_truth<int8_t>(column, mask) || try_truth<uint16_t>(column, mask) ||
                   try_truth<uint32_t>(column, mask) || try_truth<int16_t>(column, mask) ||
                   try_truth<int32_t>(column, mask) || try_truth<int64_t>(column, mask) ||
                   try_truth<float>(column, mask) || try_truth<double>(column, mask) ||
                   try_truth<UInt128>(column, mask) || try_truth<Int128>(column, mask) ||
                   try_truth<UInt256>(column, mask) || try_truth<Int256>(column, mask);
        case ColumnForm::Nothing:
            mask.assign(column.size(), kTernaryNull);
            return true;
        case ColumnForm::Nullable:
        {
            const auto& nullable = column_as<NullableColumn>(column);
            if (!column_to_ternary(*nullable.nested(), mask))
                return false;
            const auto& nulls = nullable.null_map();
            for (size_t i = 0; i < mask.size(); ++i)
                mask[i] = nulls[i] ? kTernaryNull : mask[i];
            return true;
        }
        case ColumnForm::Constant:
        {
            TernaryMask one;
            if (!column_to_ternary(*column_as<ConstantColumn>(column).nested(), one))
                return false;
            mask.assign(column.size(), one[0]);
            return true;
        }
        case ColumnForm::Dictionary:
        {
            const auto& coded = column_as<DictionaryColumn>(column);
            TernaryMask entries;
            if (!column_to_ternary(*coded.dictionary(), entries))
                return false;
            const auto& codes = coded.codes();
            mask.resize(codes.size());
            for (size_t i = 0; i < codes.size(); ++i)
                mask[i] = entries[codes[i]];
            return true;
        }
        default:
            return false;
    }
}

size_t column_to_mask(const ColumnPtr& column, const TypePtr& type, Mask& mask)
{
    const TypePtr plain = strip_wrappers(type);
    const bool numeric = plain->is_integer() || plain->is_float() || plain->is(TypeId::Nothing);
    if (!numeric || !column_to_ternary(*column, mask))
        throw Error(error_codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER,
                    fmt::format("Illegal type {} of column for filter. Must be UInt8 or "
                                "Nullable(UInt8) or another numeric type",
                                type->name()));
    size_t kept = 0;
    for (size_t i = 0; i < mask.size(); ++i)
    {
        mask[i] = mask[i] == 1;
        kept += mask[i];
    }
    return kept;
}

} // namespace basalt
