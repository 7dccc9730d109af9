#include "columns/forms.h"

namespace basalt
{

void FixedStringColumn::append(std::string_view text)
{
    BASALT_ASSERT(text.size() <= width_);
    const size_t old = chars_.size();
    chars_.resize(old + width_);
    char* to = chars_.data() + old;
    if (!text.empty())
        std::memcpy(to, text.data(), text.size());
    std::memset(to + text.size(), 0, width_ - text.size());
}

MutableColumnPtr FixedStringColumn::clone_empty() const
{
    return std::make_shared<FixedStringColumn>(width_);
}

void FixedStringColumn::append_from(const Column& source, size_t row)
{
    const Column& flat = flat_source(source, row);
    append(column_as<FixedStringColumn>(flat).at(row));
}

void FixedStringColumn::append_range(const Column& source, size_t begin, size_t count)
{
    if (append_range_of_form(*this, source, begin, count))
        return;
    const auto& from = column_as<FixedStringColumn>(source);
    BASALT_ASSERT(from.width_ == width_);
    chars_.append(from.chars_.data() + begin * width_, count * width_);
}

void FixedStringColumn::append_value(const Value& value)
{
    BASALT_ASSERT(value.get_if<std::string>());
    append(value.get<std::string>());
}

Value FixedStringColumn::value_at(size_t row) const
{
    return std::string(at(row));
}

ColumnPtr FixedStringColumn::filter(const Mask& mask, size_t kept_rows) const
{
    BASALT_DCHECK(mask.size() == size());
    auto result = std::make_shared<FixedStringColumn>(width_);
    result->chars_.resize(kept_rows * width_);
    char* to = result->chars_.data();
    for_kept_runs(mask,
                  [&](size_t begin, size_t count)
                  {
                      copy_with_padding(to, chars_.data() + begin * width_, count * width_);
                      to += count * width_;
                  });
    return result;
}

ColumnPtr FixedStringColumn::take(const RowIndexes& rows) const
{
    auto result = std::make_shared<FixedStringColumn>(width_);
    result->chars_.resize(rows.size() * width_);
    char* to = result->chars_.data();
    for (const uint32_t row : rows)
    {
        copy_with_padding(to, chars_.data() + row * width_, width_);
        to += width_;
    }
    return result;
}

ColumnPtr FixedStringColumn::slice(size_t begin, size_t count) const
{
    auto result = std::make_shared<FixedStringColumn>(width_);
    result->chars_.append(chars_.data() + begin * width_, count * width_);
    return result;
}

int FixedStringColumn::compare_at(size_t row, const Column& other, size_t other_row, int) const
{
    const int order = at(row).compare(column_as<FixedStringColumn>(other).at(other_row));
    return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

void FixedStringColumn::hash_into(std::span<uint64_t> hashes) const
{
    BASALT_DCHECK(hashes.size() == size());
    const char* from = chars_.data();
    for (size_t i = 0; i < hashes.size(); ++i, from += width_)
        hashes[i] = combine_hash(hashes[i], hash_bytes(from, width_));
}

void FixedStringColumn::append_key(size_t row, PodVector<char>& out) const
{
    out.append(chars_.data() + row * width_, width_);
}

const char* FixedStringColumn::append_from_key(const char* key)
{
    chars_.append(key, width_);
    return key + width_;
}

} // namespace basalt
