#pragma once

// Pages of pieces of streams, pages of one value, and the bytes of dictionaries.

#include "encodings/page.h"
#include "encodings/page_format.h"

namespace basalt::inline encodings
{

EncodedPagePtr open_plain(const PageHead& head, const TypePtr& type, PageBytes bytes);
EncodedPagePtr open_constant(const PageHead& head, const TypePtr& type, PageBytes bytes);

// docs/format/page.md, "Dictionary".
ColumnPtr read_dictionary(std::string_view bytes, const TypePtr& type);

} // namespace basalt::encodings
