#include "columns/forms.h"

namespace basalt
{

ArrayColumn::ArrayColumn(MutableColumnPtr items)
    : Column(ColumnForm::Array), items_(std::move(items)), offsets_(std::make_shared<Offsets>())
{
}

ColumnPtr ArrayColumn::make(ColumnPtr items, ColumnPtr offsets)
{
    auto result = std::make_shared<ArrayColumn>(std::const_pointer_cast<Column>(items));
    result->offsets_ = std::move(offsets);
    BASALT_DCHECK((result->offsets().empty() ? 0 : result->offsets().back()) ==
                  result->items_->size());
    return result;
}

MutableColumnPtr ArrayColumn::clone_empty() const
{
    return std::make_shared<ArrayColumn>(items_->clone_empty());
}

void ArrayColumn::append_from(const Column& source, size_t row)
{
    const auto& from = column_as<ArrayColumn>(flat_source(source, row));
    mutable_items().append_range(*from.items_, from.begin_of(row), from.length_of(row));
    mutable_offsets().push_back(items_->size());
}

void ArrayColumn::append_range(const Column& source, size_t begin, size_t count)
{
    if (count == 0 || append_range_of_form(*this, source, begin, count))
        return;
    const auto& from = column_as<ArrayColumn>(source);
    const size_t from_begin = from.begin_of(begin);
    const size_t from_end = from.offsets()[begin + count - 1];
    const uint64_t shift = items_->size() - from_begin; // wraps; added to offsets it comes right
    mutable_items().append_range(*from.items_, from_begin, from_end - from_begin);
    PodVector<uint64_t>& to = mutable_offsets();
    const size_t old = to.size();
    to.resize(old + count);
    for (size_t i = 0; i < count; ++i)
        to[old + i] = from.offsets()[begin + i] + shift;
}

void ArrayColumn::append_default()
{
    mutable_offsets().push_back(items_->size());
}

void ArrayColumn::append_value(const Value& value)
{
    const auto* array = value.get_if<ArrayValue>();
    const auto* map = value.get_if<MapValue>();
    BASALT_ASSERT(array || map);
    for (const Value& item : array ? array->items : map->items)
        mutable_items().append_value(item);
    mutable_offsets().push_back(items_->size());
}

void ArrayColumn::remove_last(size_t count)
{
    PodVector<uint64_t>& ends = mutable_offsets();
    ends.resize(ends.size() - count);
    mutable_items().remove_last(items_->size() - (ends.empty() ? 0 : ends.back()));
}

Value ArrayColumn::value_at(size_t row) const
{
    ArrayValue value;
    for (size_t i = begin_of(row); i < offsets()[row]; ++i)
        value.items.push_back(items_->value_at(i));
    return value;
}

ColumnPtr ArrayColumn::filter(const Mask& mask, size_t kept_rows) const
{
    Mask items_mask(items_->size());
    auto ends = std::make_shared<Offsets>(kept_rows);
    uint64_t* to = ends->data().data();
    uint64_t end = 0;
    size_t begin = 0;
    for (size_t i = 0; i < mask.size(); ++i)
    {
        const size_t length = offsets()[i] - begin;
        if (length)
            std::memset(items_mask.data() + begin, mask[i] ? 1 : 0, length);
        if (mask[i])
            *to++ = end += length;
        begin += length;
    }
    return make(items_->filter(items_mask, end), ends);
}

ColumnPtr ArrayColumn::take(const RowIndexes& rows) const
{
    auto ends = std::make_shared<Offsets>(rows.size());
    uint64_t end = 0;
    for (size_t i = 0; i < rows.size(); ++i)
        ends->data()[i] = end += length_of(rows[i]);
    RowIndexes item_rows(end);
    uint32_t* to = item_rows.data();
    for (const uint32_t row : rows)
        for (size_t i = begin_of(row); i < offsets()[row]; ++i)
            *to++ = static_cast<uint32_t>(i);
    return make(items_->take(item_rows), ends);
}

ColumnPtr ArrayColumn::slice(size_t begin, size_t count) const
{
    const size_t first = begin == 0 ? 0 : offsets()[begin - 1];
    const size_t last = count == 0 ? first : offsets()[begin + count - 1];
    auto ends = std::make_shared<Offsets>(count);
    for (size_t i = 0; i < count; ++i)
        ends->data()[i] = offsets()[begin + i] - first;
    return make(items_->slice(first, last - first), ends);
}

int ArrayColumn::compare_at(size_t row, const Column& other, size_t other_row,
                            int nulls_direction) const
{
    const auto& b = column_as<ArrayColumn>(other);
    const size_t a_length = length_of(row);
    const size_t b_length = b.length_of(other_row);
    const size_t a_begin = begin_of(row);
    const size_t b_begin = b.begin_of(other_row);
    for (size_t i = 0; i < a_length && i < b_length; ++i)
        if (const int order =
                items_->compare_at(a_begin + i, *b.items_, b_begin + i, nulls_direction))
            return order;
    return a_length < b_length ? -1 : (a_length > b_length ? 1 : 0);
}

void ArrayColumn::hash_into(std::span<uint64_t> hashes) const
{
    const PodVector<uint64_t> item_hashes = row_hashes(*items_);
    size_t at = 0;
    for (size_t i = 0; i < hashes.size(); ++i)
    {
        uint64_t h = hash_int(offsets()[i] - at + 1);
        for (; at < offsets()[i]; ++at)
            h = combine_hash(h, item_hashes[at]);
        hashes[i] = combine_hash(hashes[i], hash_int(h));
    }
}

void ArrayColumn::append_key(size_t row, PodVector<char>& out) const
{
    const auto length = static_cast<uint32_t>(length_of(row));
    BASALT_ASSERT(length == length_of(row));
    out.append(reinterpret_cast<const char*>(&length), sizeof(length));
    for (size_t i = begin_of(row); i < offsets()[row]; ++i)
        items_->append_key(i, out);
}

const char* ArrayColumn::append_from_key(const char* key)
{
    const auto length = load<uint32_t>(key);
    key += sizeof(length);
    for (uint32_t i = 0; i < length; ++i)
        key = mutable_items().append_from_key(key);
    mutable_offsets().push_back(items_->size());
    return key;
}

} // namespace basalt
