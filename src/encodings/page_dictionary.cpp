#include "encodings/page_dictionary.h"

#include "base/hash.h"
#include "encodings/vector_visit.h"

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kSampleRows = 2048;
constexpr size_t kFirstSlots = 256;

const Column& nested_of(const Column& column)
{
    return column.form() == ColumnForm::Nullable ? *column_as<NullableColumn>(column).nested()
                                                 : column;
}

size_t width_of(const Column& column)
{
    if (column.form() == ColumnForm::String)
        return 0;
    if (column.form() == ColumnForm::FixedString)
        return column_as<FixedStringColumn>(column).width();
    return vector_width(column);
}

} // namespace

DistinctValues::DistinctValues(TypePtr type) : type_(std::move(type))
{
    clear();
    width_ = width_of(nested_of(*values_));
}

void DistinctValues::clear()
{
    values_ = type_->create_column();
    shared_values_ = values_;
    hashes_.clear();
    slots_.assign(kFirstSlots, 0);
    keys_.clear();
    arena_ = std::make_unique<Arena>();
    null_code_ = 0;
    bytes_ = 0;
}

void DistinctValues::grow()
{
    slots_.assign(slots_.size() * 2, 0);
    const size_t mask = slots_.size() - 1;
    for (size_t code = 0; code < hashes_.size(); ++code)
    {
        if (null_code_ == code + 1)
            continue;
        size_t at = hashes_[code] & mask;
        while (slots_[at])
            at = (at + 1) & mask;
        slots_[at] = static_cast<uint32_t>(code + 1);
    }
}

bool DistinctValues::add_flat(const Column& flat, size_t begin, size_t count, size_t max_distinct,
                              PodVector<uint32_t>& codes)
{
    const Column& nested = nested_of(flat);
    const uint8_t* nulls = flat.form() == ColumnForm::Nullable
                               ? column_as<NullableColumn>(flat).null_map().data()
                               : nullptr;
    const char* data = width_ ? fixed_width_data(nested) : nullptr;
    const StringColumn* strings = width_ ? nullptr : &column_as<StringColumn>(nested);
    const size_t old = codes.size();
    codes.resize(old + count);
    uint32_t* out = codes.data() + old;
    std::string_view previous; // the text of row i - 1, with its code in out[i - 1]
    for (size_t i = 0; i < count; ++i)
    {
        const size_t row = begin + i;
        if (i == kSampleRows && size() > max_distinct / 2 && size() > kSampleRows / 2)
            return false;
        if (nulls && nulls[row])
        {
            if (!null_code_)
            {
                values_->append_from(flat, row);
                hashes_.push_back(0);
                keys_.emplace_back();
                null_code_ = static_cast<uint32_t>(size());
            }
            out[i] = null_code_ - 1;
            previous = {};
            continue;
        }
        const std::string_view key =
            strings ? strings->at(row) : std::string_view(data + row * width_, width_);
        if (i && key.size() == previous.size() && !key.empty() &&
            std::memcmp(key.data(), previous.data(), key.size()) == 0)
        {
            out[i] = out[i - 1];
            continue;
        }
        previous = key;
        const uint64_t hash = hash_bytes(key.data(), key.size());
        const size_t mask = slots_.size() - 1;
        size_t at = hash & mask;
        for (;; at = (at + 1) & mask)
        {
            const uint32_t code = slots_[at];
            if (code == 0)
                break;
            if (hashes_[code - 1] == hash && keys_[code - 1] == key)
            {
                out[i] = code - 1;
                break;
            }
        }
        if (slots_[at])
            continue;
        if (size() >= max_distinct)
            return false;
        out[i] = static_cast<uint32_t>(size());
        values_->append_from(flat, row);
        hashes_.push_back(hash);
        keys_.push_back(key.empty() ? std::string_view() : arena_->copy(key));
        bytes_ += key.size() + 1;
        slots_[at] = static_cast<uint32_t>(size());
        if (size() * 2 > slots_.size())
            grow();
    }
    return true;
}

bool DistinctValues::add(const Column& column, size_t begin, size_t count, size_t max_distinct,
                         PodVector<uint32_t>& codes)
{
    if (column.form() != ColumnForm::Dictionary)
        return add_flat(column, begin, count, max_distinct, codes);
    const auto& dictionary = column_as<DictionaryColumn>(column);
    constexpr uint32_t kUnknown = UINT32_MAX;
    PodVector<uint32_t> known(dictionary.dictionary()->size(), kUnknown);
    PodVector<uint32_t> one;
    const size_t old = codes.size();
    codes.resize(old + count);
    uint32_t* const out = codes.data() + old;
    const uint32_t* const from = dictionary.codes().data() + begin;
    for (size_t i = 0; i < count; ++i)
    {
        uint32_t code = known[from[i]];
        if (code == kUnknown) [[unlikely]]
        {
            one.clear();
            if (!add_flat(*dictionary.dictionary(), from[i], 1, max_distinct, one))
                return false;
            code = known[from[i]] = one[0];
        }
        out[i] = code;
    }
    return true;
}

} // namespace basalt::encodings
