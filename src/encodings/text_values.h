#pragma once

// Texts of a slot, or of lines that fit no template: as a small dictionary, as hexadecimal
// numbers, or plain. Layout in docs/format/templates.md, "Texts".

#include "encodings/byte_reader.h"
#include "encodings/integer_stream.h"
#include "encodings/page.h"

namespace basalt::inline encodings
{

// Levels of templates within the texts of slots.
inline constexpr size_t kMaxTextDepth = 3;

// level: of ZSTD.
void write_text_values(const StringColumn& texts, int level, std::string& out);
// As templates. shared: what these need of a shared section; page: as TemplateEncoder writes it.
void append_template_values(std::string_view shared, std::string_view page, std::string& out);

class TextValues
{
public:
    TextValues() = default;
    // Throws CORRUPTED_DATA. The bytes must outlive this. depth: of templates around it.
    TextValues(std::string_view bytes, size_t count, size_t depth);

    size_t size() const { return count_; }
    // Null when the texts are no dictionary; else read codes with codes().
    const StringColumn* dictionary() const { return dictionary_.get(); }
    void read_codes(size_t begin, size_t count, uint64_t* codes) const;
    // Flat texts of [begin, begin + count); when they are no dictionary.
    ColumnPtr read(size_t begin, size_t count) const;
    // The page of the texts; null for a dictionary.
    const EncodedPage* page() const { return page_.get(); }

private:
    size_t count_ = 0;
    std::shared_ptr<StringColumn> dictionary_;
    IntegerReader codes_;
    EncodedPagePtr page_;
};

} // namespace basalt::encodings
