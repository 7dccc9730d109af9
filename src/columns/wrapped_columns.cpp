// Constant and dictionary columns. They are made whole and never grow: clone_empty() gives a flat
// column to append to.

#include "columns/forms.h"

namespace basalt
{

void ConstantColumn::append_from(const Column&, size_t)
{
    BASALT_ASSERT(!"constant columns do not grow");
}

void ConstantColumn::append_range(const Column&, size_t, size_t)
{
    BASALT_ASSERT(!"constant columns do not grow");
}

void ConstantColumn::append_default()
{
    BASALT_ASSERT(!"constant columns do not grow");
}

void ConstantColumn::append_value(const Value&)
{
    BASALT_ASSERT(!"constant columns do not grow");
}

ColumnPtr ConstantColumn::replicate(const PodVector<uint64_t>& offsets) const
{
    return with_rows(offsets.empty() ? 0 : offsets.back());
}

int ConstantColumn::compare_at(size_t, const Column& other, size_t other_row,
                               int nulls_direction) const
{
    const Column& flat = flat_source(other, other_row);
    return nested_->compare_at(0, flat, other_row, nulls_direction);
}

void ConstantColumn::hash_into(std::span<uint64_t> hashes) const
{
    const uint64_t x = row_hashes(*nested_)[0];
    for (uint64_t& h : hashes)
        h = combine_hash(h, x);
}

void ConstantColumn::append_key(size_t, PodVector<char>& out) const
{
    nested_->append_key(0, out);
}

const char* ConstantColumn::append_from_key(const char* key)
{
    BASALT_ASSERT(!"constant columns do not grow");
    return key;
}

ColumnPtr ConstantColumn::to_flat() const
{
    MutableColumnPtr flat = nested_->clone_empty();
    flat->append_repeated(*nested_, 0, rows_);
    return flat;
}

void DictionaryColumn::append_from(const Column&, size_t)
{
    BASALT_ASSERT(!"dictionary columns do not grow");
}

void DictionaryColumn::append_range(const Column&, size_t, size_t)
{
    BASALT_ASSERT(!"dictionary columns do not grow");
}

void DictionaryColumn::append_default()
{
    BASALT_ASSERT(!"dictionary columns do not grow");
}

void DictionaryColumn::append_value(const Value&)
{
    BASALT_ASSERT(!"dictionary columns do not grow");
}

ColumnPtr DictionaryColumn::filter(const Mask& mask, size_t kept_rows) const
{
    PodVector<uint32_t> kept(kept_rows);
    uint32_t* to = kept.data();
    const uint32_t* from = codes_.data();
    for (size_t base = 0; base < mask.size(); base += 64)
    {
        const uint64_t bits = mask_bits_from(mask, base);
        if (bits == ~uint64_t{0})
        {
            std::memcpy(to, from + base, 64 * sizeof(uint32_t));
            to += 64;
            continue;
        }
        to = copy_kept_64(to, from + base, bits);
    }
    return std::make_shared<DictionaryColumn>(dictionary_, std::move(kept));
}

ColumnPtr DictionaryColumn::take(const RowIndexes& rows) const
{
    PodVector<uint32_t> taken(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        taken[i] = codes_[rows[i]];
    return std::make_shared<DictionaryColumn>(dictionary_, std::move(taken));
}

ColumnPtr DictionaryColumn::slice(size_t begin, size_t count) const
{
    PodVector<uint32_t> part;
    part.append(codes_.data() + begin, count);
    return std::make_shared<DictionaryColumn>(dictionary_, std::move(part));
}

int DictionaryColumn::compare_at(size_t row, const Column& other, size_t other_row,
                                 int nulls_direction) const
{
    const Column& flat = flat_source(other, other_row);
    if (&flat == dictionary_.get() && codes_[row] == other_row)
        return 0;
    return dictionary_->compare_at(codes_[row], flat, other_row, nulls_direction);
}

void DictionaryColumn::hash_into(std::span<uint64_t> hashes) const
{
    BASALT_DCHECK(hashes.size() == codes_.size());
    if (codes_.size() < dictionary_->size())
    {
        // A few rows over a large dictionary: hash only what is used.
        dictionary_->take(codes_)->hash_into(hashes);
        return;
    }
    const PodVector<uint64_t> entries = row_hashes(*dictionary_);
    for (size_t i = 0; i < hashes.size(); ++i)
        hashes[i] = combine_hash(hashes[i], entries[codes_[i]]);
}

void DictionaryColumn::append_key(size_t row, PodVector<char>& out) const
{
    dictionary_->append_key(codes_[row], out);
}

const char* DictionaryColumn::append_from_key(const char* key)
{
    BASALT_ASSERT(!"dictionary columns do not grow");
    return key;
}

} // namespace basalt
