#include "encodings/compact_pages.h"

#include "encodings/hex_column.h"
#include "encodings/template_page.h"
#include "encodings/value_pages.h"

#include <numeric>

namespace basalt::inline encodings
{

TemplateListPtr make_template_list()
{
    return std::make_shared<TemplateList>();
}

ColumnPtr values_of(const Block& block, size_t column)
{
    const ColumnPtr& values = block[column].column;
    if (!is_compact(*values))
        return values;
    const auto* lines = dynamic_cast<const TemplateColumn*>(values.get());
    if (!lines)
        return values->to_flat();
    // A column that others refer to refers to none.
    Columns kept;
    std::vector<const StringColumn*> siblings(block.width(), nullptr);
    for (const uint32_t sibling : lines->text_siblings())
    {
        kept.push_back(to_values(block[sibling].column));
        siblings[sibling] = &column_as<StringColumn>(*kept.back());
    }
    RowIndexes rows(lines->size());
    std::iota(rows.begin(), rows.end(), 0u);
    return lines->render(rows, siblings);
}

ColumnPtr CompactPages::decode(const EncodedPage& deferred, size_t begin, size_t count)
{
    const EncodedPage& page = deferred.opened();
    if (auto hex = decode_hex(page, begin, count))
        return hex;
    const auto* templates = list_ ? dynamic_cast<const TemplatePage*>(&page) : nullptr;
    if (!templates)
        return page.decode(begin, count);
    if (shared_ != templates->shared())
    {
        shared_ = templates->shared();
        numbers_.clear();
        for (const auto& parts : shared_->templates)
            numbers_.push_back(list_->add(parts));
    }
    std::vector<uint16_t> ids;
    for (const uint32_t number : templates->shared_numbers())
    {
        if (number && numbers_[number - 1] == TemplateList::kFull)
            return page.decode(begin, count);
        ids.push_back(number ? static_cast<uint16_t>(numbers_[number - 1] + 1)
                             : TemplateColumn::kRaw);
    }
    return templates->decode_slots(begin, count, list_, ids);
}

} // namespace basalt::encodings
