#include "columns/forms.h"

namespace basalt
{

TupleColumn::TupleColumn(std::vector<MutableColumnPtr> elements, size_t rows)
    : Column(ColumnForm::Tuple), elements_(elements.begin(), elements.end()),
      rows_(elements_.empty() ? rows : elements_[0]->size())
{
}

ColumnPtr TupleColumn::make(Columns elements, size_t rows)
{
    auto result = std::make_shared<TupleColumn>(std::vector<MutableColumnPtr>());
    for ([[maybe_unused]] const ColumnPtr& element : elements)
        BASALT_DCHECK(element->size() == rows);
    result->elements_ = std::move(elements);
    result->rows_ = rows;
    return result;
}

size_t TupleColumn::byte_size() const
{
    size_t bytes = 0;
    for (const ColumnPtr& element : elements_)
        bytes += element->byte_size();
    return bytes;
}

MutableColumnPtr TupleColumn::clone_empty() const
{
    std::vector<MutableColumnPtr> elements;
    for (const ColumnPtr& element : elements_)
        elements.push_back(element->clone_empty());
    return std::make_shared<TupleColumn>(std::move(elements));
}

void TupleColumn::append_from(const Column& source, size_t row)
{
    const auto& from = column_as<TupleColumn>(flat_source(source, row));
    for (size_t i = 0; i < elements_.size(); ++i)
        mutable_element(i).append_from(*from.elements_[i], row);
    ++rows_;
}

void TupleColumn::append_range(const Column& source, size_t begin, size_t count)
{
    if (append_range_of_form(*this, source, begin, count))
        return;
    const auto& from = column_as<TupleColumn>(source);
    for (size_t i = 0; i < elements_.size(); ++i)
        mutable_element(i).append_range(*from.elements_[i], begin, count);
    rows_ += count;
}

void TupleColumn::append_default()
{
    for (size_t i = 0; i < elements_.size(); ++i)
        mutable_element(i).append_default();
    ++rows_;
}

void TupleColumn::append_value(const Value& value)
{
    const auto* tuple = value.get_if<TupleValue>();
    BASALT_ASSERT(tuple && tuple->items.size() == elements_.size());
    for (size_t i = 0; i < elements_.size(); ++i)
        mutable_element(i).append_value(tuple->items[i]);
    ++rows_;
}

void TupleColumn::remove_last(size_t count)
{
    for (size_t i = 0; i < elements_.size(); ++i)
        mutable_element(i).remove_last(count);
    rows_ -= count;
}

Value TupleColumn::value_at(size_t row) const
{
    TupleValue value;
    for (const ColumnPtr& element : elements_)
        value.items.push_back(element->value_at(row));
    return value;
}

ColumnPtr TupleColumn::filter(const Mask& mask, size_t kept_rows) const
{
    Columns elements;
    for (const ColumnPtr& element : elements_)
        elements.push_back(element->filter(mask, kept_rows));
    return make(std::move(elements), kept_rows);
}

ColumnPtr TupleColumn::take(const RowIndexes& rows) const
{
    Columns elements;
    for (const ColumnPtr& element : elements_)
        elements.push_back(element->take(rows));
    return make(std::move(elements), rows.size());
}

ColumnPtr TupleColumn::slice(size_t begin, size_t count) const
{
    Columns elements;
    for (const ColumnPtr& element : elements_)
        elements.push_back(element->slice(begin, count));
    return make(std::move(elements), count);
}

int TupleColumn::compare_at(size_t row, const Column& other, size_t other_row,
                            int nulls_direction) const
{
    const auto& b = column_as<TupleColumn>(other);
    for (size_t i = 0; i < elements_.size(); ++i)
        if (const int order =
                elements_[i]->compare_at(row, *b.elements_[i], other_row, nulls_direction))
            return order;
    return 0;
}

void TupleColumn::hash_into(std::span<uint64_t> hashes) const
{
    PodVector<uint64_t> whole(rows_, 0x7461eull);
    for (const ColumnPtr& element : elements_)
        element->hash_into({whole.data(), whole.size()});
    for (size_t i = 0; i < hashes.size(); ++i)
        hashes[i] = combine_hash(hashes[i], hash_int(whole[i]));
}

void TupleColumn::append_key(size_t row, PodVector<char>& out) const
{
    for (const ColumnPtr& element : elements_)
        element->append_key(row, out);
}

const char* TupleColumn::append_from_key(const char* key)
{
    for (size_t i = 0; i < elements_.size(); ++i)
        key = mutable_element(i).append_from_key(key);
    ++rows_;
    return key;
}

} // namespace basalt
