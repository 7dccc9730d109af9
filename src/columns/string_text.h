#pragma once

// Escaping of strings in each TextPlace, and back.

#include "columns/text_cursor.h"
#include "io/buffer.h"

#include "base/pod_vector.h"

namespace basalt
{

struct TextOptions;

// \b \f \n \r \t \0 \\ \' as two characters; everything else as it is.
void write_escaped(OutputBuffer& out, std::string_view text);
// 'text' with the same escapes.
void write_quoted(OutputBuffer& out, std::string_view text);
// 'text' with '' for ' and the other escapes.
void write_quoted_doubling(OutputBuffer& out, std::string_view text);
// "text", " doubled.
void write_csv_string(OutputBuffer& out, std::string_view text);
// "text" with JSON's escapes; bytes that are not UTF-8 stay unless validate_utf8 (then U+FFFD).
void write_json_string(OutputBuffer& out, std::string_view text, bool escape_slashes = true,
                       bool validate_utf8 = false);
// < and & as entities, malformed UTF-8 as U+FFFD.
void write_xml_string(OutputBuffer& out, std::string_view text);
// As write_escaped, but for names before an =: that is escaped, quotes are not.
void write_escaped_key(OutputBuffer& out, std::string_view name);

// All append the value to `to`; on failure `to` may hold a part of it.

// Up to a tab, a line end or the end.
bool parse_escaped(TextCursor& cursor, PodVector<char>& to);
// 'text', with \ escapes and doubled quotes.
bool parse_quoted(TextCursor& cursor, PodVector<char>& to);
// "text" or bare text up to the delimiter or line end, without blanks at its end.
// was_quoted, when given, tells which.
bool parse_csv_string(TextCursor& cursor, PodVector<char>& to, const TextOptions& options,
                      bool* was_quoted = nullptr);
bool parse_json_string(TextCursor& cursor, PodVector<char>& to);

// Consumes one JSON value of any kind; fails with INCORRECT_DATA on what is none. Depth at most
// kMaxJsonDepth.
inline constexpr size_t kMaxJsonDepth = 2000;
bool skip_json_value(TextCursor& cursor);

// Replaces every malformed UTF-8 sequence by U+FFFD.
std::string valid_utf8(std::string_view text);
// Columns on a terminal that the text takes when it begins in column `prefix`: code points, wide
// ones twice, combining ones not at all; a tab reaches to the next multiple of 8; escape sequences
// take none, nor do control characters and malformed bytes.
size_t text_width(std::string_view text, size_t prefix = 0);
// Bytes of the longest prefix that is at most `width` columns wide.
size_t prefix_of_width(std::string_view text, size_t width);

} // namespace basalt
