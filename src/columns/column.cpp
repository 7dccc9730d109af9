#include "columns/forms.h"

namespace basalt
{

void Column::append_repeated(const Column& source, size_t row, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        append_from(source, row);
}

void Column::append_defaults(size_t count)
{
    for (size_t i = 0; i < count; ++i)
        append_default();
}

ColumnPtr Column::replicate(const PodVector<uint64_t>& offsets) const
{
    BASALT_DCHECK(offsets.size() == size());
    RowIndexes rows(offsets.empty() ? 0 : offsets.back());
    size_t at = 0;
    for (size_t i = 0; i < offsets.size(); ++i)
        for (; at < offsets[i]; ++at)
            rows[at] = static_cast<uint32_t>(i);
    return take(rows);
}

ColumnPtr Column::to_flat() const
{
    // Columns that are flat are returned by the free function before it comes here.
    return slice(0, size());
}

size_t count_kept(const Mask& mask)
{
    size_t kept = 0;
    for (size_t base = 0; base < mask.size(); base += 64)
        kept += static_cast<size_t>(__builtin_popcountll(mask_bits_from(mask, base)));
    return kept;
}

ColumnPtr make_constant(const TypePtr& type, const Value& value, size_t rows)
{
    MutableColumnPtr one = type->create_column();
    one->append_value(value);
    return std::make_shared<ConstantColumn>(std::move(one), rows);
}

ColumnPtr NothingColumn::filter(const Mask&, size_t kept) const
{
    return std::make_shared<NothingColumn>(kept);
}

ColumnPtr NothingColumn::take(const RowIndexes& rows) const
{
    return std::make_shared<NothingColumn>(rows.size());
}

ColumnPtr NothingColumn::slice(size_t, size_t count) const
{
    return std::make_shared<NothingColumn>(count);
}

} // namespace basalt
