#include "columns/forms.h"

namespace basalt
{

NullableColumn::NullableColumn(MutableColumnPtr nested,
                               std::shared_ptr<VectorColumn<uint8_t>> nulls)
    : Column(ColumnForm::Nullable), nested_(std::move(nested)), nulls_(std::move(nulls))
{
    BASALT_DCHECK(nested_->size() == nulls_->size());
}

ColumnPtr NullableColumn::make(ColumnPtr nested, ColumnPtr nulls)
{
    BASALT_DCHECK(nested->size() == nulls->size());
    return std::make_shared<NullableColumn>(
        std::const_pointer_cast<Column>(nested),
        std::static_pointer_cast<VectorColumn<uint8_t>>(std::const_pointer_cast<Column>(nulls)));
}

bool NullableColumn::has_nulls() const
{
    const PodVector<uint8_t>& nulls = null_map();
    for (size_t base = 0; base < nulls.size(); base += 64)
        if (mask_bits_from(nulls, base))
            return true;
    return false;
}

MutableColumnPtr NullableColumn::clone_empty() const
{
    return std::make_shared<NullableColumn>(nested_->clone_empty(),
                                            std::make_shared<VectorColumn<uint8_t>>());
}

void NullableColumn::reserve(size_t rows)
{
    mutable_nested().reserve(rows);
    mutable_null_map().reserve(rows);
}

void NullableColumn::append_from(const Column& source, size_t row)
{
    const Column& flat = flat_source(source, row);
    if (flat.form() != ColumnForm::Nullable)
    {
        // Values of the nested type are values here too.
        mutable_nested().append_from(flat, row);
        mutable_null_map().push_back(0);
        return;
    }
    const auto& from = column_as<NullableColumn>(flat);
    mutable_nested().append_from(*from.nested_, row);
    mutable_null_map().push_back(from.null_map()[row]);
}

void NullableColumn::append_range(const Column& source, size_t begin, size_t count)
{
    if (append_range_of_form(*this, source, begin, count))
        return;
    if (source.form() != ColumnForm::Nullable)
    {
        mutable_nested().append_range(source, begin, count);
        mutable_null_map().resize_fill(null_map().size() + count, 0);
        return;
    }
    const auto& from = column_as<NullableColumn>(source);
    mutable_nested().append_range(*from.nested_, begin, count);
    mutable_null_map().append(from.null_map().data() + begin, count);
}

void NullableColumn::append_repeated(const Column& source, size_t row, size_t count)
{
    const Column& flat = flat_source(source, row);
    const bool is_nullable = flat.form() == ColumnForm::Nullable;
    const Column& values = is_nullable ? *column_as<NullableColumn>(flat).nested_ : flat;
    mutable_nested().append_repeated(values, row, count);
    mutable_null_map().resize_fill(null_map().size() + count, flat.is_null_at(row) ? 1 : 0);
}

void NullableColumn::append_default()
{
    mutable_nested().append_default();
    mutable_null_map().push_back(1);
}

void NullableColumn::append_value(const Value& value)
{
    if (value.is_null())
    {
        append_default();
        return;
    }
    mutable_nested().append_value(value);
    mutable_null_map().push_back(0);
}

void NullableColumn::remove_last(size_t count)
{
    mutable_nested().remove_last(count);
    mutable_null_map().resize(null_map().size() - count);
}

Value NullableColumn::value_at(size_t row) const
{
    return is_null_at(row) ? Value() : nested_->value_at(row);
}

ColumnPtr NullableColumn::filter(const Mask& mask, size_t kept_rows) const
{
    return make(nested_->filter(mask, kept_rows), nulls_->filter(mask, kept_rows));
}

ColumnPtr NullableColumn::take(const RowIndexes& rows) const
{
    return make(nested_->take(rows), nulls_->take(rows));
}

ColumnPtr NullableColumn::slice(size_t begin, size_t count) const
{
    return make(nested_->slice(begin, count), nulls_->slice(begin, count));
}

ColumnPtr NullableColumn::replicate(const PodVector<uint64_t>& offsets) const
{
    return make(nested_->replicate(offsets), nulls_->replicate(offsets));
}

int NullableColumn::compare_at(size_t row, const Column& other, size_t other_row,
                               int nulls_direction) const
{
    const bool a_is_null = is_null_at(row);
    const bool b_is_null = other.is_null_at(other_row);
    if (a_is_null || b_is_null)
        return a_is_null && b_is_null ? 0 : (a_is_null ? nulls_direction : -nulls_direction);
    const Column& other_values =
        other.form() == ColumnForm::Nullable ? *column_as<NullableColumn>(other).nested_ : other;
    return nested_->compare_at(row, other_values, other_row, nulls_direction);
}

void NullableColumn::hash_into(std::span<uint64_t> hashes) const
{
    if (!has_nulls())
    {
        nested_->hash_into(hashes);
        return;
    }
    const PodVector<uint64_t> before = [&]
    {
        PodVector<uint64_t> copy;
        copy.append(hashes.data(), hashes.size());
        return copy;
    }();
    nested_->hash_into(hashes);
    const PodVector<uint8_t>& nulls = null_map();
    for (size_t i = 0; i < hashes.size(); ++i)
        if (nulls[i])
            hashes[i] = combine_hash(before[i], kNullHash);
}

void NullableColumn::append_key(size_t row, PodVector<char>& out) const
{
    const bool is_null = is_null_at(row);
    out.push_back(is_null ? 1 : 0);
    if (!is_null)
        nested_->append_key(row, out);
}

const char* NullableColumn::append_from_key(const char* key)
{
    if (*key++)
    {
        append_default();
        return key;
    }
    key = mutable_nested().append_from_key(key);
    mutable_null_map().push_back(0);
    return key;
}

} // namespace basalt
