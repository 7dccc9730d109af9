#pragma once

// Pages of codes into a dictionary of values.

#include "encodings/page.h"
#include "encodings/page_format.h"

namespace basalt::inline encodings
{

// codes_at: where the codes begin in the page. Throws CORRUPTED_DATA.
EncodedPagePtr open_dictionary(const PageHead& head, ColumnPtr dictionary, PageBytes bytes,
                               size_t codes_at);

} // namespace basalt::encodings
