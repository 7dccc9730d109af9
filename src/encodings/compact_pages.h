#pragma once

// Reads pages of one column of one part in compact form where they have one: digits as binary,
// texts of templates as templates and slots. One thread.

#include "encodings/page.h"

namespace basalt::inline encodings
{

struct SharedTemplates;
class TemplateList;
using TemplateListPtr = std::shared_ptr<TemplateList>;

TemplateListPtr make_template_list();

// A column of a block flat when it is compact, else as it is; the block has the columns that its
// templates refer to, numbered as in the part.
ColumnPtr values_of(const Block& block, size_t column);

class CompactPages
{
public:
    // list: what TemplateColumns refer to; null when texts of templates are wanted as texts.
    explicit CompactPages(TemplateListPtr list) : list_(std::move(list)) {}

    // Rows of a page of the part: compact, or in any other form.
    ColumnPtr decode(const EncodedPage& page, size_t begin, size_t count);

private:
    TemplateListPtr list_;
    // By the part's number of a template; of `shared_`.
    std::vector<uint32_t> numbers_;
    std::shared_ptr<const SharedTemplates> shared_;
};

} // namespace basalt::encodings
