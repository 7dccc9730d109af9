#pragma once

// Which columns data of a format has, from its own description or guessed from its first rows: for files
// that are read without a structure. Guesses are ClickHouse's: whole numbers are Int64 (UInt64 beyond
// it), other numbers Float64, true and false Bool, dates Date, DateTime or DateTime64(9), all Nullable;
// what fits nothing is Nullable(String). Threads: pure functions.

#include "formats/format.h"

#include <string_view>

namespace basalt
{

// bytes: what the data begins with, at most as much as inference_bytes() says; complete: all of it.
// Looks at no more rows than input_format_max_rows_to_read_for_schema_inference. Throws
// CANNOT_EXTRACT_TABLE_STRUCTURE, NOT_IMPLEMENTED for settings of guessing that are not built.
Header infer_header(std::string_view format, std::string_view bytes, bool complete,
                    const FormatOptions& options);
size_t inference_bytes(const FormatOptions& options);
// Whether JSON is one object with "meta", as FORMAT JSON writes it, and not rows one behind the other.
bool is_json_document(std::string_view bytes);

} // namespace basalt
