#pragma once

// A page of templates and slots, opened.

#include "encodings/page.h"
#include "encodings/page_format.h"
#include "encodings/slot_streams.h"
#include "encodings/slot_text.h"
#include "encodings/slot_time.h"
#include "encodings/template_column.h"
#include "encodings/template_siblings.h"
#include "encodings/text_values.h"

#include <bitset>
#include <deque>
#include <mutex>

namespace basalt::inline encodings
{

// What the shared section of a column says about templates.
struct SharedTemplates
{
    std::vector<uint32_t> siblings; // columns
    std::vector<TextTemplate> templates;

    // Throws CORRUPTED_DATA.
    explicit SharedTemplates(std::string_view bytes);
};

class TemplateDecision;

class TemplatePage final : public EncodedPage
{
public:
    // siblings: pages of the shared section's columns, in that order. depth: of templates whose
    // slot this is. Throws CORRUPTED_DATA.
    TemplatePage(const PageHead& head, std::shared_ptr<const SharedTemplates> shared,
                 PageBytes bytes, const std::vector<EncodedPagePtr>& siblings, size_t depth = 0);

    size_t rows() const override { return rows_; }
    ColumnPtr decode(size_t begin, size_t count) const override;
    ColumnPtr decode_rows(const RowIndexes& rows) const override;
    ColumnPtr decode_prefix(size_t begin, size_t count, size_t bytes) const override;
    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override;
    std::optional<size_t> count_matching(const PagePredicate& predicate, size_t begin,
                                         size_t count) const override;

    // A text or a slot of a template of this page, slots that never change already text.
    struct Part
    {
        SlotKind kind = SlotKind::Literal;
        std::string text;             // of literals
        size_t sibling = 0;           // index into siblings_
        unsigned scale = 0;           // of SiblingNumber
        TextAlphabet sibling_alphabet = TextAlphabet::Any; // of SiblingText
        size_t sibling_length = 0;    // of all texts of the column in this page; 0: not known
        TimeShape time;               // of Time
        const SlotNumbers* numbers = nullptr;
        const TextValues* texts = nullptr;

        // Text of a value of a number slot. power: 10^form.
        char* write(int64_t value, unsigned form, uint64_t power, char* to) const
        {
            return kind == SlotKind::Time ? write_time(value, time, to)
                                          : write_slot_number(kind, value, form, power, to);
        }
    };
    struct PageTemplate
    {
        uint32_t count = 0;
        std::vector<Part> parts;
    };
    const std::vector<PageTemplate>& templates() const { return templates_; }

    // The templates of the part, and for each of templates() its number there and 1, 0: raw.
    const std::shared_ptr<const SharedTemplates>& shared() const { return shared_; }
    const std::vector<uint32_t>& shared_numbers() const { return shared_numbers_; }
    // Rows as templates and slots. ids: of each of templates(), as in TemplateColumn.
    std::shared_ptr<const TemplateColumn> decode_slots(size_t begin, size_t count,
                                                       const TemplateListPtr& list,
                                                       const std::vector<uint16_t>& ids) const;

private:
    // A slot as it is stored, also where it never changes.
    struct Slot
    {
        SlotKind kind = SlotKind::Literal;
        size_t sibling = 0; // of SiblingNumber, index into siblings_
        unsigned scale = 0;
        const SlotNumbers* numbers = nullptr;
        const TextValues* texts = nullptr;
    };
    class SlotReader;
    // Rows of one block that are to be written, in order.
    struct Selection
    {
        size_t block_begin = 0; // row of the page
        PodVector<uint32_t> templates; // by selected row
        PodVector<uint32_t> indexes;   // into the template's slots, from the block's first
        PodVector<uint32_t> rows;      // offsets in the block; empty: all from `first` on
        size_t first = 0;
        size_t size() const { return templates.size(); }
    };

    void read_part(const TemplatePart& part, size_t count, StreamSource& source, Part& out);
    void add_part(PageTemplate& into, Part part) const;
    void read_text_facts(ByteReader& reader);
    // The first slot value of each template at a block's begin.
    const uint32_t* cursors(size_t block) const;
    void select(size_t block, size_t first, size_t count, const RowIndexes* rows,
                Selection& selection) const;
    // most: bytes of each line, kWholeLine for all.
    void render(const Selection& selection, size_t most, StringColumn& out) const;
    // The same, but parts of a line that begin before `most` are written whole.
    void render_parts(const Selection& selection, size_t most, StringColumn& out) const;
    std::shared_ptr<StringColumn> write_range(size_t begin, size_t count, size_t most) const;
    std::shared_ptr<StringColumn> write_rows(const RowIndexes& rows, size_t most) const;
    static constexpr size_t kWholeLine = SIZE_MAX;
    class BesideMasks;
    std::shared_ptr<const TemplateDecision> decide(const PagePredicate& predicate) const;
    PodVector<uint8_t> answers_of(const TemplateDecision& decision, size_t from, size_t count,
                                  BesideMasks& beside) const;
    void evaluate_range(const TemplateDecision& decision, size_t begin, size_t count,
                        BesideMasks& beside, uint8_t* mask) const;
    void evaluate_block(const TemplateDecision& decision, size_t begin, size_t count,
                        uint32_t mask_begin, BesideMasks& beside, uint8_t* mask) const;
    void meet(size_t number, const TemplateDecision& decision, size_t from, size_t count,
              const uint32_t* rows, BesideMasks& beside, uint8_t* hits) const;
    // Decides rows (offsets in the block, ascending) by their lines; mask begins at row `first`.
    void look(const TemplateDecision& decision, size_t block, size_t first, const RowIndexes& rows,
              uint8_t* mask) const;

    std::shared_ptr<const void> owner_;
    std::shared_ptr<const SharedTemplates> shared_;
    std::vector<EncodedPagePtr> siblings_;
    StreamSource source_;
    size_t rows_;
    size_t depth_;
    IntegerReader ids_;
    std::vector<PageTemplate> templates_;
    std::vector<uint32_t> shared_numbers_;
    std::vector<std::vector<Slot>> slots_; // by template; of those with a lane
    std::deque<SlotNumbers> numbers_;
    std::deque<TextValues> texts_;
    mutable std::once_flag cursors_once_;
    mutable PodVector<uint32_t> cursors_; // by block, template
    mutable std::mutex decision_mutex_;
    mutable std::shared_ptr<const TemplateDecision> decision_;
    mutable std::vector<std::vector<std::bitset<256>>> byte_sets_; // by template, part
};

} // namespace basalt::encodings
