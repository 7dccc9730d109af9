// id_filter: filters of pages as small as pays. Six bits for each distinct value and four hash
// functions let one page in eighteen through that does not hold the value: an eighteenth of a scan
// of the ids, for 5% of their bytes.

#include "storage/skip_index/id_filter.h"

#include "encodings/page.h"
#include "storage/skip_index/value_filter.h"

#include "base/error.h"

#include <algorithm>
#include <set>

namespace basalt
{

namespace
{

constexpr size_t kBitsPerKey = 6;
constexpr size_t kHashes = 4;
constexpr size_t kSampledRows = 64;
constexpr size_t kLeastRows = 8192; // a smaller page is quickly read
constexpr size_t kLeastDigits = 16;
constexpr size_t kMostDigits = 128;

bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

// Digits and, of a UUID, its dashes.
bool is_id_text(std::string_view text)
{
    constexpr size_t kUuidLength = 36;
    if (text.size() == kUuidLength)
    {
        for (size_t i = 0; i < kUuidLength; ++i)
            if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' : !is_hex(text[i]))
                return false;
        return true;
    }
    return text.size() >= kLeastDigits && text.size() <= kMostDigits && text.size() % 2 == 0 &&
           std::all_of(text.begin(), text.end(), is_hex);
}

class IdFilter final : public SkipIndexKind
{
public:
    std::string name() const override { return kIdFilterType; }
    void check(const IndexDescription& index) const override
    {
        throw Error(error_codes::INCORRECT_QUERY,
                    "Index type " + std::string(kIdFilterType) +
                        " is made where it pays and cannot be asked for: index " + index.name);
    }
    std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription&, size_t) const override
    {
        return std::make_unique<ValueFilterBuilder>(
            [](size_t keys) { return FilterGeometry::with_bits(keys * kBitsPerKey, kHashes); });
    }
    std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                          SkipIndexSource source) const override
    {
        return std::make_unique<ValueFilterReader>(index, std::move(source));
    }
    bool useful_for(const IndexDescription& index, const IndexQuestion& question) const override
    {
        return value_filter_useful(index, question);
    }
};

} // namespace

IndexDescription id_filter_of(const std::string& column, const TypePtr& type, size_t granule_rows)
{
    IndexDescription index;
    index.name = kIdFilterPrefix + column;
    index.expression_text = column;
    index.expression = Expression::input(column, type);
    index.type = kIdFilterType;
    index.granularity = std::max<size_t>(kPageRows / std::max<size_t>(granule_rows, 1), 1);
    return index;
}

bool looks_like_ids(const Column& page, const TypePtr& type)
{
    const TypePtr plain = strip_wrappers(type);
    if (page.size() < kLeastRows ||
        !(plain->is(TypeId::String) || plain->is(TypeId::FixedString) || plain->is(TypeId::UUID)))
        return false;
    std::set<std::string> distinct;
    size_t sampled = 0;
    for (size_t i = 0; i < kSampledRows; ++i)
    {
        const size_t row = page.size() * i / kSampledRows;
        Value value = page.value_at(row);
        const auto* text = value.get_if<std::string>();
        if (value.is_null() || (text && text->empty()))
            continue;
        ++sampled;
        if (text && !is_id_text(*text))
            return false;
        distinct.insert(text ? *text : value.to_text());
    }
    // Half of the rows have one, and hardly two the same.
    return sampled >= kSampledRows / 2 && distinct.size() >= sampled - sampled / 8;
}

void register_id_filter(SkipIndexRegistry& registry)
{
    registry.add(std::make_unique<IdFilter>());
}

} // namespace basalt
