#pragma once

// TabSeparated, its raw form and CSV as input.

#include "formats/row_input.h"

namespace basalt
{

// place: Escaped, Raw or Csv.
std::unique_ptr<InputFormat> make_delimited_input(InputBuffer& in, InputFormatContext context,
                                                  TextPlace place, HeaderLines lines);

} // namespace basalt
