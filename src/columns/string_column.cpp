#include "columns/forms.h"

namespace basalt
{

MutableColumnPtr StringColumn::clone_empty() const
{
    return std::make_shared<StringColumn>();
}

void StringColumn::append_from(const Column& source, size_t row)
{
    const Column& flat = flat_source(source, row);
    append(column_as<StringColumn>(flat).at(row));
}

void StringColumn::append_range(const Column& source, size_t begin, size_t count)
{
    if (count == 0)
        return;
    const size_t old_rows = offsets_.size();
    if (source.form() == ColumnForm::Dictionary)
    {
        const auto& dictionary = static_cast<const DictionaryColumn&>(source);
        const auto& values = column_as<StringColumn>(*dictionary.dictionary());
        const uint32_t* codes = dictionary.codes().data() + begin;
        size_t end = chars_.size();
        offsets_.resize(old_rows + count);
        for (size_t i = 0; i < count; ++i)
        {
            end += values.at(codes[i]).size();
            offsets_[old_rows + i] = end;
        }
        size_t at = chars_.size();
        chars_.resize(end);
        for (size_t i = 0; i < count; ++i)
        {
            const std::string_view text = values.at(codes[i]);
            copy_with_padding(chars_.data() + at, text.data(), text.size());
            at += text.size();
        }
        return;
    }
    if (append_range_of_form(*this, source, begin, count))
        return;
    const auto& from = column_as<StringColumn>(source);
    BASALT_DCHECK(begin + count <= from.size());
    const size_t from_begin = from.offset_at(begin);
    const size_t from_end = from.offsets_[begin + count - 1];
    const uint64_t shift = chars_.size() - from_begin; // wraps; added to offsets it comes right
    chars_.append(from.chars_.data() + from_begin, from_end - from_begin);
    offsets_.resize(old_rows + count);
    for (size_t i = 0; i < count; ++i)
        offsets_[old_rows + i] = from.offsets_[begin + i] + shift;
}

void StringColumn::append_repeated(const Column& source, size_t row, size_t count)
{
    const Column& flat = flat_source(source, row);
    const std::string_view text = column_as<StringColumn>(flat).at(row);
    size_t at = chars_.size();
    chars_.reserve(at + text.size() * count);
    offsets_.reserve(offsets_.size() + count);
    chars_.resize(at + text.size() * count);
    for (size_t i = 0; i < count; ++i)
    {
        if (!text.empty())
            std::memcpy(chars_.data() + at, text.data(), text.size());
        at += text.size();
        offsets_.push_back(at);
    }
}

void StringColumn::append_value(const Value& value)
{
    BASALT_ASSERT(value.get_if<std::string>());
    append(value.get<std::string>());
}

void StringColumn::remove_last(size_t count)
{
    offsets_.resize(offsets_.size() - count);
    chars_.resize(offsets_.empty() ? 0 : offsets_.back());
}

Value StringColumn::value_at(size_t row) const
{
    return std::string(at(row));
}

ColumnPtr StringColumn::filter(const Mask& mask, size_t kept_rows) const
{
    BASALT_DCHECK(mask.size() == offsets_.size());
    auto result = std::make_shared<StringColumn>();
    result->offsets_.resize(kept_rows);
    size_t bytes = 0;
    for_kept_runs(mask, [&](size_t begin, size_t count)
                  { bytes += offsets_[begin + count - 1] - offset_at(begin); });
    result->chars_.resize(bytes);
    char* to = result->chars_.data();
    uint64_t* to_offset = result->offsets_.data();
    size_t written = 0;
    for_kept_runs(mask,
                  [&](size_t begin, size_t count)
                  {
                      const size_t from = offset_at(begin);
                      const size_t size = offsets_[begin + count - 1] - from;
                      copy_with_padding(to + written, chars_.data() + from, size);
                      const uint64_t shift = written - from;
                      for (size_t i = begin; i < begin + count; ++i)
                          *to_offset++ = offsets_[i] + shift;
                      written += size;
                  });
    return result;
}

ColumnPtr StringColumn::take(const RowIndexes& rows) const
{
    auto result = std::make_shared<StringColumn>();
    result->offsets_.resize(rows.size());
    size_t end = 0;
    for (size_t i = 0; i < rows.size(); ++i)
    {
        end += offsets_[rows[i]] - offset_at(rows[i]);
        result->offsets_[i] = end;
    }
    result->chars_.resize(end);
    char* to = result->chars_.data();
    for (size_t i = 0; i < rows.size(); ++i)
    {
        const std::string_view text = at(rows[i]);
        copy_with_padding(to, text.data(), text.size());
        to += text.size();
    }
    return result;
}

ColumnPtr StringColumn::slice(size_t begin, size_t count) const
{
    auto result = std::make_shared<StringColumn>();
    result->offsets_.reserve(count);
    result->append_range(*this, begin, count);
    return result;
}

int StringColumn::compare_at(size_t row, const Column& other, size_t other_row, int) const
{
    const int order = at(row).compare(column_as<StringColumn>(other).at(other_row));
    return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

void StringColumn::hash_into(std::span<uint64_t> hashes) const
{
    BASALT_DCHECK(hashes.size() == offsets_.size());
    const char* chars = chars_.data();
    size_t begin = 0;
    for (size_t i = 0; i < hashes.size(); ++i)
    {
        const size_t end = offsets_[i];
        hashes[i] = combine_hash(hashes[i], hash_bytes(chars + begin, end - begin));
        begin = end;
    }
}

void StringColumn::append_key(size_t row, PodVector<char>& out) const
{
    const std::string_view text = at(row);
    const auto size = static_cast<uint32_t>(text.size());
    BASALT_ASSERT(size == text.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    out.append(text.data(), text.size());
}

const char* StringColumn::append_from_key(const char* key)
{
    const auto size = load<uint32_t>(key);
    append({key + sizeof(size), size});
    return key + sizeof(size) + size;
}

} // namespace basalt
