#pragma once

// Encodes pages of one text column of a part as templates and slots. Templates are learnt from
// samples and kept from page to page.

#include "encodings/template_column.h"
#include "encodings/template_matcher.h"
#include "encodings/template_siblings.h"

namespace basalt::inline encodings
{

// Levels of ZSTD for texts. A granule alone takes more than within a page: merges make up for it.
inline constexpr int kFastTextLevel = 3;
inline constexpr int kThoroughTextLevel = 9;
inline constexpr size_t kLeastTemplateRows = 16; // of a page
inline constexpr size_t kTemplateGateBytes = 128 << 10; // of text compressed to compare with

class TemplateEncoder
{
public:
    // depth: of templates whose slot is encoded.
    explicit TemplateEncoder(bool thorough, size_t depth = 0)
        : level_(thorough ? kThoroughTextLevel : kFastTextLevel), depth_(depth)
    {
    }

    // Appends a page of Templates and returns true; or returns false where the texts are better
    // stored plainly. Columns that templates came to refer to are added to used_siblings().
    bool write_page(const StringColumn& column, SiblingColumns& siblings, size_t granule_rows,
                    std::string& out);

    // The same of texts that are templates and slots already; their templates are taken as they
    // are. What is read back is compared with the slots. text_bytes: of all the texts.
    bool write_compact(const TemplateColumn& column, SiblingColumns& siblings, size_t granule_rows,
                       size_t text_bytes, std::string& out);

    bool empty() const { return shared_order_.empty(); }
    const std::vector<uint32_t>& used_siblings() const { return used_siblings_; }
    // Siblings and templates that pages refer to; layout in docs/format/templates.md. level: of
    // ZSTD.
    void append_shared(int level, std::string& out) const;

private:
    struct SlotRows
    {
        PodVector<int64_t> values; // of number slots
        PodVector<uint8_t> forms;
        PodVector<const char*> texts; // of text slots
        PodVector<uint32_t> sizes;
    };
    struct Rows
    {
        uint32_t count = 0;
        std::vector<SlotRows> slots; // of the template's slots that are no siblings
    };

    // How the texts of a slot are kept: whole, or as templates of their own.
    struct SlotTexts
    {
        std::unique_ptr<TemplateEncoder> templates;
        uint32_t pages = 0;
        uint32_t whole_pages = 0; // still to be kept whole without trying
    };

    static constexpr uint32_t kRaw = UINT32_MAX;

    void learn(const StringColumn& column, SiblingColumns& siblings, const RowIndexes& from);
    // Matches the rows, all when `rows` is null; those that fit nothing are returned.
    RowIndexes match(const StringColumn& column, const RowIndexes* rows);
    // texts: some of the page's; text_bytes: of all.
    bool is_smaller(size_t bytes, const StringColumn& texts, size_t text_bytes) const;
    void demote();
    bool must_be_compared();
    bool lose();
    // raw: texts of the rows without a template.
    void write(const StringColumn& raw, SiblingColumns& siblings, size_t granule_rows,
               std::string& out);
    void take_ids(const TemplateColumn& column, SiblingColumns& siblings);
    bool take_slots(const TemplateColumn& column, SiblingColumns& siblings);
    bool reads_back(const TemplateColumn& column, const StringColumn& raw,
                    SiblingColumns& siblings, std::string_view page) const;
    void write_template(uint32_t number, SiblingColumns& siblings, class StreamSink& sink);
    void write_texts(uint64_t slot, const StringColumn& texts, std::string& out);
    // Whether the texts were kept as templates.
    bool write_nested(SlotTexts& slot, const StringColumn& texts, std::string& out);
    uint32_t shared_number(uint32_t number);
    // Forgets what only a page that is not kept refers to.
    void forget_shared(size_t templates, size_t siblings);

    int level_;
    size_t depth_;
    std::unordered_map<uint64_t, SlotTexts> slot_texts_; // by template << 16 | slot
    TemplateMatcher matcher_;
    std::vector<uint32_t> shared_numbers_; // by the matcher's number; 0 = not in the part yet
    std::vector<uint32_t> shared_order_;   // the matcher's numbers; shared number i + 1
    std::vector<uint32_t> used_siblings_;
    size_t pages_ = 0; // that were tried
    size_t lost_ = 0;  // pages in a row that were better plain
    size_t skip_ = 0;  // pages still to be left alone
    // Of compact columns: the matcher's numbers by the list's.
    TemplateListPtr list_;
    std::vector<uint32_t> numbers_of_list_;

    // Of the current page.
    std::vector<uint32_t> ids_; // by row: the matcher's number or kRaw
    std::vector<Rows> rows_;    // by the matcher's number
};

} // namespace basalt::encodings
