#pragma once

// Texts as templates and slot values, row by row: what a page of templates holds before it is
// ordered by template. Number slots of a row stand in lanes, the first number slot of its template
// in lane 0; text slots likewise.

#include "columns/compact_column.h"
#include "encodings/text_template.h"

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace basalt::inline encodings
{

// Templates that columns refer to by number. Only grows. Thread-safe.
class TemplateList
{
public:
    static constexpr uint32_t kFull = UINT32_MAX;

    // The number of the template; of an equal one when there is one. kFull past kMaxTemplates.
    uint32_t add(const TextTemplate& parts);
    size_t size() const;
    // All of them; they stay valid while the list lives.
    std::vector<const TextTemplate*> all() const;

private:
    mutable std::mutex mutex_;
    std::deque<TextTemplate> templates_;
    std::unordered_map<std::string, uint32_t> known_;
};
using TemplateListPtr = std::shared_ptr<TemplateList>;

// Values of a number slot in each row. SiblingNumber: a number and the decimals it has, of which
// zeros at the end are not written.
struct NumberLane
{
    PodVector<int64_t> values;
    PodVector<uint8_t> forms;
};

class TemplateColumn final : public CompactColumn
{
public:
    // Rows of no template; their text stands in text lane 0.
    static constexpr uint16_t kRaw = 0;

    explicit TemplateColumn(TemplateListPtr list) : list_(std::move(list)) {}

    const TemplateListPtr& list() const { return list_; }
    // By row: kRaw, or the template's number in the list and 1.
    PodVector<uint16_t>& ids() { return ids_; }
    const PodVector<uint16_t>& ids() const { return ids_; }
    // Lanes are as long as the column, or absent.
    std::vector<NumberLane>& numbers() { return numbers_; }
    const std::vector<NumberLane>& numbers() const { return numbers_; }
    std::vector<std::shared_ptr<const StringColumn>>& texts() { return texts_; }
    const std::vector<std::shared_ptr<const StringColumn>>& texts() const { return texts_; }

    size_t size() const override { return ids_.size(); }
    size_t byte_size() const override;
    ColumnPtr join(const Columns& sources, const std::vector<MergeRun>& runs,
                   size_t rows) const override;
    bool joins_with(const Column& other) const override;
    ColumnPtr adopt(const ColumnPtr& flat) const override;
    // When no template in use refers to texts of another column.
    ColumnPtr to_flat() const override;

    // The texts of the rows; siblings: by column number, those that templates in use refer to.
    std::shared_ptr<StringColumn>
    render(const RowIndexes& rows, const std::vector<const StringColumn*>& siblings) const;
    // Columns whose texts the templates in use refer to.
    std::vector<uint32_t> text_siblings() const;

private:
    TemplateListPtr list_;
    PodVector<uint16_t> ids_;
    std::vector<NumberLane> numbers_;
    std::vector<std::shared_ptr<const StringColumn>> texts_;
};

// Texts of which none is of a template.
std::shared_ptr<const TemplateColumn> raw_template_column(TemplateListPtr list,
                                                          std::shared_ptr<const StringColumn> texts);

// How the slots of a template are laid out in lanes.
inline bool has_number_lane(const TemplatePart& part)
{
    return part.kind == SlotKind::SiblingNumber ||
           (part.kind != SlotKind::Literal && part.kind != SlotKind::SiblingText &&
            !part.is_text_slot());
}
inline bool has_text_lane(const TemplatePart& part)
{
    return part.is_text_slot();
}

} // namespace basalt::encodings
